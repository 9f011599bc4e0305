// SPDX-License-Identifier: Apache-2.0

public import Session

/// A sound level at a node during the last period.
public struct SoundLevel: Hashable, Sendable, Described {
    /// The bound of a level in decibels: from minus to plus this number.
    public static let limit = 200.0
    public static let periods: ClosedRange<Milliseconds> = 100 ... .minutes(1)

    /// The microphone, if the node has several.
    public var source: Token<SoundSourceKind>?
    /// The level in tenths of a decibel; at most ``limit`` decibels, above or below zero.
    public var level: Int
    /// The length of the period, within ``periods``; also the time between two levels.
    public var period: Milliseconds
    /// When the node sent it; `nil` for the time at which it arrives.
    public var sent: BootTime?
    public var bootID: BootID?

    public init(
        source: Token<SoundSourceKind>? = nil, level: Int, period: Milliseconds = 1_000, sent: BootTime? = nil,
        bootID: BootID? = nil
    ) {
        self.source = source
        self.level = level
        self.period = period
        self.sent = sent
        self.bootID = bootID
    }

    /// Returns the name of the microphone in its space, with that of its node.
    package func sourceName(at node: NodeID) -> String { source.map { "\(node)/\($0)" } ?? node.rawValue }

    package static let objectName = "sound"
    package static let blank = SoundLevel(level: 0)

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("source", optional: &source, .id())
        try coder.field("level", &level, .decibels)
        try coder.field("period", &period, .whole(Self.periods), absent: 1_000)
        try coder.field("sent", optional: &sent, .reading)
        try coder.field("bootId", optional: &bootID, .id())
    }
}

/// Distinguishes the name of a microphone from other tokens.
public enum SoundSourceKind {}
