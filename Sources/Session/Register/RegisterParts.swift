// SPDX-License-Identifier: Apache-2.0

/// Whether a session counts down through its plan or up until it is stopped.
public enum Mode: String, CaseIterable, Sendable {
    case countdown, countup
}

/// Where a session stands.
public enum Status: String, CaseIterable, Sendable {
    /// Time passes.
    case running
    /// Time is frozen by a person.
    case paused
    /// A phase ended; the one that `phase` now names waits for a person.
    case ready
    /// The plan came to its end.
    case completed
    /// A person ended it.
    case stopped
    /// A later start ended it.
    case superseded

    /// Whether the session can still change. The other three statuses are final.
    public var isLive: Bool {
        switch self {
        case .running, .paused, .ready: true
        case .completed, .stopped, .superseded: false
        }
    }
}

/// The moment from which a phase's time is counted.
public struct Anchor: Hashable, Sendable {
    /// Milliseconds of the current phase that had passed at the anchor.
    public var elapsed: Int64
    /// The anchor in group time.
    public var at: Int64
    /// By how many milliseconds ``at`` is off from true time at most; `nil` where nobody can tell.
    public var bound: Int64?
    /// The boot of the owner's machine in which ``boot`` was read.
    public var bootID: BootID
    /// The anchor on the owner's boot clock, in milliseconds.
    public var boot: Int64

    /// Makes an anchor from its parts.
    public init(elapsed: Int64, at: Int64, bound: Int64? = nil, bootID: BootID, boot: Int64) {
        self.elapsed = elapsed
        self.at = at
        self.bound = bound
        self.bootID = bootID
        self.boot = boot
    }
}

/// An interval of group time in which a phase ran.
public struct Run: Hashable, Sendable {
    /// Index of the phase in the plan.
    public var phase: Int
    /// The beginning in group time.
    public var from: Int64
    /// The end in group time; `nil` while it runs.
    public var to: Int64?

    /// Makes a run.
    public init(phase: Int, from: Int64, to: Int64? = nil) {
        self.phase = phase
        self.from = from
        self.to = to
    }
}

/// What a continuation took over: the register of another node at one revision.
public struct Continuation: Hashable, Sendable {
    /// The owner before.
    public var node: NodeID
    /// Its epoch.
    public var epoch: Int
    /// Its revision.
    public var rev: Int
    /// The takeover in group time.
    public var at: Int64

    /// Makes a continuation.
    public init(node: NodeID, epoch: Int, rev: Int, at: Int64) {
        self.node = node
        self.epoch = epoch
        self.rev = rev
        self.at = at
    }
}

/// The intent that a register shows the effect of.
public struct LastIntent: Hashable, Sendable {
    /// Its id.
    public var intent: IntentID
    /// What it asked for.
    public var op: Operation.Name
    /// Who asked.
    public var from: NodeID
    /// When the owner applied it, in group time.
    public var at: Int64

    /// Makes a last intent.
    public init(intent: IntentID, op: Operation.Name, from: NodeID, at: Int64) {
        self.intent = intent
        self.op = op
        self.from = from
        self.at = at
    }
}

/// The later start that ended a session.
public struct Superseder: Hashable, Sendable {
    /// The session that won.
    public var session: SessionID
    /// Its owner.
    public var node: NodeID
    /// In a register the end of the session that lost; in an answer to an intent that, or the start of the winner. In
    /// milliseconds of group time.
    public var at: Int64

    /// Makes a superseder.
    public init(session: SessionID, node: NodeID, at: Int64) {
        self.session = session
        self.node = node
        self.at = at
    }
}
