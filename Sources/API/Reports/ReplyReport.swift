// SPDX-License-Identifier: Apache-2.0

package import Session
package import Wire

/// The outcome of a request. Every field is always there.
package struct ReplyReport: Hashable, Sendable, Described {
    /// The result of a press.
    package enum Outcome: String, CaseIterable, Sendable {
        case applied
        /// It had taken effect before.
        case duplicate
        /// There was nothing to change.
        case noop
        /// The owner refused it; ``ReplyReport/reason`` says why.
        case refused
        /// The owner did not answer in time; the intent may still take effect until it expires.
        case noAnswer
        case noSession
        /// The request is out of bounds; ``ReplyReport/field`` says where.
        case invalid
    }

    package var outcome: Outcome
    package var reason: String?
    package var by: Superseder?
    package var session: String?
    package var rev: Int?
    package var field: String?
    package var problem: ProblemReport?

    package init(_ error: RequestError) {
        outcome = .invalid
        field = error.field
        reason = error.message
    }

    package init(noSession reason: String) {
        outcome = .noSession
        self.reason = reason
    }

    /// Says that a session was added to the ledger.
    package init(added session: SessionID) {
        outcome = .applied
        self.session = session.rawValue
    }

    /// Describes a reply.
    /// - Parameter problem: Why the change is not saved, or not known to the other nodes.
    package init(_ reply: Reply, problem: ProblemReport? = nil) {
        outcome = Outcome(reply)
        self.problem = problem
        switch reply {
        case .answered(let answer):
            if case .refused(let refusal) = answer.outcome { reason = refusal.rawValue }
            by = answer.by
            session = answer.session.rawValue
            rev = answer.rev
        case .noAnswer(let id): session = id.rawValue
        case .noSession: break
        case .invalid(let name):
            field = name
            if name == "role" {
                reason =
                    "the role of this machine does not allow it: a display changes nothing, and a remote owns no session; "
                    + "use a machine that joined as a node"
            }
        }
    }

    package static let blank = ReplyReport(Reply.noSession)

    package mutating func describe<F: Form & ~Copyable>(to form: inout F) throws(F.Failure) {
        try form.field("outcome", &outcome, .word(), "The result of the request.")
        let refusals: StaticString =
            """
            The reason for a refusal (superseded, stalePhase, expired, notAllowed, invalid, busy), the error in the \
            request, or why nothing is left to go on with.
            """
        try form.field("reason", nullable: &reason, .string, refusals)
        try form.field("by", nullable: &by, .object(), "The later start, when refused as superseded.")
        try form.field("session", nullable: &session, .string, "The session of the request.")
        try form.field("rev", nullable: &rev, .whole(), "The owner's revision after it.")
        try form.field("field", nullable: &field, .string, "The invalid field of the request.")
        try form.field(
            "problem", nullable: &problem, .object(),
            "Why the applied change is not on disk, or not known to the other nodes.")
    }
}

extension ReplyReport.Outcome {
    package init(_ reply: Reply) {
        self =
            switch reply {
            case .answered(let answer): Self(answer.outcome)
            case .noAnswer: .noAnswer
            case .noSession: .noSession
            case .invalid: .invalid
            }
    }

    package init(_ outcome: Session.Outcome) {
        self =
            switch outcome {
            case .applied: .applied
            case .duplicate: .duplicate
            case .noop: .noop
            case .refused: .refused
            }
    }
}

/// Something that is wrong with a node and that a person can repair.
package struct ProblemReport: Hashable, Sendable, Described {
    /// The kind of a problem.
    package enum Kind: String, CaseIterable, Sendable {
        /// The state directory cannot be written: a crash loses the last changes, and other nodes do not receive them.
        case unsaved
        /// Another machine takes part in the space under the same id.
        case sameID
        /// The broker refuses messages of the session's size: other nodes do not receive it.
        case tooLarge
        /// The broker does not let the node publish a session: other nodes do not receive it.
        case notGranted
        /// No lock delays a suspend, so other nodes learn of the suspend late.
        case noSuspendLock
        /// Notifications or sounds are on, and the node's machine cannot show or play them.
        case noAlert
        /// Another node serves the plain topics, and this one would take over.
        case standsBy

        /// Whether every request still works.
        package var isMinor: Bool { self == .noSuspendLock || self == .noAlert || self == .standsBy }
    }

    package var kind: Kind
    package var text: String
    package var fix: String

    package init(_ kind: Kind, _ text: String, fix: String) {
        self.kind = kind
        self.text = text
        self.fix = fix
    }

    package static let blank = ProblemReport(.unsaved, "", fix: "")

    package mutating func describe<F: Form & ~Copyable>(to form: inout F) throws(F.Failure) {
        try form.field("kind", &kind, .word())
        try form.field("text", &text, .string, "The problem as a sentence.")
        try form.field("fix", &fix, .string, "How to repair it.")
    }
}
