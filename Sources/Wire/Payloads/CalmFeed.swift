// SPDX-License-Identifier: Apache-2.0

public import Session

/// The calm service's result for one session.
public struct CalmFeed: Hashable, Sendable, Described {
    /// The change between the last two minutes.
    public enum Trend: String, CaseIterable, Sendable {
        case rising, falling, steady
    }

    public var session: SessionID
    /// Percent of the heard running time that was quiet, 0 to 100.
    public var percent: Int
    /// Percent of the running time that was heard at all, 0 to 100.
    public var coverage: Int
    public var trend: Trend?
    /// The present level in tenths of a decibel, within ±200 dB; `nil` if nothing was heard.
    public var level: Int?
    /// The level in tenths of a decibel, within ±200 dB, below which it was quiet.
    public var threshold: Int?
    /// The quiet percent of each of the last whole minutes, the latest last, at most an hour. `nil` is a minute of
    /// which less than half was heard.
    public var minutes: [Int?]
    public var at: GroupTime
    /// The service that wrote it; `nil` if the feed does not say.
    public var by: NodeID?

    public init(
        session: SessionID, percent: Int, coverage: Int, trend: Trend? = nil, level: Int? = nil, threshold: Int? = nil,
        minutes: [Int?] = [], at: GroupTime, by: NodeID? = nil
    ) {
        self.session = session
        self.percent = percent
        self.coverage = coverage
        self.trend = trend
        self.level = level
        self.threshold = threshold
        self.minutes = minutes
        self.at = at
        self.by = by
    }

    public static let minutesLimit = 60

    /// The coverage below which displays show no percentage, in percent.
    public static let enoughCoverage = 80

    /// The reading if enough was heard; else `nil`.
    public var ifKnown: CalmFeed? { coverage >= Self.enoughCoverage ? self : nil }

    package static let objectName = "feed/calm"
    package static let blank = CalmFeed(session: .blank, percent: 0, coverage: 0, at: 0)

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("session", &session, .id())
        try coder.field("percent", &percent, .percent)
        try coder.field("coverage", &coverage, .percent)
        try coder.field("trend", optional: &trend, .word())
        try coder.field("level", optional: &level, .decibels)
        try coder.field("threshold", optional: &threshold, .decibels)
        try coder.field("minutes", &minutes, .list(of: .nullable(.percent), 0...Self.minutesLimit), unless: [])
        try coder.field("at", &at, .time)
        try coder.field("by", optional: &by, .node)
    }
}
