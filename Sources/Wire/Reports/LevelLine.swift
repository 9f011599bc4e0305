// SPDX-License-Identifier: Apache-2.0

/// A level, as `lockstep-calm` prints it for another program: a line of JSON.
public struct LevelLine: Codable, Hashable, Sendable {
    /// The node, with its microphone behind a slash where it has several, or a sensor's topic.
    public var source: String
    /// In decibels.
    public var level: Double

    /// Makes a line.
    public init(source: String, level: Double) {
        self.source = source
        self.level = level
    }
}
