// SPDX-License-Identifier: Apache-2.0

/// A change of a session that a person asks for.
public enum IntentOperation: Hashable, Sendable {
    /// Freezes the time.
    case pause
    /// Continues a paused time.
    case resume
    /// Ends the session.
    case stop
    /// Adds seconds to the current phase of a countdown, or takes them away: ``Limits/phaseSeconds`` at most. The phase
    /// stays longer than the time that has passed of it.
    case extend(seconds: Int)
    /// Starts the break that follows, or an inserted one.
    case startBreak
    /// Starts the focus phase that follows, or an inserted one.
    case startFocus
    /// Starts the next phase, or ends the session after the last one.
    case skip
    /// Replaces title, label or its colour while the session lives; `nil` keeps each, an empty label removes it.
    case correct(title: String? = nil, label: String? = nil, colour: Colour? = nil)

    /// An operation without its arguments, as in a payload.
    public enum Name: String, CaseIterable, Codable, Sendable {
        case pause, resume, stop, extend, startBreak, startFocus, skip, correct
    }

    public var name: Name {
        switch self {
        case .pause: .pause
        case .resume: .resume
        case .stop: .stop
        case .extend: .extend
        case .startBreak: .startBreak
        case .startFocus: .startFocus
        case .skip: .skip
        case .correct: .correct
        }
    }

    /// Whether the operation is only for the phase that the person saw. Example: two people press *skip* in phase 1.
    /// The first press goes to phase 2; the second is refused, and does not go on to phase 3.
    public var isFencedByPhase: Bool {
        switch self {
        case .startBreak, .startFocus, .skip: true
        case .pause, .resume, .stop, .extend, .correct: false
        }
    }
}

/// A peer's request to the owner of a session.
public struct Intent: Hashable, Sendable {
    /// The id, the same each time the intent is sent.
    public var id: IntentID
    /// The lineage of the session that the asking person saw.
    public var lineage: SessionID
    /// The session that the asking person saw; no other one is changed.
    public var session: SessionID
    /// The phase that the asking person saw, an index in a plan; must match if ``IntentOperation/isFencedByPhase``.
    public var phase: Int?
    public var operation: IntentOperation
    public var from: NodeID
    public var at: GroupTime
    public var expiresAt: GroupTime

    /// An owner checks `phase` and the arguments of the operation, and refuses values out of bounds.
    public init(
        id: IntentID, lineage: SessionID, session: SessionID, phase: Int?, operation: IntentOperation, from: NodeID,
        at: GroupTime, expiresAt: GroupTime
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

/// The reason why an intent was refused.
public enum Refusal: String, CaseIterable, Sendable {
    /// A later start has ended the session.
    case superseded
    /// The phase that it names is over.
    case stalePhase
    case expired
    /// The state of the session does not allow it.
    case notAllowed
    case invalid
    /// The peer has sent more intents than one peer may: 20 a second, and 100 in a row.
    case busy
}

/// The result of an intent.
public enum IntentOutcome: Hashable, Sendable {
    /// It took effect; the register that shows it is on disk.
    case applied
    /// It had taken effect before.
    case duplicate
    /// The session was in that state already.
    case noop
    /// It had no effect, for this reason.
    case refused(Refusal)
}

/// The owner's answer to an intent.
public struct Answer: Hashable, Sendable {
    public var intent: IntentID
    public var outcome: IntentOutcome
    public var session: SessionID
    /// The owner's revision after it.
    public var rev: Int
    /// With ``Refusal/superseded``: the session that won, if it is known.
    public var by: Superseder?

    /// `by` belongs to ``Refusal/superseded`` alone.
    public init(intent: IntentID, outcome: IntentOutcome, session: SessionID, rev: Int, by: Superseder? = nil) {
        self.intent = intent
        self.outcome = outcome
        self.session = session
        self.rev = rev
        self.by = by
    }
}
