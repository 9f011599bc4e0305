// SPDX-License-Identifier: Apache-2.0

/// The offset of another node's clocks, as an interval that each exchange narrows and drift widens.
///
/// A ping sent at `sent` and answered at the peer's reading `boot` before `now` proves that the peer's boot clock is ahead
/// of this one by at least `boot - now` and at most `boot - sent`, however the delay was divided between the two
/// directions. This is the interval method of Marzullo and Owicki, "Maintaining the Time in a Distributed System" (1983).
struct ClockEstimate: Hashable, Sendable {
    /// Milliseconds in which two quartzes drift apart by one microsecond at most: 200 millionths.
    ///
    /// That is twice the tolerance of the crystals of computers.
    static let driftMilliseconds: Int64 = 5

    let bootID: BootID
    /// The interval, in microseconds, as of ``at``.
    private var low: Int64
    private var high: Int64
    /// This node's boot clock at the last exchange.
    private(set) var at: Int64
    /// This node's boot clock when the ping of that exchange was sent.
    private var sent: Int64
    /// The peer's wall clock minus its boot clock.
    private let wallLead: Int64
    /// Its group time minus its boot clock.
    private let timeLead: Int64
    var clock: ClockQuality
    /// Whether the node has stayed online since.
    var isPresent = true

    /// Combines an exchange with the earlier estimate of the node.
    init(_ pong: Pong, at now: Int64, after known: ClockEstimate? = nil) {
        bootID = pong.bootID
        // A reading is rounded down to the millisecond.
        low = (pong.boot - now - 1) * 1_000
        // While the pong was on its way, the peer's clock may have gained.
        high = (pong.boot - pong.sent + 1) * 1_000 + Self.drift(in: now - pong.sent)
        at = now
        sent = pong.sent
        wallLead = pong.wall - pong.boot
        timeLead = pong.at - pong.boot
        clock = pong.clock
        guard let known, known.bootID == bootID else { return }
        let drift = Self.drift(in: now - known.at)
        let (low, high) = (max(low, known.low - drift), min(high, known.high + drift))
        // If they contradict each other, a clock has jumped, and the newer exchange counts.
        if low <= high { (self.low, self.high) = (low, high) }
    }

    /// Whether a pong belongs to a boot before this one.
    func isLater(than pong: Pong) -> Bool { pong.bootID != bootID && pong.sent <= sent }

    /// Microseconds by which two clocks can drift apart in a time.
    private static func drift(in milliseconds: Int64) -> Int64 { max(0, milliseconds) / driftMilliseconds + 1 }

    /// The largest drift within some milliseconds, in whole milliseconds, rounded up.
    static func driftBound(in milliseconds: Int64) -> Int64 { (drift(in: milliseconds) + 999) / 1_000 }

    /// The peer's boot clock minus this node's, in milliseconds: the middle of the interval.
    var offset: Int64 { Int64((Double(low + high) / 2_000).rounded()) }

    /// The largest error of ``offset`` in milliseconds.
    func bound(at now: Int64) -> Int64 { bound(of: offset, at: now) }

    /// The largest error of an offset that was chosen earlier, in milliseconds.
    func bound(of chosen: Int64, at now: Int64) -> Int64 {
        (max(high - chosen * 1_000, chosen * 1_000 - low) + Self.drift(in: now - at) + 999) / 1_000
    }

    /// The peer's wall clock minus this node's boot clock.
    var lead: Int64 { offset + wallLead }

    /// The peer's group time minus this node's boot clock.
    var groupLead: Int64 { offset + timeLead }
}
