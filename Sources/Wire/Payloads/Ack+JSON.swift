// SPDX-License-Identifier: Apache-2.0

import Session

extension Ack {
    /// Reads an answer or an objection; `nil` for a kind of a later version.
    static func read(payload: [UInt8]) throws(Rejection) -> Ack? {
        // The kind decides on the other fields, and may be anywhere in the object.
        switch try AckKind.fields.read(payload: payload).kind {
        case AnswerFields.kind: return .answer(try AnswerFields.fields.read(payload: payload).checked())
        case Fork.kind:
            let fork = try Fork.fields.read(payload: payload)
            return .fork(node: fork.node, version: fork.version)
        case ClockObjection.kind:
            let objection = try ClockObjection.fields.read(payload: payload)
            return .clock(node: objection.node, session: objection.session, at: objection.at)
        default: return nil
        }
    }

    /// The ack as it is sent.
    func json() -> [UInt8] {
        switch self {
        case .answer(let answer): AnswerFields.fields.payload(AnswerFields(answer))
        case .fork(let node, let version): Fork.fields.payload(Fork(node: node, version: version))
        case .clock(let node, let session, let at):
            ClockObjection.fields.payload(ClockObjection(node: node, session: session, at: at))
        }
    }
}

/// The field that every ack has.
struct AckKind {
    var kind = ""

    static let fields = Fields("ack", blank: AckKind()) {
        Field("kind", \.kind, .string)
    }
}

/// An answer as it is written: the outcome apart from its reason.
struct AnswerFields {
    static let kind = "intent"

    enum OutcomeName: String, CaseIterable {
        case applied, duplicate, noop, refused
    }

    /// The answer without its outcome.
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
    func checked() throws(Rejection) -> Answer {
        var answer = answer
        switch outcome {
        case .applied: answer.outcome = .applied
        case .duplicate: answer.outcome = .duplicate
        case .noop: answer.outcome = .noop
        case .refused:
            guard let reason else { throw Rejection(.malformed, "a refusal needs a reason").within("reason") }
            answer.outcome = .refused(reason)
        }
        return answer
    }

    static let fields = Fields("answer", blank: AnswerFields(blank)) {
        Field("kind", kind: kind)
        Field("id", \.answer.intent, .id())
        Field("outcome", \.outcome, .word)
        Field("reason", optional: \.reason, .word)
        Field("session", \.answer.session, .id())
        Field("rev", \.answer.rev, .counter)
        Field("by", optional: \.answer.by, .object(Superseder.fields))
    }

    private static let blank = Answer(intent: .blank, outcome: .applied, session: .blank, rev: 0)
}

/// The objection that two registers of a node have one version.
struct Fork {
    static let kind = "fork"
    var node: NodeID
    var version: Version

    static let fields = Fields("fork", blank: Fork(node: .blank, version: Version(epoch: 0, rev: 0))) {
        Field("kind", kind: kind)
        Field("node", \.node, .node)
        Field("epoch", \.version.epoch, .counter)
        Field("rev", \.version.rev, .counter)
    }
}

/// The objection that the stamp of a node's session is not admitted.
struct ClockObjection {
    static let kind = "clock"
    var node: NodeID
    var session: SessionID
    var at: Int64

    static let fields = Fields("stamp objection", blank: ClockObjection(node: .blank, session: .blank, at: 0)) {
        Field("kind", kind: kind)
        Field("node", \.node, .node)
        Field("session", \.session, .id())
        Field("at", \.at, .time)
    }
}
