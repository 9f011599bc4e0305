// SPDX-License-Identifier: Apache-2.0

public import Session

extension LedgerRecord: Described {
    package static let objectName = "record"

    /// Describes the fields that the digest covers.
    package mutating func describe<F: Form & ~Copyable>(to form: inout F) throws(F.Failure) {
        try form.field("id", &id, .id())
        try form.field("lineage", &lineage, .id(), absent: id)
        try form.field("continuedAt", optional: &continuedAt, .time)
        try form.field("node", &node, .node)
        try form.field("stamp", &stamp, .array())
        try form.field("epoch", &version.epoch, .counter)
        try form.field("rev", &version.rev, .counter)
        try form.field("title", &title, .textOrEmpty(Limits.titleBytes), absent: "")
        try form.field("icon", optional: &icon, .text(Limits.iconBytes))
        try form.field("label", optional: &label, .object())
        try form.field("mode", &mode, .word())
        try form.field("status", &status, .word())
        try form.field("startedAt", &startedAt, .time)
        try form.field("endsAt", optional: &endsAt, .time)
        try form.field("runs", &runs, [Run].format)
        try form.field("over", &over, .whole(Self.overBounds), unless: .zero)
        try form.field("approx", &isApproximate, .bool, unless: false)
    }

    package static let blank = LedgerRecord(
        id: .blank, lineage: .blank, node: .blank, stamp: Stamp(time: 0, counter: 0, node: .blank),
        version: Version(epoch: 0, rev: 0), title: "", mode: .countdown, status: .running, startedAt: 0, runs: [])
}

extension [LedgerRecord.Run] {
    fileprivate static let format: ListFormat<ObjectFormat<LedgerRecord.Run>> = .list(of: .array(), 0...Limits.runs)

    /// Reads runs from the JSON of a store. ``LedgerRecord/invalidField`` checks whether they fit the record.
    public init(json: [UInt8]) throws(Rejection) { self = try Self.format.value(of: json) }

    /// Returns the runs as `[["focus",from,to],…]`.
    public func json() -> [UInt8] { Self.format.json(self) }
}

extension LedgerRecord.Run: Described {
    package static let objectName = "recorded run"
    package static let blank = LedgerRecord.Run(kind: .focus, from: 0)

    package mutating func describe<F: Form & ~Copyable>(to form: inout F) throws(F.Failure) {
        try form.field("kind", &kind, .word())
        try form.field("from", &from, .time)
        try form.field("to", optional: &to, .time)
    }
}
