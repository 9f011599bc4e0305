// SPDX-License-Identifier: Apache-2.0

public import Session

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

    /// Returns for each session when the earliest takeover that counts ended its runs; ``Time/distantFuture`` for a
    /// session without one.
    ///
    /// A takeover does not count if the ledger received it after the session's end. One that names no node took over
    /// from the latest session before it.
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
                    guard let end = sessions[earlier].part.takenOverAt(by: later.part) else { continue }
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
