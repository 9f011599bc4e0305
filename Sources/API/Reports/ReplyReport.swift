// SPDX-License-Identifier: Apache-2.0

package import Session
package import Wire

/// The outcome of a request. In JSON every field is there, perhaps as `null`.
package struct ReplyReport: Hashable, Sendable, Described {
    /// The result of a request.
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
        /// The request was not carried out for another reason, which ``ReplyReport/reason`` says.
        case failed
    }

    package var outcome: Outcome
    package var reason: String?
    package var by: Superseder?
    package var session: String?
    package var rev: Int?
    package var field: String?
    package var problem: ProblemReport?

    package init(_ error: RequestError, outcome: Outcome = .invalid) {
        self.outcome = outcome
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
        case .invalid(let name): field = name
        case .notPermitted:
            field = "role"
            reason =
                "the role of this machine does not allow it: a display changes nothing, and a remote owns no session; "
                + "use a machine that joined as a node"
        }
    }

    package static let blank = ReplyReport(Reply.noSession)

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("outcome", &outcome, .word(), "The result of the request.")
        let refusals: StaticString =
            """
            The reason for a refusal (superseded, stalePhase, expired, notAllowed, invalid, busy), the error in the \
            request, why it failed, or why nothing is left to go on with.
            """
        try coder.field("reason", nullable: &reason, .string, refusals)
        try coder.field("by", nullable: &by, .object(), "The later start, when refused as superseded.")
        try coder.field("session", nullable: &session, .string, "The session of the request.")
        try coder.field("rev", nullable: &rev, .whole(), "The owner's revision after it.")
        try coder.field("field", nullable: &field, .string, "The invalid field of the request.")
        try coder.field(
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
            case .invalid, .notPermitted: .invalid
            }
    }

    package init(_ outcome: IntentOutcome) {
        self =
            switch outcome {
            case .applied: .applied
            case .duplicate: .duplicate
            case .noop: .noop
            case .refused: .refused
            }
    }
}
