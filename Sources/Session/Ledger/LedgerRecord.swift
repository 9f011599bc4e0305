// SPDX-License-Identifier: Apache-2.0

/// The ledger's record of a session: its attributes, and when each kind of phase ran.
public struct LedgerRecord: Hashable, Sendable {
    /// An interval of group time, within ``Limits/time``, in which a phase of one kind ran; open while it runs.
    public struct Run: Hashable, Sendable {
        public var kind: PhaseKind
        public var from: GroupTime
        public var to: GroupTime?

        public init(kind: PhaseKind, from: GroupTime, to: GroupTime? = nil) {
            self.kind = kind
            self.from = from
            self.to = to
        }
    }

    public var id: SessionID
    /// The first session of a chain of takeovers; the session itself if there was no takeover.
    public var lineage: SessionID
    /// When it took over another session of its lineage; `nil` if it did not.
    public var continuedAt: GroupTime?
    /// The node whose session it took over; `nil` if it did not, or if the record does not say.
    public var continuedFrom: NodeID?
    public var node: NodeID
    /// The order of its start.
    public var stamp: Stamp
    /// The order among the node's records of this session.
    public var version: Version
    /// The activity: empty, or 1 to ``Limits/titleBytes`` bytes of clean text.
    public var title: String
    /// An emoji or the name of a built-in drawing: 1 to ``Limits/iconBytes`` bytes of clean text.
    public var icon: String?
    /// The label that the time is booked on; `nil` for the default label.
    public var label: Label?
    public var mode: Mode
    public var status: Status
    public var startedAt: GroupTime
    /// When an open run ends by itself; `nil` without an open run.
    public var endsAt: GroupTime?
    /// The times at which kinds of phases ran, oldest first: at most ``Limits/runs``. Only the last may be open.
    public var runs: [Run]
    /// The running time beyond the lengths of its phases, within ``overBounds``. A run that is open is not in it.
    public var over: Milliseconds
    /// Whether its times may be wrong; see ``Journal/isApproximate``.
    public var isApproximate: Bool

    /// The caller must check ``invalidField``.
    public init(
        id: SessionID, lineage: SessionID, continuedAt: GroupTime? = nil, continuedFrom: NodeID? = nil, node: NodeID,
        stamp: Stamp, version: Version,
        title: String, icon: String? = nil, label: Label? = nil, mode: Mode, status: Status, startedAt: GroupTime,
        endsAt: GroupTime? = nil, runs: [Run], over: Milliseconds = 0, isApproximate: Bool = false
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
        self.over = over
        self.isApproximate = isApproximate
    }

    public init(_ register: Register, isApproximate: Bool = false) {
        self.init(
            id: register.id, lineage: register.lineage, continuedAt: register.continues?.at,
            continuedFrom: register.continues?.node, node: register.owner, stamp: register.stamp,
            version: register.version, title: register.title, icon: register.icon,
            label: register.label, mode: register.mode, status: register.status, startedAt: register.startedAt,
            endsAt: register.status == .running
                ? min(register.anchor.at + register.untilEnd, Limits.time.upperBound) : nil,
            runs: register.runs.map { Run(kind: register.plan[$0.phase].kind, from: $0.from, to: $0.to) },
            over: register.over, isApproximate: isApproximate)
    }

    /// Makes the record of a session that a person adds afterwards: completed, in one run.
    public init(
        added id: SessionID, on node: NodeID, title: String, label: Label?, kind: PhaseKind = .focus,
        from: GroupTime, to: GroupTime
    ) {
        self.init(
            id: id, lineage: id, node: node, stamp: Stamp(time: from, counter: 0, node: node),
            version: Version(epoch: 0, rev: 1), title: title, label: label, mode: .countdown, status: .completed,
            startedAt: from, runs: [Run(kind: kind, from: from, to: to)])
    }

    /// The first field that is out of bounds or contradicts the others; `nil` if the record is valid.
    public var invalidField: String? {
        if let text = SessionText.invalid(title: title, icon: icon, label: label) { return text.rawValue }
        if !Limits.counter.contains(version.epoch) { return "epoch" }
        if !Limits.counter.contains(version.rev) { return "rev" }
        if !stamp.isWithinBounds { return "stamp" }
        if !Limits.time.contains(startedAt) { return "startedAt" }
        if let continuedAt, !Limits.time.contains(continuedAt) { return "continuedAt" }
        if let endsAt, !Limits.time.contains(endsAt) { return "endsAt" }
        if !Self.overBounds.contains(over) { return "over" }
        return runs.areWithinBounds ? contradiction : "runs"
    }

    package static let overBounds = 0...Int64(Limits.phases) * Limits.overtime

    /// The first field that contradicts the others, each of which must be within its bounds, as a payload's are.
    package var contradiction: String? {
        if stamp.node != node { return "stamp" }
        return runs.areConsistent(lastMayBeOpen: status == .running && endsAt != nil) ? nil : "runs"
    }
}

extension LedgerRecord {
    /// The identity of a record: a node can replace only records of its own.
    public struct Key: Hashable, Comparable, Sendable {
        public var node: NodeID
        public var session: SessionID

        public init(node: NodeID, session: SessionID) {
            self.node = node
            self.session = session
        }

        public static func < (one: Key, other: Key) -> Bool { (one.session, one.node) < (other.session, other.node) }
    }

    public var key: Key { Key(node: node, session: id) }
}

extension LedgerRecord {
    /// Returns the record for a node that has got another id. A session of the former id ends, without an open run.
    package func owned(by node: NodeID) -> LedgerRecord {
        guard node != self.node else { return self }
        var record = self
        record.node = node
        record.stamp.node = node
        guard status.isLive else { return record }
        record.status = .stopped
        record.endsAt = nil
        record.runs.removeAll { $0.to == nil }
        return record
    }
}

extension Register {
    /// The running time beyond the lengths of the phases, by the runs that have ended.
    fileprivate var over: Milliseconds {
        guard mayRunOver else { return 0 }
        var ran = plan.map { _ in Milliseconds.zero }
        for run in runs { if let to = run.to { ran[run.phase] += to - run.from } }
        let over = zip(plan, ran).reduce(Milliseconds.zero) { $0 + max(0, $1.1 - $1.0.length) }
        return min(over, LedgerRecord.overBounds.upperBound)
    }
}

extension Journal {
    public var record: LedgerRecord? { own.map { LedgerRecord($0, isApproximate: isApproximate) } }
}
