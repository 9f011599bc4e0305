// SPDX-License-Identifier: Apache-2.0

import Ledger
import Runtime
import Session
import Synchronization

/// A limit on the sessions that each node may add to a ledger. So no node can fill the disk. A person has tens of
/// sessions a day. A node that was offline for months, or a ledger that was lost, causes some thousands at once.
package final class RecordQuota: Sendable {
    /// The new sessions of one node per day; also the maximum burst.
    package static let sessionsPerDay = 30_000
    /// The total number of sessions of one node.
    package static let sessions = 300_000

    /// The number of sessions that a node has stored, and how many it may store now.
    struct Use: Equatable {
        var stored: Int
        var allowance: Double
        /// The time of ``allowance``.
        var at: BootTime
    }

    /// The maximum number of nodes whose use is cached; beyond it all are read from the ledger again.
    private static let nodesLimit = 65_536
    private let cache = Mutex<[SpaceNode: Use]>([:])

    /// The use of each node, to restore it when a transaction fails.
    var uses: [SpaceNode: Use] {
        get { cache.withLock(\.self) }
        set { cache.withLock { $0 = newValue } }
    }

    package init() {}

    /// Counts a session that is new to the ledger, and returns whether the quota admits it.
    /// - Parameter stored: Returns the number of stored sessions of the node; called once for each node.
    func admits(
        _ node: NodeID, in space: SpaceID, now: BootTime = Clocks.boot(), stored: () throws -> Int
    ) rethrows -> Bool {
        let key = SpaceNode(space: space, node: node)
        return try cache.withLock { uses in
            if uses.count > Self.nodesLimit { uses = [:] }
            var use = try uses[key] ?? Use(stored: stored(), allowance: Double(Self.sessionsPerDay), at: now)
            let days = Double((now - use.at).count) / 86_400_000
            use.allowance = min(use.allowance + days * Double(Self.sessionsPerDay), Double(Self.sessionsPerDay))
            use.at = now
            defer { uses[key] = use }
            guard use.allowance >= 1, use.stored < Self.sessions else { return false }
            use.allowance -= 1
            use.stored += 1
            return true
        }
    }
}
