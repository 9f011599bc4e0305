// SPDX-License-Identifier: Apache-2.0

import Session
import Synchronization

/// How many sessions a node may add to the ledger of a space, so that none of them fills the disk of all.
///
/// A person has some tens of sessions a day; a node that was away for months, or whose ledger was lost, sends some
/// thousands at once.
public final class RecordQuota: Sendable {
    /// New sessions of one node in a day; as many may come at once.
    public static let sessionsPerDay = 30_000
    /// Sessions of one node in all.
    public static let sessions = 300_000

    private struct Key: Hashable {
        var space: SpaceID
        var node: NodeID
    }

    private struct Use {
        var stored: Int
        var allowance: Double
        var at: ContinuousClock.Instant
    }

    private static let nodes = 65_536
    private let uses = Mutex<[Key: Use]>([:])

    /// Makes a quota that nobody has used.
    public init() {}

    /// Counts a session that is new to the ledger.
    /// - Parameter stored: Finds how many sessions of the node there are; asked once for each node.
    /// - Returns: Whether it may be filed.
    func admits(
        _ node: NodeID, in space: SpaceID, now: ContinuousClock.Instant = .now, stored: () throws -> Int
    ) rethrows -> Bool {
        let key = Key(space: space, node: node)
        return try uses.withLock { uses in
            if uses.count > Self.nodes { uses = [:] }
            var use = try uses[key] ?? Use(stored: stored(), allowance: Double(Self.sessionsPerDay), at: now)
            let days = (now - use.at) / .seconds(86_400)
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
