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
    /// When the loser learned of it, in group time.
    public var at: Int64

    /// Makes a superseder.
    public init(session: SessionID, node: NodeID, at: Int64) {
        self.session = session
        self.node = node
        self.at = at
    }
}

/// A node's own copy of its latest session: the attributes and the content state. Only the owner writes it.
public struct Register: Hashable, Sendable {
    /// The session.
    public var id: SessionID
    /// The first session of a chain of takeovers; the session itself where there was none.
    public var lineage: SessionID
    /// What a takeover continues.
    public var continues: Continuation?
    /// The order of its start.
    public var stamp: Stamp
    /// Counts the journals that its node lost.
    public var epoch: Int
    /// Counts the node's changes, over all its sessions.
    public var rev: Int
    /// The node that writes it.
    public var owner: NodeID
    /// What the person does ("Reading"); may be empty.
    public var title: String
    /// An emoji or the name of a built-in drawing.
    public var icon: String?
    /// What the time is booked on.
    public var label: Label?
    /// Down through the plan, or up.
    public var mode: Mode
    /// The ordered phases: 1 to ``Limits/phases``; exactly one, whose length is the cap, in a count-up session.
    public var plan: [Phase]
    /// Whether the next phase starts by itself.
    public var autoAdvance: Bool
    /// Index of the current phase; of the next one while `ready`.
    public var phase: Int
    /// Where the session stands.
    public var status: Status
    /// The start in group time.
    public var startedAt: Int64
    /// From where the current phase's time counts.
    public var anchor: Anchor
    /// When which phase ran, oldest first; only the last may be open.
    public var runs: [Run]
    /// Ids of the last ``Limits/applied`` intents that took effect, oldest first.
    public var applied: [IntentID]
    /// The intent that led to this revision, if one did.
    public var last: LastIntent?
    /// The start that ended the session, when superseded.
    public var supersededBy: Superseder?

    /// Makes a register. ``flaw`` tells whether the parts fit together.
    public init(
        id: SessionID, lineage: SessionID, continues: Continuation? = nil, stamp: Stamp, epoch: Int, rev: Int,
        owner: NodeID, title: String, icon: String?, label: Label?, mode: Mode, plan: [Phase], autoAdvance: Bool,
        phase: Int, status: Status, startedAt: Int64, anchor: Anchor, runs: [Run], applied: [IntentID] = [],
        last: LastIntent? = nil, supersededBy: Superseder? = nil
    ) {
        self.id = id
        self.lineage = lineage
        self.continues = continues
        self.stamp = stamp
        self.epoch = epoch
        self.rev = rev
        self.owner = owner
        self.title = title
        self.icon = icon
        self.label = label
        self.mode = mode
        self.plan = plan
        self.autoAdvance = autoAdvance
        self.phase = phase
        self.status = status
        self.startedAt = startedAt
        self.anchor = anchor
        self.runs = runs
        self.applied = applied
        self.last = last
        self.supersededBy = supersededBy
    }

    /// The phase that runs, is paused or waits.
    public var currentPhase: Phase { plan[phase] }

    /// When the current phase ends in group time, while a countdown runs.
    public var endsAt: Int64? {
        guard status == .running, mode == .countdown else { return nil }
        return anchor.at + currentPhase.length - anchor.elapsed
    }

    /// The order of a node's own registers: the larger one is the newer.
    public var version: Version { Version(epoch: epoch, rev: rev) }
}

/// The order of one node's registers.
public struct Version: Hashable, Comparable, Sendable {
    /// Counts lost journals.
    public var epoch: Int
    /// Counts changes.
    public var rev: Int

    /// Makes a version.
    public init(epoch: Int, rev: Int) {
        self.epoch = epoch
        self.rev = rev
    }

    /// The version of the next change. A revision at its limit goes over into the epoch, so that nothing a peer or a
    /// broker claims to have seen makes a node's own register one that nobody accepts.
    public var next: Version {
        if rev < Limits.counter.upperBound { return Version(epoch: epoch, rev: rev + 1) }
        return epoch < Limits.counter.upperBound ? Version(epoch: epoch + 1, rev: 0) : self
    }

    /// Compares epoch, then revision.
    public static func < (a: Version, b: Version) -> Bool { (a.epoch, a.rev) < (b.epoch, b.rev) }
}
