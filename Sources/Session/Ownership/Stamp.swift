// SPDX-License-Identifier: Apache-2.0

/// The order of starts: hybrid logical time, then node id. The largest start wins.
public struct Stamp: Hashable, Codable, Comparable, Sendable {
    /// The time of the start, within ``Limits/time``.
    public var time: GroupTime
    /// Orders starts within one millisecond, or after a clock that was ahead; within ``Limits/counter``.
    public var counter: Int
    public var node: NodeID

    /// The caller must keep to the bounds of the fields.
    public init(time: GroupTime, counter: Int, node: NodeID) {
        self.time = time
        self.counter = counter
        self.node = node
    }

    public static func < (a: Stamp, b: Stamp) -> Bool {
        if a.time != b.time { return a.time < b.time }
        if a.counter != b.counter { return a.counter < b.counter }
        return a.node < b.node
    }

    /// The group time from which on the stamp counts; `nil` if it never counts, because it is before 2026.
    var admissibleFrom: GroupTime? { time >= Limits.earliestStamp ? time - Limits.stampLead : nil }

    /// Whether the start counts: at most ``Limits/stampLead`` ahead, and not before ``Limits/earliestStamp``.
    public func isAdmissible(at groupTime: GroupTime) -> Bool { admissibleFrom.map { $0 <= groupTime } ?? false }

    /// Whether a start with this stamp counts at a group time that no kernel vouches for. The bound rises with time, so
    /// that there is always a stamp above the largest one.
    func isPlausible(at groupTime: GroupTime) -> Bool {
        time >= Limits.earliestStamp && time <= groupTime + Limits.plausibleSpan
    }
}

/// A hybrid logical clock: each stamp is larger than all that it stamped or saw before.
///
/// The algorithm is that of Kulkarni, Demirbas, Madappa, Avva and Leone, "Logical Physical Clocks and Consistent
/// Snapshots in Globally Distributed Databases" (2014). The reading is the high-water mark that a journal keeps, so
/// that a start after a restart is above it.
public struct HybridClock: Hashable, Sendable {
    /// The largest time stamped or seen.
    public var time: GroupTime
    /// The counter that belongs to ``time``.
    public var counter: Int

    /// How far the mark in a journal is raised above a stamp that passes it. So a flood of rising stamps causes few
    /// writes. A start after a crash may be stamped that much ahead: far below ``Limits/stampLead``.
    package static let reserve: Milliseconds = .seconds(1)

    /// Continues from a mark. The caller must keep `time` and `counter` within ``Limits``.
    public init(time: GroupTime = 0, counter: Int = 0) {
        self.time = time
        self.counter = counter
    }

    /// Returns a stamp above the mark, and raises the mark to it.
    public mutating func stamp(at now: GroupTime, node: NodeID) -> Stamp {
        if now > time {
            time = now
            counter = 0
        } else if counter < Limits.counter.upperBound {
            counter += 1
        } else {
            time += 1
            counter = 0
        }
        return Stamp(time: time, counter: counter, node: node)
    }

    /// The mark with the reserve.
    var reserved: HybridClock {
        HybridClock(time: min(time + Self.reserve, Limits.time.upperBound), counter: counter)
    }

    func isAtLeast(_ stamp: Stamp) -> Bool { (time, counter) >= (stamp.time, stamp.counter) }

    /// Raises the mark to a stamp, so that the next start is above it. Returns whether the mark has risen.
    public mutating func see(_ stamp: Stamp) -> Bool {
        guard !isAtLeast(stamp) else { return false }
        time = stamp.time
        counter = stamp.counter
        return true
    }
}
