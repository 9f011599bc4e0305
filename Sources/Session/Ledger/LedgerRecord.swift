// SPDX-License-Identifier: Apache-2.0

/// What the ledger keeps of a session: what it was, and when which kind of phase ran.
public struct LedgerRecord: Hashable, Sendable {
    /// An interval of group time in which a phase of one kind ran.
    public struct Run: Hashable, Sendable {
        /// What the phase was for.
        public var kind: PhaseKind
        /// The beginning in group time.
        public var from: Int64
        /// The end in group time; `nil` while it runs.
        public var to: Int64?

        /// Makes a run.
        public init(kind: PhaseKind, from: Int64, to: Int64? = nil) {
            self.kind = kind
            self.from = from
            self.to = to
        }
    }

    /// The session.
    public var id: SessionID
    /// The first session of a chain of takeovers; the session itself where there was none.
    public var lineage: SessionID
    /// When it took over from the session before it in its lineage, in group time, if it did.
    public var continuedAt: Int64?
    /// The node whose session it took over, if it did; `nil` also in records of earlier versions.
    public var continuedFrom: NodeID?
    /// The node that owned it.
    public var node: NodeID
    /// The order of its start.
    public var stamp: Stamp
    /// The order of the node's records of this session: the larger one holds.
    public var version: Version
    /// What the person did; may be empty.
    public var title: String
    /// An emoji or the name of a built-in drawing.
    public var icon: String?
    /// What the time is booked on.
    public var label: Label?
    /// Down through a plan, or up.
    public var mode: Mode
    /// Where it stood.
    public var status: Status
    /// The start in group time.
    public var startedAt: Int64
    /// When an open run ends by itself in group time, if nobody presses anything.
    public var endsAt: Int64?
    /// When which kind of phase ran, oldest first; only the last may be open.
    public var runs: [Run]
    /// Whether some of it was rebuilt by date, because its machine was booted while it ran, or it was taken over before
    /// the clocks were compared.
    public var isApproximate: Bool

    /// Makes a record from its parts. ``flaw`` tells whether they fit together.
    public init(
        id: SessionID, lineage: SessionID, continuedAt: Int64? = nil, continuedFrom: NodeID? = nil, node: NodeID,
        stamp: Stamp, version: Version,
        title: String, icon: String? = nil, label: Label? = nil, mode: Mode, status: Status, startedAt: Int64,
        endsAt: Int64? = nil, runs: [Run], isApproximate: Bool = false
    ) {
        self.id = id
        self.lineage = lineage
        self.continuedAt = continuedAt
        self.continuedFrom = continuedFrom
        self.node = node
        self.stamp = stamp
        self.version = version
        self.title = title
        self.icon = icon
        self.label = label
        self.mode = mode
        self.status = status
        self.startedAt = startedAt
        self.endsAt = endsAt
        self.runs = runs
        self.isApproximate = isApproximate
    }

    /// The record of a register.
    public init(_ register: Register, isApproximate: Bool = false) {
        self.init(
            id: register.id, lineage: register.lineage, continuedAt: register.continues?.at,
            continuedFrom: register.continues?.node, node: register.owner, stamp: register.stamp,
            version: register.version, title: register.title, icon: register.icon,
            label: register.label, mode: register.mode, status: register.status, startedAt: register.startedAt,
            endsAt: register.status == .running
                ? min(
                    register.anchor.at + register.currentPhase.length - register.anchor.elapsed,
                    Limits.time.upperBound) : nil,
            runs: register.runs.map { Run(kind: register.plan[$0.phase].kind, from: $0.from, to: $0.to) },
            isApproximate: isApproximate)
    }

    /// Why the fields are out of bounds or do not fit together; `nil` when they do.
    public var flaw: String? {
        if !title.isEmpty, !CleanText.accepts(title, bytes: Limits.titleBytes) { return "title" }
        if let icon, !CleanText.accepts(icon, bytes: Limits.iconBytes) { return "icon" }
        if let label, !CleanText.accepts(label.name, bytes: Limits.nameBytes) { return "label" }
        if !Limits.counter.contains(version.epoch) { return "epoch" }
        if !Limits.counter.contains(version.rev) { return "rev" }
        if !Limits.counter.contains(stamp.counter) || !Limits.time.contains(stamp.time) || stamp.node != node {
            return "stamp"
        }
        if !Limits.time.contains(startedAt) { return "startedAt" }
        if let continuedAt, !Limits.time.contains(continuedAt) { return "continuedAt" }
        if let endsAt, !Limits.time.contains(endsAt) { return "endsAt" }
        return runsFit ? nil : "runs"
    }

    private var runsFit: Bool {
        guard runs.count <= Limits.runs else { return false }
        for (index, run) in runs.enumerated() {
            guard Limits.time.contains(run.from) else { return false }
            if let to = run.to {
                guard Limits.time.contains(to), to >= run.from else { return false }
            } else if index != runs.count - 1 || status != .running || endsAt == nil {
                return false
            }
        }
        return true
    }
}

extension LedgerRecord {
    /// Tells records of different sessions apart: a node can only replace its own.
    public struct Key: Hashable, Comparable, Sendable {
        /// The node that recorded the session.
        public var node: NodeID
        /// The session.
        public var session: SessionID

        /// Makes a key.
        public init(node: NodeID, session: SessionID) {
            self.node = node
            self.session = session
        }

        /// Orders by session, then by node.
        public static func < (one: Key, other: Key) -> Bool { (one.session, one.node) < (other.session, other.node) }
    }

    /// The key of this record.
    public var key: Key { Key(node: node, session: id) }
}

extension Journal {
    /// The record of this node's register.
    public var record: LedgerRecord? { own.map { LedgerRecord($0, isApproximate: isApproximate) } }
}
