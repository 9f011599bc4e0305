// SPDX-License-Identifier: Apache-2.0

public import Session

/// What a ``RecordDigest`` names.
public enum RecordDigestKind {}
/// Tells two records of one version apart; opaque to who reads it.
public typealias RecordDigest = Token<RecordDigestKind>

/// A ledger record as it is sent, kept and acknowledged: with its digest.
public struct FiledRecord: Hashable, Sendable {
    /// The record.
    public var record: LedgerRecord
    /// Its digest, made by its writer.
    public var digest: RecordDigest

    /// What names it in an acknowledgement.
    public var name: RecordName { RecordName(id: record.id, version: record.version, digest: digest) }

    /// Makes the digest. The fields must be valid, as those of the engine are.
    public init(_ record: LedgerRecord) {
        self.record = record
        digest = FNV.digest(of: JSONWriter.payload(capacity: 512) { record.writeFields(to: &$0) })
    }

    /// Reads a record from a payload or a file.
    /// - Throws: ``Rejection`` when the bytes are not a record of this version, or it is out of bounds.
    public init(json: [UInt8]) throws(Rejection) {
        self = try ProtocolVersion.document(json) { reader throws(Rejection) in try FiledRecord(reader: &reader) }
    }

    /// The record as it is sent, and as it lies in a file.
    public func json() -> [UInt8] {
        JSONWriter.payload(capacity: 640) {
            record.writeFields(to: &$0)
            // Not part of the digest, so that a record of an earlier version keeps its name.
            if let node = record.continuedFrom { $0.field("continuedFrom", node.rawValue) }
            $0.field("digest", digest)
        }
    }

    /// - Parameter sender: The node that has sent it; `nil` for a record from a file.
    init(reader: inout JSONReader, from sender: NodeID? = nil) throws(Rejection) {
        var version: Int64?
        var digest: RecordDigest?
        let record = try LedgerRecord(reader: &reader, version: &version, digest: &digest)
        try ProtocolVersion.check(version)
        self.record = record
        self.digest = try need(digest, "digest")
        if let sender, record.node != sender { throw Rejection(.wrongSender, "node is \(record.node)") }
        if let flaw = record.flaw { throw Rejection(.outOfBounds, "\(flaw) does not fit") }
    }
}

/// Names one version of a record.
public struct RecordName: Hashable, Sendable {
    /// The session.
    public var id: SessionID
    /// The version of its record.
    public var version: Version
    /// The digest that goes with it.
    public var digest: RecordDigest

    /// Makes a name.
    public init(id: SessionID, version: Version, digest: RecordDigest) {
        self.id = id
        self.version = version
        self.digest = digest
    }

    /// What can be read of the name of a record that is no good otherwise, so that its node gets an answer.
    public init?(ofRejected json: [UInt8]) {
        var reader = JSONReader(json)
        do throws(Rejection) {
            self = try RecordName(fields: &reader) { (_, reader) throws(Rejection) in try reader.skip() }
        } catch {
            return nil
        }
    }

    init(
        fields reader: inout JSONReader, other: (JSONKey, inout JSONReader) throws(Rejection) -> Void
    ) throws(Rejection) {
        var id: SessionID?
        var epoch: Int?
        var rev: Int?
        var digest: RecordDigest?
        var fields = try reader.object()
        while let key = try reader.key(&fields) {
            switch key {
            case "id": id = try reader.token()
            case "epoch": epoch = try reader.int(in: Limits.counter, "epoch")
            case "rev": rev = try reader.int(in: Limits.counter, "rev")
            case "digest": digest = try reader.token()
            default: try other(key, &reader)
            }
        }
        self.init(
            id: try need(id, "id"), version: Version(epoch: try need(epoch, "epoch"), rev: try need(rev, "rev")),
            digest: try need(digest, "digest"))
    }

    func writeFields(to writer: inout JSONWriter) {
        writer.field("id", id)
        writer.field("epoch", version.epoch)
        writer.field("rev", version.rev)
        writer.field("digest", digest)
    }
}

extension SessionID {
    /// An id of something that has none, the same whenever it is met again.
    /// - Parameters:
    ///   - source: Where it comes from: up to 19 characters of the grammar of ids.
    ///   - content: What tells it from all others of that source.
    public init?(source: String, content: String) {
        let digest: SessionID = FNV.digest(of: content.utf8)
        self.init("\(source)-\(digest)")
    }
}

/// FNV-1a with 64 bits: tells apart what nobody has made to look alike.
enum FNV {
    static func hash(_ bytes: some Sequence<UInt8>, from start: UInt64 = 0xCBF2_9CE4_8422_2325) -> UInt64 {
        bytes.reduce(start) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    static func digest<Kind>(of bytes: some Sequence<UInt8>) -> Token<Kind> { token(hash(bytes)) }

    /// Sixteen hexadecimal digits.
    static func token<Kind>(_ value: UInt64) -> Token<Kind> {
        let digits = String(value, radix: 16)
        let padded = String(repeating: "0", count: 16 - digits.count) + digits
        return Token(padded) ?? { preconditionFailure("hexadecimal digits are an id") }()
    }
}

extension LedgerRecord {
    fileprivate init(
        reader: inout JSONReader, version: inout Int64?, digest: inout RecordDigest?
    ) throws(Rejection) {
        var id: SessionID?
        var lineage: SessionID?
        var continuedAt: Int64?
        var continuedFrom: NodeID?
        var node: NodeID?
        var stamp: Stamp?
        var epoch: Int?
        var rev: Int?
        var title = ""
        var icon: String?
        var label: Label?
        var mode: Mode?
        var status: Status?
        var startedAt: Int64?
        var endsAt: Int64?
        var runs: [Run]?
        var isApproximate = false
        var fields = try reader.object()
        while let key = try reader.key(&fields) {
            switch key {
            case "v": version = try reader.integer()
            case "id": id = try reader.token()
            case "lineage": lineage = try reader.null() ? nil : reader.token()
            case "continuedAt": continuedAt = try reader.null() ? nil : reader.integer()
            case "continuedFrom": continuedFrom = try reader.null() ? nil : reader.node()
            case "node": node = try reader.node()
            case "stamp": stamp = try Stamp(reader: &reader)
            case "epoch": epoch = try reader.int()
            case "rev": rev = try reader.int()
            case "title": title = try reader.null() ? "" : reader.string()
            case "icon": icon = try reader.null() ? nil : reader.string()
            case "label": label = try reader.null() ? nil : Label(reader: &reader)
            case "mode": mode = try reader.word()
            case "status": status = try reader.word()
            case "startedAt": startedAt = try reader.integer()
            case "endsAt": endsAt = try reader.null() ? nil : reader.integer()
            case "runs": runs = try [Run](reader: &reader)
            case "approx": isApproximate = try reader.null() ? false : reader.bool()
            case "digest": digest = try reader.token()
            default: try reader.skip()
            }
        }
        let session = try need(id, "id")
        self.init(
            id: session, lineage: lineage ?? session, continuedAt: continuedAt, continuedFrom: continuedFrom,
            node: try need(node, "node"), stamp: try need(stamp, "stamp"),
            version: Version(epoch: try need(epoch, "epoch"), rev: try need(rev, "rev")), title: title, icon: icon,
            label: label, mode: try need(mode, "mode"), status: try need(status, "status"),
            startedAt: try need(startedAt, "startedAt"), endsAt: endsAt, runs: try need(runs, "runs"),
            isApproximate: isApproximate)
    }

    fileprivate func writeFields(to writer: inout JSONWriter) {
        writer.field("id", id)
        writer.field("lineage", lineage)
        if let continuedAt { writer.field("continuedAt", continuedAt) }
        writer.field("node", node.rawValue)
        writer.list("stamp") {
            $0.value(stamp.time)
            $0.value(stamp.counter)
            $0.value(stamp.node.rawValue)
        }
        writer.field("epoch", version.epoch)
        writer.field("rev", version.rev)
        writer.field("title", title)
        if let icon { writer.field("icon", icon) }
        if let label { writer.field("label") { label.writeFields(to: &$0) } }
        writer.field("mode", mode.rawValue)
        writer.field("status", status.rawValue)
        writer.field("startedAt", startedAt)
        if let endsAt { writer.field("endsAt", endsAt) }
        writer.key("runs")
        runs.write(to: &writer)
        if isApproximate { writer.field("approx", true) }
    }
}

extension [LedgerRecord.Run] {
    /// Reads runs from the JSON of a store.
    /// - Throws: ``Rejection`` for anything else; whether they fit is for ``LedgerRecord/flaw`` to say.
    public init(json: [UInt8]) throws(Rejection) {
        var reader = JSONReader(json)
        try self.init(reader: &reader)
        try reader.end()
    }

    /// As `[["focus",from,to],…]`.
    public func json() -> [UInt8] {
        var writer = JSONWriter(capacity: 48 * count + 2)
        write(to: &writer)
        return writer.bytes
    }

    init(reader: inout JSONReader) throws(Rejection) {
        self.init()
        var items = try reader.array()
        while try reader.element(&items) { append(try LedgerRecord.Run(reader: &reader)) }
    }

    func write(to writer: inout JSONWriter) {
        writer.array { writer in
            for run in self {
                writer.array {
                    $0.value(run.kind.rawValue)
                    $0.value(run.from)
                    if let to = run.to { $0.value(to) } else { $0.null() }
                }
            }
        }
    }
}

extension LedgerRecord.Run {
    init(reader: inout JSONReader) throws(Rejection) {
        var items = try reader.array()
        try reader.needElement(&items)
        let kind: PhaseKind = try reader.word()
        try reader.needElement(&items)
        let from = try reader.integer()
        try reader.needElement(&items)
        let to = try reader.null() ? nil : reader.integer()
        try reader.needEnd(&items)
        self.init(kind: kind, from: from, to: to)
    }
}

extension WireCodec {
    /// What to publish for a ledger record of this node.
    public func encode(_ filed: FiledRecord) -> Outgoing {
        Outgoing(topic: topics.name(of: .record(me)), payload: filed.json(), retain: false, qos: 1)
    }
}
