// SPDX-License-Identifier: Apache-2.0

import Session

extension Ack {
    /// Reads an answer or an objection; `nil` for a kind of a later version.
    static func read(payload: [UInt8]) throws(PayloadError) -> Ack? {
        // The kind decides on the other fields, and may be anywhere in the object.
        let payload = try JSONReader(payload)
        switch try (payload.value(.payload()) as AckKind).kind {
        case AnswerFields.kind: return .answer(try (payload.value(.payload()) as AnswerFields).checked())
        case Fork.kind:
            let fork: Fork = try payload.value(.payload())
            return .fork(node: fork.node, version: fork.version)
        case ClockObjection.kind:
            let objection: ClockObjection = try payload.value(.payload())
            return .clock(node: objection.node, session: objection.session, at: objection.at)
        default: return nil
        }
    }

    func json() -> [UInt8] {
        switch self {
        case .answer(let answer): AnswerFields(answer).payload
        case .fork(let node, let version): Fork(node: node, version: version).payload
        case .clock(let node, let session, let at):
            ClockObjection(node: node, session: session, at: at).payload
        }
    }
}

/// The first field, which says how to read the rest.
struct AckKind: Described {
    var kind = ""

    package static let blank = AckKind()

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("kind", &kind, .string)
    }
}

/// An answer as it is written: the outcome apart from its reason.
struct AnswerFields: Described {
    static let kind = "intent"

    /// The word of an outcome on the wire.
    enum OutcomeName: String, CaseIterable {
        case applied, duplicate, noop, refused
    }

    var answer: Answer
    var outcome = OutcomeName.applied
    var reason: Refusal?

    init(_ answer: Answer) {
        self.answer = answer
        switch answer.outcome {
        case .applied: outcome = .applied
        case .duplicate: outcome = .duplicate
        case .noop: outcome = .noop
        case .refused(let refusal): (outcome, reason) = (.refused, refusal)
        }
    }

    /// Returns the answer with its outcome; throws for a refusal without a reason.
    func checked() throws(PayloadError) -> Answer {
        var answer = answer
        switch outcome {
        case .applied: answer.outcome = .applied
        case .duplicate: answer.outcome = .duplicate
        case .noop: answer.outcome = .noop
        case .refused:
            guard let reason else { throw PayloadError(.malformed, "a refusal needs a reason").within("reason") }
            answer.outcome = .refused(reason)
        }
        return answer
    }

    package static let blank = AnswerFields(Answer(intent: .blank, outcome: .applied, session: .blank, rev: 0))

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("kind", kind: Self.kind)
        try coder.field("id", &answer.intent, .id())
        try coder.field("outcome", &outcome, .word())
        try coder.field("reason", optional: &reason, .word())
        try coder.field("session", &answer.session, .id())
        try coder.field("rev", &answer.rev, .counter)
        try coder.field("by", optional: &answer.by, .object())
    }
}

/// The objection that two registers of a node have one version.
struct Fork: Described {
    static let kind = "fork"
    var node: NodeID
    var version: Version

    package static let blank = Fork(node: .blank, version: Version(epoch: 0, rev: 0))

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("kind", kind: Self.kind)
        try coder.field("node", &node, .node)
        try coder.field("epoch", &version.epoch, .counter)
        try coder.field("rev", &version.rev, .counter)
    }
}

/// The objection that the stamp of a node's session is not admitted.
struct ClockObjection: Described {
    static let kind = "clock"
    var node: NodeID
    var session: SessionID
    var at: GroupTime

    package static let objectName = "stamp objection"
    package static let blank = ClockObjection(node: .blank, session: .blank, at: 0)

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("kind", kind: Self.kind)
        try coder.field("node", &node, .node)
        try coder.field("session", &session, .id())
        try coder.field("at", &at, .time)
    }
}
