// SPDX-License-Identifier: Apache-2.0

public import Session

/// A sound level at a node during the last period.
public struct SoundLevel: Hashable, Sendable, Described {
    /// The largest level, and the negated smallest, in decibels.
    public static let limit = 200.0
    /// The range of ``period`` in milliseconds.
    public static let periods: ClosedRange<Int64> = 100...60_000

    /// The microphone, if the node has several.
    public var source: Token<SoundSourceKind>?
    /// The level in tenths of a decibel; at most ``limit`` decibels, above or below zero.
    public var level: Int
    /// The length of the period in milliseconds, within ``periods``; also the time between two levels.
    public var period: Int64
    /// When it was sent, in milliseconds of the node's boot clock; `nil` for the time at which it arrives.
    public var sent: Int64?
    /// The boot of ``sent``.
    public var bootID: BootID?

    /// Creates a level.
    public init(
        source: Token<SoundSourceKind>? = nil, level: Int, period: Int64 = 1_000, sent: Int64? = nil,
        bootID: BootID? = nil
    ) {
        self.source = source
        self.level = level
        self.period = period
        self.sent = sent
        self.bootID = bootID
    }

    package static let objectName = "sound"
    package static let blank = SoundLevel(level: 0)

    package mutating func describe<F: Form & ~Copyable>(to form: inout F) throws(F.Failure) {
        try form.field("source", optional: &source, .id())
        try form.field("level", &level, .decibels)
        try form.field("period", &period, .whole(Self.periods), absent: 1_000)
        try form.field("sent", optional: &sent, .reading)
        try form.field("bootId", optional: &bootID, .id())
    }
}

/// The type of a microphone's name.
public enum SoundSourceKind {}
