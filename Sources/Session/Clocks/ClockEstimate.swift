// SPDX-License-Identifier: Apache-2.0

/// The offset of another node's clocks, as an interval that each exchange narrows and drift widens.
///
/// A ping was sent at `sent`, answered at the peer's reading `boot`, and the answer came at `now`. This proves that the
/// peer's boot clock is ahead of this one by `boot - now` to `boot - sent`, whatever part of the delay each direction
/// had. This is the interval method of Marzullo and Owicki, "Maintaining the Time in a Distributed System" (1983).
package struct ClockEstimate: Hashable, Sendable {
    /// The time in which two clocks drift apart by a microsecond at most: 200 millionths, twice a crystal's tolerance.
    package static let driftInterval: Milliseconds = 5

    let bootID: BootID
    /// The interval as of ``at``.
    private var low: Microseconds
    private var high: Microseconds
    /// This node's boot clock at the last exchange.
    private(set) var at: BootTime
    /// This node's boot clock when the ping of that exchange was sent.
    private var sent: BootTime
    /// The peer's wall clock minus its boot clock.
    private let peerWallLead: Lead
    /// The peer's group time minus its boot clock.
    private let peerGroupLead: Lead
    var clock: ClockQuality
    /// Whether the node has stayed online since.
    var isPresent = true

    /// Combines an exchange with the earlier estimate of the node.
    init(_ pong: Pong, at now: BootTime, after known: ClockEstimate? = nil) {
        bootID = pong.bootID
        // Readings are rounded down to the millisecond, so the bounds are 1 ms wider.
        low = Microseconds(pong.boot - now - 1)
        // While the pong was on its way, the peer's clock may have gained.
        high = Microseconds(pong.boot - pong.sent + 1) + Self.drift(in: now - pong.sent)
        at = now
        sent = pong.sent
        peerWallLead = Lead(of: GroupTime(told: pong.wall), over: pong.boot)
        peerGroupLead = Lead(of: pong.at, over: pong.boot)
        clock = pong.clock
        guard let known, known.bootID == bootID else { return }
        let drift = Self.drift(in: now - known.at)
        let (low, high) = (max(low, known.low - drift), min(high, known.high + drift))
        // If the intervals do not overlap, a clock has jumped, and the newer exchange counts.
        if low <= high { (self.low, self.high) = (low, high) }
    }

    /// Whether this estimate is from a later boot of the peer than a pong.
    func isLater(than pong: Pong) -> Bool { pong.bootID != bootID && pong.sent <= sent }

    /// The most that two clocks can drift apart in a time.
    private static func drift(in time: Milliseconds) -> Microseconds {
        Microseconds(max(0, time).count / driftInterval.count + 1)
    }

    static func driftBound(in time: Milliseconds) -> Milliseconds { drift(in: time).roundedUp }

    /// The peer's boot clock minus this node's: the middle of the interval.
    var offset: Milliseconds { Milliseconds(Int64((Double((low + high).count) / 2_000).rounded())) }

    /// The largest error of ``offset``.
    func bound(at now: BootTime) -> Milliseconds { bound(of: offset, at: now) }

    /// The largest error of an offset that was chosen earlier.
    func bound(of chosen: Milliseconds, at now: BootTime) -> Milliseconds {
        let chosen = Microseconds(chosen)
        return (max(high - chosen, chosen - low) + Self.drift(in: now - at)).roundedUp
    }

    /// The peer's wall clock minus this node's boot clock.
    var wallLead: Lead { peerWallLead + offset }
    /// The peer's group time minus this node's boot clock.
    var groupLead: Lead { peerGroupLead + offset }
}
