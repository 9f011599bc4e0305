// SPDX-License-Identifier: Apache-2.0

/// The clocks and the identity that the parts of an engine read while one input is handled.
///
/// It is made once for an input or a rest. Only the choice of the source of group time renews it.
struct Context {
    let node: NodeID
    let bootID: BootID
    let now: Instant
    /// The source of group time.
    let source: TimeSource
    /// Group time in milliseconds since 1970.
    let groupTime: Int64

    /// The largest error of group time in milliseconds; `nil` if this machine's kernel does not vouch for it.
    var bound: Int64? { source == .own ? now.wallBound.map { min($0, Limits.reading.upperBound) } : nil }

    /// The quality of this machine's wall clock.
    var clockQuality: ClockQuality {
        ClockQuality(
            synced: now.wallBound != nil, bound: now.wallBound.map { min($0, Limits.reading.upperBound) },
            isWrong: GroupClock.contradict(now.wall, groupTime))
    }

    /// Whether a stamp is near enough to group time to count.
    func admits(_ stamp: Stamp, lead: Int64 = 0) -> Bool {
        return stamp.isAdmissible(at: groupTime + lead)  // rule: admission, else: true
    }
}
