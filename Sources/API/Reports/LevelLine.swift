// SPDX-License-Identifier: Apache-2.0

/// A level as `lockstep-calm` prints it for another program: a line of JSON.
package struct LevelLine: Codable, Hashable, Sendable {
    /// The node, with its microphone after a slash if it has several, or a sensor's topic.
    package var source: String
    /// The level in decibels.
    package var level: Double

    package init(source: String, level: Double) {
        self.source = source
        self.level = level
    }
}
