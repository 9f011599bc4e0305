// SPDX-License-Identifier: Apache-2.0

/// What a person asks of a session.
public enum Operation: Hashable, Sendable {
    /// Freeze the time.
    case pause
    /// Let a paused time go on.
    case resume
    /// End the session.
    case stop
    /// Make the current phase of a countdown longer, by 1 to 86,400 seconds.
    case extend(seconds: Int)
    /// Go to the break that follows, or put one in.
    case startBreak
    /// Go to the focus phase that follows, or put one in.
    case startFocus
    /// Go to the next phase, or end the session after the last.
    case skip

    /// An operation without its arguments, as it stands in a payload.
    public enum Name: String, CaseIterable, Sendable {
        case pause, resume, stop, extend, startBreak, startFocus, skip
    }

    /// The operation without its arguments.
    public var name: Name {
        switch self {
        case .pause: .pause
        case .resume: .resume
        case .stop: .stop
        case .extend: .extend
        case .startBreak: .startBreak
        case .startFocus: .startFocus
        case .skip: .skip
        }
    }

    /// Whether the operation belongs to one phase, so that two presses do not jump twice.
    public var isFencedByPhase: Bool {
        switch self {
        case .startBreak, .startFocus, .skip: true
        case .pause, .resume, .stop, .extend: false
        }
    }
}

/// A peer's request to the owner of a session.
public struct Intent: Hashable, Sendable {
    /// The same however often it is sent.
    public var id: IntentID
    /// The lineage of the session as the asking person saw it.
    public var lineage: SessionID
    /// The session as the asking person saw it; another one is never touched.
    public var session: SessionID
    /// The phase as the asking person saw it; must match where ``Operation/isFencedByPhase``.
    public var phase: Int?
    /// What is asked.
    public var operation: Operation
    /// Who asks.
    public var from: NodeID
    /// When, in group time.
    public var at: Int64
    /// From when on it must not take effect any more, in group time.
    public var expiresAt: Int64

    /// Makes an intent.
    public init(
        id: IntentID, lineage: SessionID, session: SessionID, phase: Int?, operation: Operation, from: NodeID,
        at: Int64, expiresAt: Int64
    ) {
        self.id = id
        self.lineage = lineage
        self.session = session
        self.phase = phase
        self.operation = operation
        self.from = from
        self.at = at
        self.expiresAt = expiresAt
    }
}

/// Why an intent was refused.
public enum Refusal: String, CaseIterable, Sendable {
    /// A later start has ended the session.
    case superseded
    /// The phase that it was meant for is over.
    case stalePhase
    /// It came after its expiry.
    case expired
    /// The session's state does not allow it.
    case notAllowed
    /// Its arguments are out of bounds.
    case invalid
    /// The peer has sent more intents than an owner takes from one peer in that time.
    case busy
}

/// What became of an intent.
public enum Outcome: Hashable, Sendable {
    /// It took effect; the register that shows it is on disk.
    case applied
    /// It had taken effect before.
    case duplicate
    /// The session was already so.
    case noop
    /// It had no effect, and why.
    case refused(Refusal)

    /// The word that stands in a payload.
    public var name: String {
        switch self {
        case .applied: "applied"
        case .duplicate: "duplicate"
        case .noop: "noop"
        case .refused: "refused"
        }
    }
}

/// The owner's answer to an intent.
public struct Answer: Hashable, Sendable {
    /// The intent.
    public var intent: IntentID
    /// What became of it.
    public var outcome: Outcome
    /// The session that the owner holds.
    public var session: SessionID
    /// The owner's revision after it.
    public var rev: Int
    /// The session that won, when refused as superseded and known.
    public var by: Superseder?

    /// Makes an answer.
    public init(intent: IntentID, outcome: Outcome, session: SessionID, rev: Int, by: Superseder? = nil) {
        self.intent = intent
        self.outcome = outcome
        self.session = session
        self.rev = rev
        self.by = by
    }
}
