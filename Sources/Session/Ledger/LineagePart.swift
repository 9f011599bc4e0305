// SPDX-License-Identifier: Apache-2.0

/// One session as a part of its lineage. It contains the one rule for where the runs of a session end because another
/// node took it over. The owner, the ledger and the calm service apply it to the sessions that each of them knows.
public struct LineagePart: Hashable, Sendable {
    /// The takeover with which a part began.
    public struct Takeover: Hashable, Sendable {
        /// The node whose session was taken over; `nil` if the writer does not name it.
        public var node: NodeID?
        public var at: GroupTime

        public init(node: NodeID?, at: GroupTime) {
            self.node = node
            self.at = at
        }
    }

    public var lineage: SessionID
    public var node: NodeID
    public var stamp: Stamp
    /// The start of the session, or its takeover of an earlier one.
    public var beganAt: GroupTime
    /// The takeover that began it; `nil` for a session that a person started.
    public var takeover: Takeover?

    public init(lineage: SessionID, node: NodeID, stamp: Stamp, startedAt: GroupTime, takeover: Takeover?) {
        self.lineage = lineage
        self.node = node
        self.stamp = stamp
        self.beganAt = takeover?.at ?? startedAt
        self.takeover = takeover
    }

    /// Returns when `later` took this session over; `nil` if it did not. A takeover ends only sessions of the node that
    /// it names, in its own lineage, that were stamped before it. A takeover that lies before the session's beginning,
    /// by more than clocks may differ, belongs to an earlier session.
    public func takenOverAt(by later: LineagePart) -> GroupTime? {
        guard later.lineage == lineage, later.stamp > stamp, let takeover = later.takeover,
            takeover.node == node,  // rule: cutNode
            takeover.at >= beganAt - Limits.stampLead  // rule: cutTime
        else { return nil }
        return takeover.at
    }

    /// Returns the earliest takeover of this session among `others`; `nil` if there is none.
    public func takenOverAt(by others: some Sequence<LineagePart>) -> GroupTime? {
        others.compactMap { takenOverAt(by: $0) }.min()
    }
}

extension Register {
    public var lineagePart: LineagePart {
        LineagePart(
            lineage: lineage, node: owner, stamp: stamp, startedAt: startedAt,
            takeover: continues.map { LineagePart.Takeover(node: $0.node, at: $0.at) })
    }
}

extension LedgerRecord {
    public var lineagePart: LineagePart {
        LineagePart(
            lineage: lineage, node: node, stamp: stamp, startedAt: startedAt,
            takeover: continuedAt.map { LineagePart.Takeover(node: continuedFrom, at: $0) })
    }
}
