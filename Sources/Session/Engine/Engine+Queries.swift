// SPDX-License-Identifier: Apache-2.0

extension Engine {
    /// Whether the own session was started without contact and nobody has heard of it.
    package var isProvisional: Bool { journal.isProvisional }

    /// Whether the group time that a node last said, in this node's presence, contradicts this node's.
    public func isContradicted(by peer: NodeID) -> Bool { exchange.contradicting.contains(peer) }

    /// The plausible clocks of others that are vouched for, as far as they have told this node: the milliseconds that each
    /// may be ahead of this node's boot clock, and whether its node is there.
    package func vouchedVoices(_ now: Instant) -> [NodeID: (lead: ClosedRange<Int64>, isPresent: Bool)] {
        exchange.estimates.compactMapValues { estimate in
            guard estimate.clock.synced, GroupClock.isPlausible(now.boot + estimate.lead) else { return nil }
            let bound = estimate.bound(at: now.boot)
            return (estimate.lead - bound...estimate.lead + bound, estimate.isPresent)
        }
    }

    /// The latest register of a node, this one included, as far as it is known here.
    public func register(of subject: NodeID) -> Register? {
        isSelf(subject) ? journal.own : registers[subject]?.register
    }

    /// What tells that register from every other.
    package func mark(of subject: NodeID) -> (stamp: Stamp, version: Version)? {
        if isSelf(subject) { return journal.own.map { ($0.stamp, $0.version) } }
        return registers[subject].map { ($0.stamp, $0.version) }
    }
}
