// SPDX-License-Identifier: Apache-2.0

public import Session

/// The type of a ``RecordDigest``.
public enum RecordDigestKind {}
/// Distinguishes two records of one version; opaque to readers.
public typealias RecordDigest = Token<RecordDigestKind>

/// A ledger record with its digest, as it is sent, stored and acknowledged.
public struct DigestedRecord: Hashable, Sendable {
    /// The record.
    public var record: LedgerRecord
    /// Its digest, made by its writer.
    public var digest: RecordDigest

    /// Its name in an acknowledgement.
    public var name: RecordName { RecordName(id: record.id, version: record.version, digest: digest) }

    /// Computes the digest. The fields must be valid, as the engine's are.
    public init(_ record: LedgerRecord) {
        self.record = record
        digest = FNV.digest(of: LedgerRecord.fields.payload(record).span)
    }

    /// Reads a record from a payload or a file.
    /// - Throws: ``Rejection`` when the bytes are not a record of this version, or it is out of bounds.
    public init(json: [UInt8]) throws(Rejection) {
        self = try Self.fields.read(payload: json)
    }

    /// Returns the record as it is sent, and as it is stored in a file.
    public func json() -> [UInt8] { Self.fields.payload(self) }

    static let fields = Fields(
        "record", blank: DigestedRecord(.blank), author: \.record.node, invalidField: \.record.invalidField
    ) {
        LedgerRecord.fields.within(\.record)
        // Not part of the digest, so that a record of an earlier version keeps its name.
        Field("continuedFrom", optional: \.record.continuedFrom, .node)
        Field("digest", \.digest, .id())
    }
}

/// Identifies one version of a record.
public struct RecordName: Hashable, Sendable {
    /// The session.
    public var id: SessionID
    /// The version of its record.
    public var version: Version
    /// The record's digest.
    public var digest: RecordDigest

    /// Creates a name.
    public init(id: SessionID, version: Version, digest: RecordDigest) {
        self.id = id
        self.version = version
        self.digest = digest
    }

    /// Reads the name of an invalid record, so that its node gets an answer.
    ///
    /// It is `nil` if the record has no valid name.
    public init?(ofRejected json: [UInt8]) {
        var reader = JSONReader(json)
        do throws(Rejection) {
            self = try Self.fields.read(&reader)
        } catch {
            return nil
        }
    }

    static let fields = Fields("record's name", blank: RecordName.blank) {
        Field("id", \.id, .id())
        Field("epoch", \.version.epoch, .counter)
        Field("rev", \.version.rev, .counter)
        Field("digest", \.digest, .id())
    }

    static let blank = RecordName(id: .blank, version: Version(epoch: 0, rev: 0), digest: .blank)
}

extension SessionID {
    /// Creates an id for content without one, always the same for the same content.
    /// - Parameters:
    ///   - source: The origin: 1 to 19 characters of the grammar of ids; with any other source the result is `nil`.
    ///   - content: A text that is unique within the source.
    public init?(source: String, content: String) {
        let digest: SessionID = FNV.digest(of: content.utf8.span)
        self.init("\(source)-\(digest)")
    }
}

extension FNV {
    static func digest<Kind>(of bytes: Span<UInt8>) -> Token<Kind> { token(hash(bytes)) }

    /// Sixteen hexadecimal digits.
    static func token<Kind>(_ value: UInt64) -> Token<Kind> {
        let digits = String(value, radix: 16)
        let padded = String(repeating: "0", count: 16 - digits.count) + digits
        return Token(padded) ?? { preconditionFailure("hexadecimal digits are an id") }()
    }
}

extension LedgerRecord {
    /// The fields that the digest covers.
    fileprivate static let fields = Fields("record", blank: blank) {
        Field("id", \.id, .id())
        Field("lineage", \.lineage, .id(), absent: \.id)
        Field("continuedAt", optional: \.continuedAt, .time)
        Field("node", \.node, .node)
        Field("stamp", \.stamp, .array(Stamp.fields))
        Field("epoch", \.version.epoch, .counter)
        Field("rev", \.version.rev, .counter)
        Field("title", \.title, .textOrEmpty(Limits.titleBytes), absent: { _ in "" })
        Field("icon", optional: \.icon, .text(Limits.iconBytes))
        Field("label", optional: \.label, .object(Label.fields))
        Field("mode", \.mode, .word)
        Field("status", \.status, .word)
        Field("startedAt", \.startedAt, .time)
        Field("endsAt", optional: \.endsAt, .time)
        Field("runs", \.runs, [Run].format)
        Field("approx", \.isApproximate, .bool, unless: false)
    }

    fileprivate static let blank = LedgerRecord(
        id: .blank, lineage: .blank, node: .blank, stamp: Stamp(time: 0, counter: 0, node: .blank),
        version: Version(epoch: 0, rev: 0), title: "", mode: .countdown, status: .running, startedAt: 0, runs: [])
}

extension [LedgerRecord.Run] {
    fileprivate static let format = Format<Self>.list(of: .array(LedgerRecord.Run.fields), 0...Limits.runs)

    /// Reads runs from the JSON of a store.
    /// - Throws: ``Rejection`` for invalid JSON; ``LedgerRecord/invalidField`` checks whether they fit the record.
    public init(json: [UInt8]) throws(Rejection) {
        var reader = JSONReader(json)
        self = try Self.format.read(&reader)
        try reader.end()
    }

    /// Returns the runs as `[["focus",from,to],…]`.
    public func json() -> [UInt8] {
        var writer = JSONWriter()
        Self.format.write(self, &writer)
        return writer.bytes
    }
}

extension LedgerRecord.Run {
    fileprivate static let fields = Fields("recorded run", blank: LedgerRecord.Run(kind: .focus, from: 0)) {
        Field("kind", \.kind, .word)
        Field("from", \.from, .time)
        Field("to", optional: \.to, .time)
    }
}

extension WireCodec {
    /// Encodes a ledger record of this node.
    public func encode(_ digested: DigestedRecord) -> Outgoing { outgoing(.record(me), digested.json()) }
}
