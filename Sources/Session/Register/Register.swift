// SPDX-License-Identifier: Apache-2.0

/// The state of a node's latest session. Only its owner writes it.
public struct Register: Hashable, Sendable {
    /// The id of the session.
    public var id: SessionID
    /// The first session of a chain of takeovers; the session itself if there was no takeover.
    public var lineage: SessionID
    /// The register that a takeover continues; `nil` for a session that a person started.
    public var continues: Continuation?
    /// The order of its start.
    public var stamp: Stamp
    /// The number of the owner's journal; see ``Journal/epoch``.
    public var epoch: Int
    /// Counts the node's changes over all its sessions, within ``Limits/counter``.
    public var rev: Int
    /// The node that writes the register.
    public var owner: NodeID
    /// The activity ("Reading"): empty, or 1 to ``Limits/titleBytes`` bytes of clean text.
    public var title: String
    /// An emoji or the name of a built-in drawing: 1 to ``Limits/iconBytes`` bytes of clean text.
    public var icon: String?
    /// The label that the time is booked on; `nil` for the default label.
    public var label: Label?
    /// Down through the plan, or up.
    public var mode: Mode
    /// The ordered phases: 1 to ``Limits/phases``; exactly one, whose length is the cap, in a count-up session.
    public var plan: [Phase]
    /// Whether the next phase starts by itself.
    public var autoAdvance: Bool
    /// The index in ``plan`` of the current phase; of the next one while `ready`.
    public var phase: Int
    /// The status.
    public var status: Status
    /// The start in milliseconds of group time, within ``Limits/time``.
    public var startedAt: Int64
    /// The instant from which the time of the current phase is counted.
    public var anchor: Anchor
    /// The times at which phases ran, oldest first: at most ``Limits/runs``. Only the last may be open.
    public var runs: [Run]
    /// Ids of intents that took effect, oldest first: at most ``Limits/applied``.
    public var applied: [IntentID]
    /// The intent behind this revision; `nil` if it was none.
    public var last: LastIntent?
    /// The start that ended the session, if it is superseded.
    public var supersededBy: Superseder?

    /// Creates a register. The caller must check ``invalidField`` before the engine gets it.
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

    /// The phase that runs, is paused or waits. ``phase`` must be an index of ``plan``.
    public var currentPhase: Phase { plan[phase] }

    /// The end of the current phase in milliseconds of group time; `nil` unless a countdown runs.
    public var endsAt: Int64? {
        guard status == .running, mode == .countdown else { return nil }
        return anchor.at + currentPhase.length - anchor.elapsed
    }

    /// The order among the registers of one node: the larger one is newer.
    public internal(set) var version: Version {
        get { Version(epoch: epoch, rev: rev) }
        set { (epoch, rev) = (newValue.epoch, newValue.rev) }
    }
}

/// The order of one node's registers.
public struct Version: Hashable, Codable, Comparable, Sendable {
    /// The number of the owner's journal; see ``Journal/epoch``.
    public var epoch: Int
    /// Counts changes, within ``Limits/counter``.
    public var rev: Int

    /// Creates a version. The caller must keep to the bounds of the fields.
    public init(epoch: Int, rev: Int) {
        self.epoch = epoch
        self.rev = rev
    }

    /// The version of the next change; the same version at the end of both counters.
    ///
    /// A revision at its limit overflows into the epoch. So no claim of a peer or a broker makes a node's registers
    /// unacceptable.
    public var next: Version {
        if rev < Limits.counter.upperBound { return Version(epoch: epoch, rev: rev + 1) }
        return epoch < Limits.counter.upperBound ? Version(epoch: epoch + 1, rev: 0) : self
    }

    /// Compares epoch, then revision.
    public static func < (a: Version, b: Version) -> Bool { (a.epoch, a.rev) < (b.epoch, b.rev) }
}
