// SPDX-License-Identifier: Apache-2.0

public import Session

/// What a service that is no node publishes for all to read; `nil` once it has been taken back.
public enum Feed: Hashable, Sendable {
    case calm(CalmFeed?)
    case debt(DebtFeed?)
}

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
    /// When it was found, in milliseconds of group time.
    public var at: Int64

    /// Makes a reading.
    public init(session: SessionID, percent: Int, coverage: Int, trend: Trend? = nil, at: Int64) {
        self.session = session
        self.percent = percent
        self.coverage = coverage
        self.trend = trend
        self.at = at
    }

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
        var at: Int64?
        var fields = try reader.object()
        while let key = try reader.key(&fields) {
            switch key {
            case "v": version = try reader.integer()
            case "session": session = try reader.token()
            case "percent": percent = try reader.integer(in: 0...100, "percent")
            case "coverage": coverage = try reader.integer(in: 0...100, "coverage")
            case "trend": trend = try reader.null() ? nil : reader.word()
            case "at": at = try reader.integer(in: Limits.time, "at")
            default: try reader.skip()
            }
        }
        self.init(
            session: try need(session, "session"), percent: Int(try need(percent, "percent")),
            coverage: Int(try need(coverage, "coverage")), trend: trend, at: try need(at, "at"))
    }

    func writeFields(to writer: inout JSONWriter) {
        writer.field("session", session)
        writer.field("percent", percent)
        writer.field("coverage", coverage)
        if let trend { writer.field("trend", trend.rawValue) }
        writer.field("at", at)
    }
}

/// How the week stands.
public struct DebtFeed: Hashable, Sendable {
    /// Minutes that are missing to the week's goal; negative where more was done. At most a hundred thousand either way.
    public var minutes: Int
    /// When it was found, in milliseconds of group time.
    public var at: Int64

    static let bounds: ClosedRange<Int64> = -100_000...100_000

    /// Makes a reading.
    public init(minutes: Int, at: Int64) {
        self.minutes = minutes
        self.at = at
    }

    init(reader: inout JSONReader) throws(Rejection) {
        var version: Int64?
        var minutes: Int64?
        var at: Int64?
        var fields = try reader.object()
        while let key = try reader.key(&fields) {
            switch key {
            case "v": version = try reader.integer()
            case "minutes": minutes = try reader.integer(in: Self.bounds, "minutes")
            case "at": at = try reader.integer(in: Limits.time, "at")
            default: try reader.skip()
            }
        }
        try ProtocolVersion.check(version)
        self.init(minutes: Int(try need(minutes, "minutes")), at: try need(at, "at"))
    }
}

extension WireCodec {
    /// Reads what a service has published.
    func readFeed(_ payload: [UInt8], on topic: Topic) -> Decoded {
        if payload.count > Limits.payloadBytes { return .discard(.tooLarge, from: nil) }
        do throws(Rejection) {
            switch topic {
            case .calm where payload.isEmpty: return .feed(.calm(nil))
            case .debt where payload.isEmpty: return .feed(.debt(nil))
            case .calm:
                let calm = try ProtocolVersion.document(payload) { reader throws(Rejection) in
                    try CalmFeed(reader: &reader)
                }
                return .feed(.calm(calm))
            case .debt:
                let debt = try ProtocolVersion.document(payload) { reader throws(Rejection) in
                    try DebtFeed(reader: &reader)
                }
                return .feed(.debt(debt))
            default: return .ignored
            }
        } catch {
            return .discard(error.reason, from: nil)
        }
    }
}
