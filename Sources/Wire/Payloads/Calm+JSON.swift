// SPDX-License-Identifier: Apache-2.0

public import Session

/// How calm it was while a session ran.
public struct CalmFeed: Hashable, Sendable {
    /// Where it goes: the last minute against the one before.
    public enum Trend: String, CaseIterable, Sendable {
        case rising, falling, steady
    }

    /// The session that it is about.
    public var session: SessionID
    /// Percent of the running time that was heard and quiet, 0 to 100.
    public var percent: Int
    /// Percent of the running time that was heard at all, 0 to 100.
    public var coverage: Int
    /// `nil` before there are two minutes to compare.
    public var trend: Trend?
    /// How loud it was just then, in tenths of a decibel; `nil` where nothing was heard.
    public var level: Int?
    /// From which level on it was not quiet, in tenths of a decibel.
    public var threshold: Int?
    /// How much of each of the last whole minutes was quiet, in percent, the latest last, ``minutesLimit`` at most;
    /// `nil` for a minute that was not heard.
    public var minutes: [Int?]
    /// When it was found, in milliseconds of group time.
    public var at: Int64

    /// Makes a reading.
    public init(
        session: SessionID, percent: Int, coverage: Int, trend: Trend? = nil, level: Int? = nil, threshold: Int? = nil,
        minutes: [Int?] = [], at: Int64
    ) {
        self.session = session
        self.percent = percent
        self.coverage = coverage
        self.trend = trend
        self.level = level
        self.threshold = threshold
        self.minutes = minutes
        self.at = at
    }

    /// An hour.
    public static let minutesLimit = 60

    /// Below so much coverage nobody can tell, in percent.
    public static let enoughCoverage = 80

    init(reader: inout JSONReader) throws(Rejection) {
        var version: Int64?
        self = try CalmFeed(fields: &reader, version: &version)
        try ProtocolVersion.check(version)
    }

    /// Without a version of its own, as part of something else.
    init(fields reader: inout JSONReader) throws(Rejection) {
        var version: Int64?
        self = try CalmFeed(fields: &reader, version: &version)
    }

    private init(fields reader: inout JSONReader, version: inout Int64?) throws(Rejection) {
        var session: SessionID?
        var percent: Int64?
        var coverage: Int64?
        var trend: Trend?
        var level: Int?
        var threshold: Int?
        var minutes: [Int?] = []
        var at: Int64?
        var fields = try reader.object()
        while let key = try reader.key(&fields) {
            switch key {
            case "v": version = try reader.integer()
            case "session": session = try reader.token()
            case "percent": percent = try reader.integer(in: 0...100, "percent")
            case "coverage": coverage = try reader.integer(in: 0...100, "coverage")
            case "trend": trend = try reader.null() ? nil : reader.word()
            case "level": level = try reader.null() ? nil : reader.decibels("level")
            case "threshold": threshold = try reader.null() ? nil : reader.decibels("threshold")
            case "minutes": minutes = try reader.null() ? [] : Self.minutes(from: &reader)
            case "at": at = try reader.integer(in: Limits.time, "at")
            default: try reader.skip()
            }
        }
        self.init(
            session: try need(session, "session"), percent: Int(try need(percent, "percent")),
            coverage: Int(try need(coverage, "coverage")), trend: trend, level: level, threshold: threshold,
            minutes: minutes, at: try need(at, "at"))
    }

    private static func minutes(from reader: inout JSONReader) throws(Rejection) -> [Int?] {
        var minutes: [Int?] = []
        var items = try reader.array()
        while try reader.element(&items) {
            minutes.append(try reader.null() ? nil : reader.int(in: 0...100, "minutes"))
        }
        guard minutes.count <= minutesLimit else { throw Rejection(.outOfBounds, "minutes are \(minutes.count)") }
        return minutes
    }

    func writeFields(to writer: inout JSONWriter) {
        writer.field("session", session)
        writer.field("percent", percent)
        writer.field("coverage", coverage)
        if let trend { writer.field("trend", trend.rawValue) }
        if let level { writer.field("level", decibels: level) }
        if let threshold { writer.field("threshold", decibels: threshold) }
        if !minutes.isEmpty {
            writer.list("minutes") { writer in
                for minute in minutes { if let minute { writer.value(minute) } else { writer.null() } }
            }
        }
        writer.field("at", at)
    }
}
