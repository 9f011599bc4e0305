// SPDX-License-Identifier: Apache-2.0

public import Session

/// The debt service's message to a node: results for its records, and the ledger's weeks.
public struct LedgerAck: Hashable, Sendable, Described {
    /// The result of the debt service's handling of a record.
    public enum Outcome: String, CaseIterable, Sendable {
        /// The ledger contains it, or a newer one of its session.
        case kept
        /// The ledger contains another record of this version, which stays; this one is stored beside it for a person.
        case conflict
        /// It cannot be stored, and should not be sent again.
        case refused
    }

    /// The acknowledgement of one record.
    public struct Item: Hashable, Sendable {
        public var name: RecordName
        public var outcome: Outcome

        public init(_ name: RecordName, _ outcome: Outcome) {
            self.name = name
            self.outcome = outcome
        }
    }

    public var node: NodeID
    /// ``itemsLimit`` at most.
    public var items: [Item]
    /// The latest weeks with records of the node. It sends its records of each week that differs. `nil` if not looked
    /// up.
    public var weeks: [RecordWeek]?

    public static let itemsLimit = 64
    /// The most weeks in one message. A node keeps acknowledged records of as many.
    public static let weeksLimit = 14

    public init(node: NodeID, items: [Item] = [], weeks: [RecordWeek]? = nil) {
        self.node = node
        self.items = items
        self.weeks = weeks
    }

    package static let objectName = "feed/debt/ack"
    package static let blank = LedgerAck(node: .blank)

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("node", &node, .node)
        try coder.field("records", &items, .list(of: .object(), 0...Self.itemsLimit), absent: [])
        try coder.field("weeks", optional: &weeks, .list(of: .array(), 0...Self.weeksLimit))
    }
}

extension LedgerAck.Item: Described {
    package static let objectName = "acknowledged record"
    package static let blank = LedgerAck.Item(.blank, .kept)

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try name.describe(to: &coder)
        try coder.field("outcome", &outcome, .word())
    }
}

/// A summary of a node's records of one week, equal for equal sets of records. A week has seven days, counted from 1970
/// in universal time, by the time of the stamp. So it is the same for all programs; people never see it.
public struct RecordWeek: Hashable, Sendable, Described {
    public var number: Int
    public fileprivate(set) var count = 0
    fileprivate var sum: UInt64 = 0

    public static let length: Milliseconds = .days(7)

    public init(number: Int) { self.number = number }

    public static func number(of stamp: Stamp) -> Int { Int(stamp.time.milliseconds / length.count) }

    public mutating func add(_ name: RecordName) {
        count += 1
        let text = "\(name.id) \(name.version.epoch) \(name.version.rev) \(name.digest)"
        sum &+= FNV.hash(text.utf8.span)
    }

    package static let objectName = "week"
    package static let blank = RecordWeek(number: 0)

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("number", &number, .whole(0...12_001))
        try coder.field("count", &count, .counter)
        try coder.field("digest", &sum, .sum)
    }
}

/// A number as sixteen hexadecimal digits.
private struct SumFormat: TextFormat {
    typealias Value = UInt64

    var name: String { "id" }

    func value(of text: Span<UInt8>) -> UInt64? {
        RecordDigest(utf8: text).flatMap { UInt64($0.rawValue, radix: 16) }
    }

    func write(_ value: UInt64, to writer: inout JSONWriter) {
        writer.value((FNV.token(value) as RecordDigest).rawValue)
    }
}

extension Format where Self == SumFormat {
    fileprivate static var sum: Self { SumFormat() }
}
