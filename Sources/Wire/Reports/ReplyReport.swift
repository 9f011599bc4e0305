// SPDX-License-Identifier: Apache-2.0

public import Session

/// What a request came to, as JSON. Every field is always there.
public struct ReplyReport: Codable, Hashable, Sendable {
    /// What became of a request.
    public enum Outcome: String, Codable, CaseIterable, Sendable {
        /// It took effect.
        case applied
        /// It had taken effect before.
        case duplicate
        /// The session was already so.
        case noop
        /// The owner refused it; ``ReplyReport/reason`` says why.
        case refused
        /// The owner did not answer in time; the intent may still take effect until it expires.
        case noAnswer
        /// There is no live session.
        case noSession
        /// The request is out of bounds; ``ReplyReport/field`` says where.
        case invalid
    }

    /// What became of the request.
    public var outcome: Outcome
    /// Why it was refused: superseded, stalePhase, expired, notAllowed, invalid or busy; or what is wrong with it.
    @Nullable public var reason: String?
    /// The later start, when refused as superseded.
    @Nullable public var by: SupersederReport?
    /// The session that was asked.
    @Nullable public var session: String?
    /// The owner's revision after it.
    @Nullable public var rev: Int?
    /// The field that is out of bounds.
    @Nullable public var field: String?
    /// Why what was applied on this node is not safe, or not known to the others.
    @Nullable public var problem: ProblemReport?

    /// A request that could not be understood.
    public init(_ error: RequestError) {
        outcome = .invalid
        field = error.field
        reason = error.message
        by = nil
        session = nil
        rev = nil
        problem = nil
    }

    /// What a reply says.
    /// - Parameter problem: Why what it says is not safe, or not known to the others.
    public init(_ reply: Reply, problem: ProblemReport? = nil) {
        outcome = Outcome(reply)
        reason = nil
        by = nil
        session = nil
        rev = nil
        field = nil
        self.problem = problem
        switch reply {
        case .answered(let answer):
            if case .refused(let refusal) = answer.outcome { reason = refusal.rawValue }
            by = answer.by.map(SupersederReport.init)
            session = answer.session.rawValue
            rev = answer.rev
        case .noAnswer(let asked):
            session = asked.rawValue
        case .noSession: break
        case .invalid(let name): field = name
        }
    }
}

extension ReplyReport.Outcome {
    /// What a reply comes to.
    public init(_ reply: Reply) {
        self =
            switch reply {
            case .answered(let answer): Self(answer.outcome)
            case .noAnswer: .noAnswer
            case .noSession: .noSession
            case .invalid: .invalid
            }
    }

    /// What an owner's answer comes to.
    public init(_ outcome: Session.Outcome) {
        self =
            switch outcome {
            case .applied: .applied
            case .duplicate: .duplicate
            case .noop: .noop
            case .refused: .refused
            }
    }
}
