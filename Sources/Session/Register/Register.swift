// SPDX-License-Identifier: Apache-2.0

/// A node's own copy of its latest session: the attributes and the content state. Only the owner writes it.
///
/// It is a value, whose fields are held by reference and copied when they are changed: it is handed on far more often than
/// that, and each of its many parts would have to be counted each time.
public struct Register: Hashable, Sendable {
    private final class Storage: @unchecked Sendable {
        /// Changed only where nobody else holds it.
        @exclusivity(unchecked) var fields: Fields

        init(_ fields: Fields) { self.fields = fields }
    }

    private struct Fields: Hashable, Sendable {
        var id: SessionID
        var lineage: SessionID
        var continues: Continuation?
        var stamp: Stamp
        var epoch: Int
        var rev: Int
        var owner: NodeID
        var title: String
        var icon: String?
        var label: Label?
        var mode: Mode
        var plan: [Phase]
        var autoAdvance: Bool
        var phase: Int
        var status: Status
        var startedAt: Int64
        var anchor: Anchor
        var runs: [Run]
        var applied: [IntentID]
        var last: LastIntent?
        var supersededBy: Superseder?
    }

    private var storage: Storage

    private var fields: Fields {
        get { storage.fields }
        _modify {
            if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.fields) }
            yield &storage.fields
        }
    }

    /// Compares all fields, the revision first: two registers are mostly of one session.
    public static func == (one: Register, other: Register) -> Bool {
        one.storage === other.storage
            || one.storage.fields.rev == other.storage.fields.rev && one.storage.fields == other.storage.fields
    }

    /// Hashes all fields.
    public func hash(into hasher: inout Hasher) { hasher.combine(fields) }

    /// The session.
    public var id: SessionID {
        get { storage.fields.id }
        _modify { yield &fields.id }
    }

    /// The first session of a chain of takeovers; the session itself where there was none.
    public var lineage: SessionID {
        get { storage.fields.lineage }
        _modify { yield &fields.lineage }
    }

    /// What a takeover continues.
    public var continues: Continuation? {
        get { storage.fields.continues }
        _modify { yield &fields.continues }
    }

    /// The order of its start.
    public var stamp: Stamp {
        get { storage.fields.stamp }
        _modify { yield &fields.stamp }
    }

    /// Counts the journals that its node lost.
    public var epoch: Int {
        get { storage.fields.epoch }
        _modify { yield &fields.epoch }
    }

    /// Counts the node's changes, over all its sessions.
    public var rev: Int {
        get { storage.fields.rev }
        _modify { yield &fields.rev }
    }

    /// The node that writes it.
    public var owner: NodeID {
        get { storage.fields.owner }
        _modify { yield &fields.owner }
    }

    /// What the person does ("Reading"); may be empty.
    public var title: String {
        get { storage.fields.title }
        _modify { yield &fields.title }
    }

    /// An emoji or the name of a built-in drawing.
    public var icon: String? {
        get { storage.fields.icon }
        _modify { yield &fields.icon }
    }

    /// What the time is booked on.
    public var label: Label? {
        get { storage.fields.label }
        _modify { yield &fields.label }
    }

    /// Down through the plan, or up.
    public var mode: Mode {
        get { storage.fields.mode }
        _modify { yield &fields.mode }
    }

    /// The ordered phases: 1 to ``Limits/phases``; exactly one, whose length is the cap, in a count-up session.
    public var plan: [Phase] {
        get { storage.fields.plan }
        _modify { yield &fields.plan }
    }

    /// Whether the next phase starts by itself.
    public var autoAdvance: Bool {
        get { storage.fields.autoAdvance }
        _modify { yield &fields.autoAdvance }
    }

    /// Index of the current phase; of the next one while `ready`.
    public var phase: Int {
        get { storage.fields.phase }
        _modify { yield &fields.phase }
    }

    /// Where the session stands.
    public var status: Status {
        get { storage.fields.status }
        _modify { yield &fields.status }
    }

    /// The start in group time.
    public var startedAt: Int64 {
        get { storage.fields.startedAt }
        _modify { yield &fields.startedAt }
    }

    /// From where the current phase's time counts.
    public var anchor: Anchor {
        get { storage.fields.anchor }
        _modify { yield &fields.anchor }
    }

    /// When which phase ran, oldest first; only the last may be open.
    public var runs: [Run] {
        get { storage.fields.runs }
        _modify { yield &fields.runs }
    }

    /// Ids of the last ``Limits/applied`` intents that took effect, oldest first.
    public var applied: [IntentID] {
        get { storage.fields.applied }
        _modify { yield &fields.applied }
    }

    /// The intent that led to this revision, if one did.
    public var last: LastIntent? {
        get { storage.fields.last }
        _modify { yield &fields.last }
    }

    /// The start that ended the session, when superseded.
    public var supersededBy: Superseder? {
        get { storage.fields.supersededBy }
        _modify { yield &fields.supersededBy }
    }

    /// Makes a register. ``flaw`` tells whether the parts fit together.
    public init(
        id: SessionID, lineage: SessionID, continues: Continuation? = nil, stamp: Stamp, epoch: Int, rev: Int,
        owner: NodeID, title: String, icon: String?, label: Label?, mode: Mode, plan: [Phase], autoAdvance: Bool,
        phase: Int, status: Status, startedAt: Int64, anchor: Anchor, runs: [Run], applied: [IntentID] = [],
        last: LastIntent? = nil, supersededBy: Superseder? = nil
    ) {
        storage = Storage(
            Fields(
                id: id, lineage: lineage, continues: continues, stamp: stamp, epoch: epoch, rev: rev, owner: owner,
                title: title, icon: icon, label: label, mode: mode, plan: plan, autoAdvance: autoAdvance,
                phase: phase, status: status, startedAt: startedAt, anchor: anchor, runs: runs, applied: applied,
                last: last, supersededBy: supersededBy))
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
