// SPDX-License-Identifier: Apache-2.0

// One line for each field.
// swift-format-ignore
/// The state of a node's latest session. Only its owner writes it. Copies share their fields until one of them is
/// changed, since many parts pass registers on, and few change them.
public struct Register: Hashable, Sendable {
    private var storage: Storage

    public var id: SessionID { _read { yield fields.id } _modify { yield &fields.id } }
    /// The first session of a chain of takeovers; the session itself if there was no takeover.
    public var lineage: SessionID { _read { yield fields.lineage } _modify { yield &fields.lineage } }
    /// The register that a takeover continues; `nil` for a session that a person started.
    public var continues: Continuation? { _read { yield fields.continues } _modify { yield &fields.continues } }
    /// The order of its start.
    public var stamp: Stamp { _read { yield fields.stamp } _modify { yield &fields.stamp } }
    /// The number of the owner's journal; see ``Journal/epoch``.
    public var epoch: Int { _read { yield fields.epoch } _modify { yield &fields.epoch } }
    /// Counts the node's changes over all its sessions, within ``Limits/counter``.
    public var rev: Int { _read { yield fields.rev } _modify { yield &fields.rev } }
    public var owner: NodeID { _read { yield fields.owner } _modify { yield &fields.owner } }
    /// The activity ("Reading"): empty, or 1 to ``Limits/titleBytes`` bytes of clean text.
    public var title: String { _read { yield fields.title } _modify { yield &fields.title } }
    /// An emoji or the name of a built-in drawing: 1 to ``Limits/iconBytes`` bytes of clean text.
    public var icon: String? { _read { yield fields.icon } _modify { yield &fields.icon } }
    /// The label that the time is booked on; `nil` for the default label.
    public var label: Label? { _read { yield fields.label } _modify { yield &fields.label } }
    /// Whether the time counts down through the plan, or up.
    public var mode: Mode { _read { yield fields.mode } _modify { yield &fields.mode } }
    /// The ordered phases: 1 to ``Limits/phases``; exactly one, whose length is the cap, in a count-up session.
    public var plan: [Phase] { _read { yield fields.plan } _modify { yield &fields.plan } }
    /// Whether the next phase starts by itself.
    public var autoAdvance: Bool { _read { yield fields.autoAdvance } _modify { yield &fields.autoAdvance } }
    /// Whether an alarm is raised where the session waits for a person, and at its end; see ``Moment/alarm``. With
    /// overtime it is also raised when a phase reaches its length.
    public var hasAlarm: Bool { _read { yield fields.hasAlarm } _modify { yield &fields.hasAlarm } }
    /// Whether a countdown's phase goes on past its length, until a person ends it or ``Limits/overtime`` has passed.
    public var hasOvertime: Bool { _read { yield fields.hasOvertime } _modify { yield &fields.hasOvertime } }
    /// The index in ``plan`` of the current phase; of the next one while `ready`.
    public var phase: Int { _read { yield fields.phase } _modify { yield &fields.phase } }
    public var status: Status { _read { yield fields.status } _modify { yield &fields.status } }
    /// The start, within ``Limits/time``.
    public var startedAt: GroupTime { _read { yield fields.startedAt } _modify { yield &fields.startedAt } }
    /// The instant from which the time of the current phase is counted.
    public var anchor: Anchor { _read { yield fields.anchor } _modify { yield &fields.anchor } }
    /// The times at which phases ran, oldest first: at most ``Limits/runs``. Only the last may be open.
    public var runs: [Run] { _read { yield fields.runs } _modify { yield &fields.runs } }
    /// Ids of intents that took effect, oldest first: at most ``Limits/applied``.
    public var applied: [IntentID] { _read { yield fields.applied } _modify { yield &fields.applied } }
    /// The intent behind this revision; `nil` if it was none.
    public var last: LastIntent? { _read { yield fields.last } _modify { yield &fields.last } }
    /// The start that ended the session, if it is superseded.
    public var supersededBy: Superseder? {
        _read { yield fields.supersededBy } _modify { yield &fields.supersededBy }
    }

    public init(
        id: SessionID, lineage: SessionID, continues: Continuation? = nil, stamp: Stamp, epoch: Int, rev: Int,
        owner: NodeID, title: String, icon: String?, label: Label?, mode: Mode, plan: [Phase], autoAdvance: Bool,
        hasAlarm: Bool = false, hasOvertime: Bool = false, phase: Int, status: Status, startedAt: GroupTime,
        anchor: Anchor, runs: [Run], applied: [IntentID] = [], last: LastIntent? = nil, supersededBy: Superseder? = nil
    ) {
        storage = Storage(
            Fields(
                id: id, lineage: lineage, continues: continues, stamp: stamp, epoch: epoch, rev: rev, owner: owner,
                title: title, icon: icon, label: label, mode: mode, plan: plan, autoAdvance: autoAdvance,
                hasAlarm: hasAlarm, hasOvertime: hasOvertime, phase: phase, status: status, startedAt: startedAt,
                anchor: anchor, runs: runs, applied: applied, last: last, supersededBy: supersededBy))
    }

    public static func == (a: Register, b: Register) -> Bool {
        a.storage === b.storage || a.version == b.version && a.fields == b.fields
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(fields) }

    /// The phase that runs, is paused or waits. ``phase`` must be an index of ``plan``.
    public var currentPhase: Phase { fields.currentPhase }
    /// The end of the current phase; `nil` unless a countdown runs.
    public var endsAt: GroupTime? { fields.endsAt }

    /// The order among the registers of one node: the larger one is newer.
    public internal(set) var version: Version {
        get { Version(epoch: epoch, rev: rev) }
        set { (epoch, rev) = (newValue.epoch, newValue.rev) }
    }
}

extension Register {
    /// The fields of a register, in storage that its copies share until one of them changes.
    package struct Fields: Hashable, Sendable {
        package var id: SessionID
        package var lineage: SessionID
        package var continues: Continuation?
        package var stamp: Stamp
        package var epoch: Int
        package var rev: Int
        package var owner: NodeID
        package var title: String
        package var icon: String?
        package var label: Label?
        package var mode: Mode
        package var plan: [Phase]
        package var autoAdvance: Bool
        package var hasAlarm: Bool
        package var hasOvertime: Bool
        package var phase: Int
        package var status: Status
        package var startedAt: GroupTime
        package var anchor: Anchor
        package var runs: [Run]
        package var applied: [IntentID]
        package var last: LastIntent?
        package var supersededBy: Superseder?

        package var currentPhase: Phase { plan[phase] }

        package var endsAt: GroupTime? {
            guard status == .running, mode == .countdown else { return nil }
            return anchor.at + currentPhase.length - anchor.passed
        }
    }

    /// The fields of a register, which its copies share until one of them is changed.
    private final class Storage: @unchecked Sendable {
        /// Changed only while a single register refers to it.
        @exclusivity(unchecked) var fields: Fields

        init(_ fields: Fields) { self.fields = fields }
    }

    /// The fields. Before a change the register gets a storage of its own, so that its copies stay as they are.
    package var fields: Fields {
        _read { yield storage.fields }
        _modify {
            if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.fields) }
            yield &storage.fields
        }
    }
}

/// The order of one node's registers.
public struct Version: Hashable, Codable, Comparable, Sendable {
    public var epoch: Int
    /// Counts changes, within ``Limits/counter``.
    public var rev: Int

    public init(epoch: Int, rev: Int) {
        self.epoch = epoch
        self.rev = rev
    }

    /// The version of the next change. A revision at its limit overflows into the epoch, so no claim of a peer or a
    /// broker makes a node's registers unacceptable. With both counters at their limits it is this version itself.
    public var next: Version {
        if rev < Limits.counter.upperBound { return Version(epoch: epoch, rev: rev + 1) }
        return epoch < Limits.counter.upperBound ? Version(epoch: epoch + 1, rev: 0) : self
    }

    public static func < (a: Version, b: Version) -> Bool { (a.epoch, a.rev) < (b.epoch, b.rev) }
}
