// SPDX-License-Identifier: Apache-2.0

public import Session

/// What the debt service says to a node: which of its records it has, and what it still wants.
public struct LedgerAck: Hashable, Sendable {
    /// What became of a record.
    public enum Outcome: String, CaseIterable, Sendable {
        /// It is in the ledger, or a newer one of the session is.
        case kept
        /// The ledger holds another record under this version. It stays; this one lies beside it, for a person.
        case conflict
        /// It is no record that can be kept. There is no use in sending it again.
        case refused
    }

    /// One answer.
    public struct Item: Hashable, Sendable {
        /// The record.
        public var name: RecordName
        /// What became of it.
        public var outcome: Outcome

        /// Makes an answer.
        public init(_ name: RecordName, _ outcome: Outcome) {
            self.name = name
            self.outcome = outcome
        }
    }

    /// The node that is spoken to.
    public var node: NodeID
    /// Answers, ``itemsLimit`` at most.
    public var items: [Item]
    /// What the ledger holds of the latest weeks that it has records of from the node; `nil` where it was not looked up.
    /// A node sends what it has kept of every week of which the ledger holds something else.
    public var weeks: [RecordWeek]?

    /// Answers in one message.
    public static let itemsLimit = 64
    /// Weeks in one message, and of how many a node keeps acknowledged records.
    public static let weeksLimit = 14

    /// Makes a message.
    public init(node: NodeID, items: [Item] = [], weeks: [RecordWeek]? = nil) {
        self.node = node
        self.items = items
        self.weeks = weeks
    }

    init(reader: inout JSONReader) throws(Rejection) {
        var version: Int64?
        var node: NodeID?
        var items: [Item] = []
        var weeks: [RecordWeek]?
        var fields = try reader.object()
        while let key = try reader.key(&fields) {
            switch key {
            case "v": version = try reader.integer()
            case "node": node = try reader.node()
            case "records": items = try reader.null() ? [] : Self.items(from: &reader)
            case "weeks": weeks = try reader.null() ? nil : Self.weeks(from: &reader)
            default: try reader.skip()
            }
        }
        try ProtocolVersion.check(version)
        self.init(node: try need(node, "node"), items: items, weeks: weeks)
    }

    private static func items(from reader: inout JSONReader) throws(Rejection) -> [Item] {
        var items: [Item] = []
        var elements = try reader.array()
        while try reader.element(&elements) {
            var outcome: Outcome?
            let name = try RecordName(fields: &reader) { (key, reader) throws(Rejection) in
                if key == "outcome" { outcome = try reader.word() } else { try reader.skip() }
            }
            items.append(Item(name, try need(outcome, "outcome")))
        }
        guard items.count <= itemsLimit else { throw Rejection(.outOfBounds, "records are \(items.count)") }
        return items
    }

    private static func weeks(from reader: inout JSONReader) throws(Rejection) -> [RecordWeek] {
        var weeks: [RecordWeek] = []
        var elements = try reader.array()
        while try reader.element(&elements) { weeks.append(try RecordWeek(reader: &reader)) }
        guard weeks.count <= weeksLimit else { throw Rejection(.outOfBounds, "weeks are \(weeks.count)") }
        return weeks
    }

    func writeFields(to writer: inout JSONWriter) {
        writer.field("node", node.rawValue)
        writer.list("records") { writer in
            for item in items {
                writer.object {
                    item.name.writeFields(to: &$0)
                    $0.field("outcome", item.outcome.rawValue)
                }
            }
        }
        guard let weeks else { return }
        writer.list("weeks") { writer in
            for week in weeks { week.write(to: &writer) }
        }
    }
}

/// What is held of a node's records of one week: equal where the same records are held, whatever came first.
///
/// The week is one of seven days since 1970 in universal time, by the time of the stamp: it has to be the same for
/// everybody, and nobody sees it.
public struct RecordWeek: Hashable, Sendable {
    /// Weeks since 1970.
    public var number: Int
    /// How many records.
    public private(set) var count = 0
    private var sum: UInt64 = 0

    /// Milliseconds.
    public static let length: Int64 = 604_800_000
    private static let numbers = 0...12_001

    /// Nothing yet of a week.
    public init(number: Int) { self.number = number }

    /// The week that a stamp lies in.
    public static func number(of stamp: Stamp) -> Int { Int(stamp.time / length) }

    /// Adds a record.
    public mutating func add(_ name: RecordName) {
        count += 1
        let text = "\(name.id) \(name.version.epoch) \(name.version.rev) \(name.digest)"
        sum &+= FNV.hash(text.utf8)
    }

    init(reader: inout JSONReader) throws(Rejection) {
        var items = try reader.array()
        try reader.needElement(&items)
        number = try reader.int(in: Self.numbers, "weeks")
        try reader.needElement(&items)
        count = try reader.int(in: Limits.counter, "weeks")
        try reader.needElement(&items)
        let digest: RecordDigest = try reader.token()
        try reader.needEnd(&items)
        guard let value = UInt64(digest.rawValue, radix: 16) else { throw Rejection(.outOfBounds, "weeks") }
        sum = value
    }

    func write(to writer: inout JSONWriter) {
        let digest: RecordDigest = FNV.token(sum)
        writer.array {
            $0.value(number)
            $0.value(count)
            $0.value(digest)
        }
    }
}

extension WireCodec {
    /// What the debt service publishes to answer a node.
    public func encode(_ ack: LedgerAck) -> Outgoing {
        let payload = JSONWriter.payload(capacity: 160 * (ack.items.count + 1)) { ack.writeFields(to: &$0) }
        return Outgoing(topic: topics.name(of: .debtAck), payload: payload, retain: false, qos: 1)
    }

    /// What the debt service publishes of the week.
    public func encode(_ debt: DebtFeed) -> Outgoing {
        let payload = JSONWriter.payload(capacity: 1_024) { debt.writeFields(to: &$0) }
        return Outgoing(topic: topics.name(of: .debt), payload: payload, retain: true, qos: 1)
    }
}
