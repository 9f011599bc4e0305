// SPDX-License-Identifier: Apache-2.0

/// The order of starts: hybrid logical time, then node id. The largest start wins.
public struct Stamp: Hashable, Comparable, Sendable {
    /// Milliseconds of group time since 1970.
    public var time: Int64
    /// Orders starts within one millisecond, or behind a clock that was ahead.
    public var counter: Int
    /// The node that started.
    public var node: NodeID

    /// Makes a stamp from its parts.
    public init(time: Int64, counter: Int, node: NodeID) {
        self.time = time
        self.counter = counter
        self.node = node
    }

    /// Compares time, counter and node, in that order.
    public static func < (a: Stamp, b: Stamp) -> Bool {
        if a.time != b.time { return a.time < b.time }
        if a.counter != b.counter { return a.counter < b.counter }
        return a.node < b.node
    }
}

/// A hybrid logical clock: what it stamps is larger than all that it stamped or saw before.
///
/// The reading is the high-water mark that a journal keeps, so that a restart does not fall behind it.
public struct HybridClock: Hashable, Sendable {
    /// The largest time stamped or seen, in milliseconds since 1970.
    public private(set) var time: Int64
    /// The counter that goes with ``time``.
    public private(set) var counter: Int

    /// A clock that goes on from a mark.
    public init(time: Int64 = 0, counter: Int = 0) {
        self.time = time
        self.counter = counter
    }

    /// Stamps a start of `node` at group time `now`.
    public mutating func stamp(at now: Int64, node: NodeID) -> Stamp {
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

    /// Whether a stamp is not above the mark.
    func isAtLeast(_ stamp: Stamp) -> Bool { (time, counter) >= (stamp.time, stamp.counter) }

    /// Takes note of an admitted stamp, so that a start made while looking at it beats it.
    /// - Returns: Whether the mark rose.
    public mutating func see(_ stamp: Stamp) -> Bool {
        guard !isAtLeast(stamp) else { return false }
        time = stamp.time
        counter = stamp.counter
        return true
    }
}
