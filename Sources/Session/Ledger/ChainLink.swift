// SPDX-License-Identifier: Apache-2.0

/// One session as a link of a chain of takeovers.
///
/// It holds the one rule that says where the runs of a session end because another node took it over. The owner, the
/// ledger and the calm service apply it to what each of them knows.
public struct ChainLink: Hashable, Sendable {
    /// What a session took over.
    public struct Takeover: Hashable, Sendable {
        /// The node whose session it continues; `nil` where the writer does not name it.
        public var node: NodeID?
        /// The takeover in milliseconds of group time.
        public var at: Int64

        /// Makes a takeover.
        public init(node: NodeID?, at: Int64) {
            self.node = node
            self.at = at
        }
    }

    /// The first session of the chain.
    public var lineage: SessionID
    /// The node that owns the session.
    public var node: NodeID
    /// The order of its start.
    public var stamp: Stamp
    /// Its start, or its own takeover, in milliseconds of group time.
    public var begin: Int64
    /// The takeover that began it; `nil` for a session that a person started.
    public var takeover: Takeover?

    /// Makes a link.
    /// - Parameter startedAt: The start of the session in group time; a takeover replaces it as the beginning.
    public init(lineage: SessionID, node: NodeID, stamp: Stamp, startedAt: Int64, takeover: Takeover?) {
        self.lineage = lineage
        self.node = node
        self.stamp = stamp
        self.begin = takeover?.at ?? startedAt
        self.takeover = takeover
    }

    /// Returns when `later` took this session over; `nil` if it did not.
    ///
    /// A takeover ends only sessions of the node that it names, in its own lineage, that were stamped before it. One that
    /// lies before the session's beginning by more than clocks may differ belongs to an earlier session.
    public func end(by later: ChainLink) -> Int64? {
        guard later.lineage == lineage, later.stamp > stamp, let takeover = later.takeover, takeover.node == node,
            takeover.at >= begin - Limits.stampLead
        else { return nil }
        return takeover.at
    }

    /// Returns the earliest takeover of this session among `others`; `nil` if there is none.
    public func end(by others: some Sequence<ChainLink>) -> Int64? { others.compactMap { end(by: $0) }.min() }
}

extension Register {
    /// The session as a link of its chain.
    public var link: ChainLink {
        ChainLink(
            lineage: lineage, node: owner, stamp: stamp, startedAt: startedAt,
            takeover: continues.map { ChainLink.Takeover(node: $0.node, at: $0.at) })
    }
}

extension LedgerRecord {
    /// The session as a link of its chain.
    public var link: ChainLink {
        ChainLink(
            lineage: lineage, node: node, stamp: stamp, startedAt: startedAt,
            takeover: continuedAt.map { ChainLink.Takeover(node: continuedFrom, at: $0) })
    }
}
