// SPDX-License-Identifier: Apache-2.0

public import Session

/// Distinguishes the digest of a record from other tokens.
public enum RecordDigestKind {}
/// Distinguishes two records of one version; opaque to readers.
public typealias RecordDigest = Token<RecordDigestKind>

/// A ledger record with its digest and its bytes, as it is sent, stored and acknowledged.
public struct DigestedRecord: Hashable, Sendable {
    public let record: LedgerRecord
    /// Made by the record's writer.
    public let digest: RecordDigest
    /// The record as its node wrote it: it is sent, and stored in files and in the ledger.
    public let json: [UInt8]

    /// The name in an acknowledgement.
    public var name: RecordName { RecordName(id: record.id, version: record.version, digest: digest) }

    /// Writes a record, and computes its digest. The fields must be valid, as the engine's are.
    public init(_ record: LedgerRecord) {
        var json = record.payload
        let digest: RecordDigest = FNV.digest(of: json.span)
        let rest = ObjectFormat(shape: .object).json(Rest(continuedFrom: record.continuedFrom, digest: digest))
        // The two objects become one.
        json[json.count - 1] = UInt8(ascii: ",")
        json += rest.dropFirst()
        (self.record, self.digest, self.json) = (record, digest, json)
    }

    /// Reads a record from a payload. `sender` is the node of its topic; `nil` for a file.
    public init(json: [UInt8], by sender: NodeID? = nil) throws(PayloadError) {
        var fields = try Fields(payload: json, by: sender)
        fields.record.continuedFrom = fields.rest.continuedFrom
        (record, digest, self.json) = (fields.record, fields.rest.digest, json)
    }

    /// A record and its digest as the fields of one object.
    package struct Fields: Described {
        fileprivate var record: LedgerRecord
        fileprivate var rest: Rest

        package static let objectName = "record"
        package static let blank = Fields(record: .blank, rest: .blank)
        package var author: NodeID? { record.node }
        package var contradiction: String? { record.contradiction }

        package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
            try record.describe(to: &coder)
            try rest.describe(to: &coder)
        }
    }

    /// The fields that the digest does not cover, so that a record of an earlier version keeps its name.
    fileprivate struct Rest: Described {
        var continuedFrom: NodeID?
        var digest: RecordDigest

        static let blank = Rest(digest: .blank)

        mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
            try coder.field("continuedFrom", optional: &continuedFrom, .node)
            try coder.field("digest", &digest, .id())
        }
    }
}

/// Identifies one version of a record.
public struct RecordName: Hashable, Sendable, Described {
    public var id: SessionID
    public var version: Version
    public var digest: RecordDigest

    public init(id: SessionID, version: Version, digest: RecordDigest) {
        self.id = id
        self.version = version
        self.digest = digest
    }

    /// Reads the name of an invalid record, so that its node gets an answer; `nil` if that is invalid too.
    public init?(ofRejected json: [UInt8]) {
        do throws(PayloadError) {
            self = try JSONReader(json).value(.object())
        } catch {
            return nil
        }
    }

    package static let objectName = "record's name"

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("id", &id, .id())
        try coder.field("epoch", &version.epoch, .counter)
        try coder.field("rev", &version.rev, .counter)
        try coder.field("digest", &digest, .id())
    }

    package static let blank = RecordName(id: .blank, version: Version(epoch: 0, rev: 0), digest: .blank)
}

extension FNV {
    static func digest<Kind>(of bytes: Span<UInt8>) -> Token<Kind> { token(hash(bytes)) }

    static func token<Kind>(_ value: UInt64) -> Token<Kind> {
        Token(value.padded(to: 16, radix: 16)) ?? { preconditionFailure("hexadecimal digits are an id") }()
    }
}
