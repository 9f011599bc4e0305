// SPDX-License-Identifier: Apache-2.0

public import Session

extension LedgerRecord: Described {
    package static let objectName = "record"

    /// Describes the fields that the digest covers.
    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("id", &id, .id())
        try coder.field("lineage", &lineage, .id(), absent: id)
        try coder.field("continuedAt", optional: &continuedAt, .time)
        try coder.field("node", &node, .node)
        try coder.field("stamp", &stamp, .array())
        try coder.field("epoch", &version.epoch, .counter)
        try coder.field("rev", &version.rev, .counter)
        try coder.field("title", &title, .textOrEmpty(Limits.titleBytes), absent: "")
        try coder.field("icon", optional: &icon, .text(Limits.iconBytes))
        try coder.field("label", optional: &label, .object())
        try coder.field("mode", &mode, .word())
        try coder.field("status", &status, .word())
        try coder.field("startedAt", &startedAt, .time)
        try coder.field("endsAt", optional: &endsAt, .time)
        try coder.field("runs", &runs, [Run].format)
        try coder.field("over", &over, .whole(Self.overBounds), unless: .zero)
        try coder.field("approx", &isApproximate, .bool, unless: false)
    }

    package static let blank = LedgerRecord(
        id: .blank, lineage: .blank, node: .blank, stamp: Stamp(time: 0, counter: 0, node: .blank),
        version: Version(epoch: 0, rev: 0), title: "", mode: .countdown, status: .running, startedAt: 0, runs: [])
}

extension [LedgerRecord.Run] {
    fileprivate static let format: ListFormat<ObjectFormat<LedgerRecord.Run>> = .list(of: .array(), 0...Limits.runs)

    /// Reads runs from the JSON of a store. ``LedgerRecord/invalidField`` checks whether they fit the record.
    public init(json: [UInt8]) throws(PayloadError) { self = try Self.format.value(of: json) }

    /// Returns the runs as `[["focus",from,to],…]`.
    public func json() -> [UInt8] { Self.format.json(self) }
}

extension LedgerRecord.Run: Described {
    package static let objectName = "recorded run"
    package static let blank = LedgerRecord.Run(kind: .focus, from: 0)

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("kind", &kind, .word())
        try coder.field("from", &from, .time)
        try coder.field("to", optional: &to, .time)
    }
}
