// SPDX-License-Identifier: Apache-2.0

/// The high-water mark of stamps, and the mark in the journal, which is never below it.
struct StampMark: Hashable, Sendable {
    /// The largest stamp given or admitted.
    private(set) var seen = HybridClock()
    private(set) var written = HybridClock()

    init() {}

    /// Continues from the journal of an earlier process.
    init(_ found: HybridClock, _ context: Context) {
        (seen, written) = (found, found)
        let limit = context.groupTime + Limits.stampLead
        if context.source.isVouched, seen.time > limit, seen.time <= limit + HybridClock.reserve {
            // A node admits no stamp above this limit, so what the journal has above it is the reserve of a write.
            seen = HybridClock(time: limit, counter: Limits.counter.upperBound)
        }
    }

    /// Raises the mark to an admitted stamp, and the mark in the journal above it with a reserve. Returns whether that
    /// must be written. An own stamp needs no reserve. Stamps of others rise by at most 10 s and the time that passes.
    /// So even a peer that publishes rising stamps all the time causes about one write of the journal per second.
    mutating func raise(to stamp: Stamp, _ context: Context) -> Bool {
        guard seen.see(stamp), !written.isAtLeast(stamp) else { return false }
        // rule: markOnDisk, else: return false
        written = stamp.node != context.node ? seen.reserved : seen  // rule: markReserve, else: seen
        return true
    }

    /// Forgets the mark of a wrong clock, which would keep every stamp of this node from being admitted.
    mutating func reset() { (seen, written) = (HybridClock(), HybridClock()) }

    /// Returns a stamp for a start of this node above the mark. The mark rises only with ``adopt(_:)``.
    func nextStamp(_ context: Context) -> Stamp {
        var clock = seen  // rule: hybridClock, else: HybridClock()
        return clock.stamp(at: context.groupTime, node: context.node)
    }

    /// Raises the mark to a stamp of this node, which is in the same write of the journal.
    mutating func adopt(_ stamp: Stamp) {
        seen = HybridClock(time: stamp.time, counter: stamp.counter)
        if !written.isAtLeast(stamp) { written = seen }
    }

    /// Whether no stamp above the mark would count. Group time was later when the mark was raised.
    func isAhead(_ context: Context) -> Bool { context.isAhead(seen) }
}
