// SPDX-License-Identifier: Apache-2.0

public import Session

/// What was done in the weeks before this one, which ``DebtFeed`` tells of.
public struct DebtYear: Hashable, Sendable {
    /// The first of the days; a week begins with it.
    public var first: CivilDate
    /// Whole minutes done on each day, the earliest first; ``daysLimit`` at most.
    public var days: [Int]
    /// How calm each seven days were, in percent, `nil` where nobody knows; one for each begun seven of the days, or none
    /// at all.
    public var calm: [Int?]
    /// When it was found, in milliseconds of group time.
    public var at: Int64

    /// The weeks that the service tells of.
    public static let weeks = 52
    /// Days that the feed can hold.
    public static let daysLimit = 400
    private static let minutes = 0...2_880

    /// Makes a year.
    public init(first: CivilDate, days: [Int], calm: [Int?] = [], at: Int64) {
        self.first = first
        self.days = days
        self.calm = calm
        self.at = at
    }

    /// Whether it says anything else than an earlier one.
    public func isNews(after other: DebtYear?) -> Bool {
        guard var other else { return true }
        other.at = at
        return self != other
    }

    init(reader: inout JSONReader) throws(Rejection) {
        var version: Int64?
        var first: CivilDate?
        var days: [Int]?
        var calm: [Int?] = []
        var at: Int64?
        var fields = try reader.object()
        while let key = try reader.key(&fields) {
            switch key {
            case "v": version = try reader.integer()
            case "first": first = try reader.date("first")
            case "days": days = try Self.days(from: &reader)
            case "calm": calm = try reader.null() ? [] : Self.calm(from: &reader)
            case "at": at = try reader.integer(in: Limits.time, "at")
            default: try reader.skip()
            }
        }
        try ProtocolVersion.check(version)
        self.init(
            first: try need(first, "first"), days: try need(days, "days"), calm: calm, at: try need(at, "at"))
        guard calm.isEmpty || calm.count == (self.days.count + 6) / 7 else {
            throw Rejection(.outOfBounds, "calm is of \(calm.count) weeks")
        }
    }

    private static func days(from reader: inout JSONReader) throws(Rejection) -> [Int] {
        var days: [Int] = []
        var items = try reader.array()
        while try reader.element(&items) { days.append(try reader.int(in: minutes, "days")) }
        guard days.count <= daysLimit else { throw Rejection(.outOfBounds, "days are \(days.count)") }
        return days
    }

    private static func calm(from reader: inout JSONReader) throws(Rejection) -> [Int?] {
        var calm: [Int?] = []
        var items = try reader.array()
        while try reader.element(&items) {
            calm.append(try reader.null() ? nil : reader.int(in: 0...100, "calm"))
        }
        return calm
    }

    func writeFields(to writer: inout JSONWriter) {
        writer.field("first", first.description)
        writer.list("days") { writer in
            for day in days { writer.value(day) }
        }
        if !calm.isEmpty {
            writer.list("calm") { writer in
                for week in calm {
                    if let week { writer.value(week) } else { writer.null() }
                }
            }
        }
        writer.field("at", at)
    }
}

extension WireCodec {
    /// What the debt service publishes of the weeks before.
    public func encode(_ year: DebtYear) -> Outgoing {
        let payload = JSONWriter.payload(capacity: 2_560) { year.writeFields(to: &$0) }
        return Outgoing(topic: topics.name(of: .debtYear), payload: payload, retain: true, qos: 1)
    }
}
