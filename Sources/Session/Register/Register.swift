// SPDX-License-Identifier: Apache-2.0

/// A node's own copy of its latest session: the attributes and the content state. Only the owner writes it.
///
/// It is a value, whose fields are held by reference and copied when they are changed: it is handed on far more often than
/// that, and each of its many parts would have to be counted each time. The attributes, which hardly ever change, have a
/// reference of their own, which the registers of one session share.
public struct Register: Hashable, Sendable {
    private struct Attributes: Hashable, Sendable {
        var id: SessionID
        var lineage: SessionID
        var continues: Continuation?
        var stamp: Stamp
        var epoch: Int
        var owner: NodeID
        var title: String
        var icon: String?
        var label: Label?
        var mode: Mode
        var plan: [Phase]
        var autoAdvance: Bool
        var startedAt: Int64
    }

    private struct ContentState: Hashable, Sendable {
        var rev: Int
        var phase: Int
        var status: Status
        var anchor: Anchor
        var runs: [Run]
        var applied: [IntentID]
        var last: LastIntent?
        var supersededBy: Superseder?
    }

    private final class AttributeStorage: @unchecked Sendable {
        /// Changed only where nobody else holds it.
        @exclusivity(unchecked) var attributes: Attributes

        init(_ attributes: Attributes) { self.attributes = attributes }
    }

    private final class Storage: @unchecked Sendable {
        /// Both are changed only where nobody else holds it.
        @exclusivity(unchecked) var attributes: AttributeStorage
        @exclusivity(unchecked) var state: ContentState

        init(_ attributes: AttributeStorage, _ state: ContentState) {
            self.attributes = attributes
            self.state = state
        }

        init(copying other: Storage) {
            attributes = other.attributes
            state = other.state
        }
    }

    private var storage: Storage

    private var attributes: Attributes {
        get { storage.attributes.attributes }
        _modify {
            makeUnique()
            if !isKnownUniquelyReferenced(&storage.attributes) {
                storage.attributes = AttributeStorage(storage.attributes.attributes)
            }
            yield &storage.attributes.attributes
        }
    }

    private var state: ContentState {
        get { storage.state }
        _modify {
            makeUnique()
            yield &storage.state
        }
    }

    private mutating func makeUnique() {
        if !isKnownUniquelyReferenced(&storage) { storage = Storage(copying: storage) }
    }

    /// Compares all fields, the revision first: two registers are mostly of one session.
    public static func == (one: Register, other: Register) -> Bool {
        one.storage === other.storage
            || one.storage.state.rev == other.storage.state.rev && one.storage.state == other.storage.state
                && one.hasAttributes(of: other)
    }

    /// Whether nothing but the content state is another.
    public func hasAttributes(of other: Register) -> Bool {
        let (own, others) = (storage.attributes, other.storage.attributes)
        return own === others || own.attributes == others.attributes
    }

    /// Hashes all fields.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(attributes)
        hasher.combine(state)
    }

    /// The session.
    public var id: SessionID {
        get { storage.attributes.attributes.id }
        _modify { yield &attributes.id }
    }

    /// The first session of a chain of takeovers; the session itself where there was none.
    public var lineage: SessionID {
        get { storage.attributes.attributes.lineage }
        _modify { yield &attributes.lineage }
    }

    /// What a takeover continues.
    public var continues: Continuation? {
        get { storage.attributes.attributes.continues }
        _modify { yield &attributes.continues }
    }

    /// The order of its start.
    public var stamp: Stamp {
        get { storage.attributes.attributes.stamp }
        _modify { yield &attributes.stamp }
    }

    /// Counts the journals that its node lost.
    public var epoch: Int {
        get { storage.attributes.attributes.epoch }
        set { if newValue != epoch { attributes.epoch = newValue } }
    }

    /// Counts the node's changes, over all its sessions.
    public var rev: Int {
        get { storage.state.rev }
        _modify { yield &state.rev }
    }

    /// The node that writes it.
    public var owner: NodeID {
        get { storage.attributes.attributes.owner }
        _modify { yield &attributes.owner }
    }

    /// What the person does ("Reading"); may be empty.
    public var title: String {
        get { storage.attributes.attributes.title }
        _modify { yield &attributes.title }
    }

    /// An emoji or the name of a built-in drawing.
    public var icon: String? {
        get { storage.attributes.attributes.icon }
        _modify { yield &attributes.icon }
    }

    /// What the time is booked on.
    public var label: Label? {
        get { storage.attributes.attributes.label }
        _modify { yield &attributes.label }
    }

    /// Down through the plan, or up.
    public var mode: Mode {
        get { storage.attributes.attributes.mode }
        _modify { yield &attributes.mode }
    }

    /// The ordered phases: 1 to ``Limits/phases``; exactly one, whose length is the cap, in a count-up session.
    public var plan: [Phase] {
        get { storage.attributes.attributes.plan }
        _modify { yield &attributes.plan }
    }

    /// Whether the next phase starts by itself.
    public var autoAdvance: Bool {
        get { storage.attributes.attributes.autoAdvance }
        _modify { yield &attributes.autoAdvance }
    }

    /// Index of the current phase; of the next one while `ready`.
    public var phase: Int {
        get { storage.state.phase }
        _modify { yield &state.phase }
    }

    /// Where the session stands.
    public var status: Status {
        get { storage.state.status }
        _modify { yield &state.status }
    }

    /// The start in group time.
    public var startedAt: Int64 {
        get { storage.attributes.attributes.startedAt }
        _modify { yield &attributes.startedAt }
    }

    /// From where the current phase's time counts.
    public var anchor: Anchor {
        get { storage.state.anchor }
        _modify { yield &state.anchor }
    }

    /// When which phase ran, oldest first; only the last may be open.
    public var runs: [Run] {
        get { storage.state.runs }
        _modify { yield &state.runs }
    }

    /// Ids of intents that took effect, ``Limits/applied`` at most, oldest first.
    public var applied: [IntentID] {
        get { storage.state.applied }
        _modify { yield &state.applied }
    }

    /// The intent that led to this revision, if one did.
    public var last: LastIntent? {
        get { storage.state.last }
        _modify { yield &state.last }
    }

    /// The start that ended the session, when superseded.
    public var supersededBy: Superseder? {
        get { storage.state.supersededBy }
        _modify { yield &state.supersededBy }
    }

    /// Makes a register. ``flaw`` tells whether the parts fit together.
    public init(
        id: SessionID, lineage: SessionID, continues: Continuation? = nil, stamp: Stamp, epoch: Int, rev: Int,
        owner: NodeID, title: String, icon: String?, label: Label?, mode: Mode, plan: [Phase], autoAdvance: Bool,
        phase: Int, status: Status, startedAt: Int64, anchor: Anchor, runs: [Run], applied: [IntentID] = [],
        last: LastIntent? = nil, supersededBy: Superseder? = nil
    ) {
        let attributes = Attributes(
            id: id, lineage: lineage, continues: continues, stamp: stamp, epoch: epoch, owner: owner, title: title,
            icon: icon, label: label, mode: mode, plan: plan, autoAdvance: autoAdvance, startedAt: startedAt)
        let state = ContentState(
            rev: rev, phase: phase, status: status, anchor: anchor, runs: runs, applied: applied, last: last,
            supersededBy: supersededBy)
        storage = Storage(AttributeStorage(attributes), state)
    }

    /// Makes a register of which nothing but the content state is other than in `register`.
    public init(
        like register: Register, rev: Int, phase: Int, status: Status, anchor: Anchor, runs: [Run],
        applied: [IntentID], last: LastIntent?, supersededBy: Superseder?
    ) {
        let state = ContentState(
            rev: rev, phase: phase, status: status, anchor: anchor, runs: runs, applied: applied, last: last,
            supersededBy: supersededBy)
        storage = Storage(register.storage.attributes, state)
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
