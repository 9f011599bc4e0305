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
    public var begin: GroupTime
    /// The takeover that began it; `nil` for a session that a person started.
    public var takeover: Takeover?

    public init(lineage: SessionID, node: NodeID, stamp: Stamp, startedAt: GroupTime, takeover: Takeover?) {
        self.lineage = lineage
        self.node = node
        self.stamp = stamp
        self.begin = takeover?.at ?? startedAt
        self.takeover = takeover
    }

    /// Returns when `later` took this session over; `nil` if it did not. A takeover ends only sessions of the node that
    /// it names, in its own lineage, that were stamped before it. A takeover that lies before the session's beginning,
    /// by more than clocks may differ, belongs to an earlier session.
    public func end(by later: LineagePart) -> GroupTime? {
        guard later.lineage == lineage, later.stamp > stamp, let takeover = later.takeover,
            takeover.node == node,  // rule: cutNode
            takeover.at >= begin - Limits.stampLead  // rule: cutTime
        else { return nil }
        return takeover.at
    }

    /// Returns the earliest takeover of this session among `others`; `nil` if there is none.
    public func end(by others: some Sequence<LineagePart>) -> GroupTime? { others.compactMap { end(by: $0) }.min() }
}

/// A session in a chain of takeovers, as the ledger knows it.
public struct FiledPart: Hashable, Sendable {
    public var part: LineagePart
    /// When the ledger received the session's first record.
    public var firstReceivedAt: GroupTime
    /// When the ledger received the session's first final record; `nil` without one.
    public var finalReceivedAt: GroupTime?

    public init(_ part: LineagePart, firstReceivedAt: GroupTime, finalReceivedAt: GroupTime?) {
        self.part = part
        self.firstReceivedAt = firstReceivedAt
        self.finalReceivedAt = finalReceivedAt
    }

    /// Returns when a takeover ended the runs of each session, at the earliest one that counts. It is
    /// ``Time/distantFuture`` for a session that was not taken over. A takeover that the ledger received after the session's end does not cut it. A takeover that names
    /// no node took over from the latest session before it.
    public static func ends(of sessions: [FiledPart]) -> [GroupTime] {
        var ends = [GroupTime](repeating: .distantFuture, count: sessions.count)
        for chain in Dictionary(grouping: sessions.indices, by: { sessions[$0].part.lineage }).values
        where chain.count > 1 {
            let chain = chain.sorted { sessions[$0].part.stamp < sessions[$1].part.stamp }
            for (position, index) in chain.enumerated() where position > 0 {
                var later = sessions[index]
                if later.part.takeover?.node == nil {
                    later.part.takeover?.node = sessions[chain[position - 1]].part.node
                }
                for earlier in chain[..<position] where !sessions[earlier].isFinal(before: later) {
                    guard let end = sessions[earlier].part.end(by: later.part) else { continue }
                    ends[earlier] = min(ends[earlier], end)
                }
            }
        }
        return ends
    }

    /// Whether the ledger knew its end before it received `other`.
    private func isFinal(before other: FiledPart) -> Bool {
        return finalReceivedAt.map { $0 < other.firstReceivedAt } ?? false  // rule: finalUncut, else: false
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
