// SPDX-License-Identifier: Apache-2.0

import Session

extension Ack {
    /// Reads an answer or an objection; `nil` for a kind that later programs may have.
    static func read(from reader: inout JSONReader) throws(Rejection) -> Ack? {
        // The kind decides what the other fields are, and may stand anywhere.
        var ahead = reader
        switch try kind(reader: &ahead) {
        case "intent": return .answer(try Answer(reader: &reader))
        case "fork": return try objection(reader: &reader, isFork: true)
        case "clock": return try objection(reader: &reader, isFork: false)
        default:
            reader = ahead
            return nil
        }
    }

    private static func kind(reader: inout JSONReader) throws(Rejection) -> String {
        var version: Int64?
        var kind: String?
        var fields = try reader.object()
        while let key = try reader.key(&fields) {
            switch key {
            case "v": version = try reader.integer()
            case "kind": kind = try reader.string()
            default: try reader.skip()
            }
        }
        try ProtocolVersion.check(version)
        return try need(kind, "kind")
    }

    private static func objection(reader: inout JSONReader, isFork: Bool) throws(Rejection) -> Ack {
        var node: NodeID?
        var epoch: Int?
        var rev: Int?
        var session: SessionID?
        var at: Int64?
        var fields = try reader.object()
        while let key = try reader.key(&fields) {
            switch key {
            case "node": node = try reader.node()
            case "epoch" where isFork: epoch = try reader.int(in: Limits.counter, "epoch")
            case "rev" where isFork: rev = try reader.int(in: Limits.counter, "rev")
            case "session" where !isFork: session = try reader.token()
            case "at" where !isFork: at = try reader.integer(in: Limits.time, "at")
            default: try reader.skip()
            }
        }
        let subject = try need(node, "node")
        if isFork {
            return .fork(node: subject, version: Version(epoch: try need(epoch, "epoch"), rev: try need(rev, "rev")))
        }
        return .clock(node: subject, session: try need(session, "session"), at: try need(at, "at"))
    }

    func writeFields(to writer: inout JSONWriter) {
        switch self {
        case .answer(let answer):
            writer.field("kind", "intent")
            answer.writeFields(to: &writer)
        case .fork(let node, let version):
            writer.field("kind", "fork")
            writer.field("node", node.rawValue)
            writer.field("epoch", version.epoch)
            writer.field("rev", version.rev)
        case .clock(let node, let session, let at):
            writer.field("kind", "clock")
            writer.field("node", node.rawValue)
            writer.field("session", session)
            writer.field("at", at)
        }
    }
}

extension Answer {
    fileprivate init(reader: inout JSONReader) throws(Rejection) {
        var id: IntentID?
        var outcome: String?
        var reason: Refusal?
        var session: SessionID?
        var rev: Int?
        var by: Superseder?
        var fields = try reader.object()
        while let key = try reader.key(&fields) {
            switch key {
            case "id": id = try reader.token()
            case "outcome": outcome = try reader.string()
            case "reason": reason = try reader.null() ? nil : reader.word()
            case "session": session = try reader.token()
            case "rev": rev = try reader.int(in: Limits.counter, "rev")
            case "by": by = try reader.null() ? nil : Superseder(reader: &reader)
            default: try reader.skip()
            }
        }
        self.init(
            intent: try need(id, "id"), outcome: try Outcome(name: try need(outcome, "outcome"), reason: reason),
            session: try need(session, "session"), rev: try need(rev, "rev"), by: by)
    }

    fileprivate func writeFields(to writer: inout JSONWriter) {
        writer.field("id", intent)
        writer.field("outcome", outcome.name)
        if case .refused(let reason) = outcome { writer.field("reason", reason.rawValue) }
        writer.field("session", session)
        writer.field("rev", rev)
        if let by { writer.field("by") { by.writeFields(to: &$0) } }
    }
}

extension Outcome {
    fileprivate init(name: String, reason: Refusal?) throws(Rejection) {
        switch name {
        case Outcome.applied.name: self = .applied
        case Outcome.duplicate.name: self = .duplicate
        case Outcome.noop.name: self = .noop
        case "refused": self = .refused(try need(reason, "reason"))
        default: throw Rejection(.outOfBounds, "“\(name)” is no outcome")
        }
    }
}
