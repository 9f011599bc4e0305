// SPDX-License-Identifier: Apache-2.0

/// The counters of a node since its start, and its state.
public struct NodeMetrics: Hashable, Sendable {
    /// Whether it is connected to the broker.
    public var isLinked = false
    /// How often it was connected.
    public var connections = 0
    /// Messages that came from the broker.
    public var received = 0
    /// Messages that went to it.
    public var published = 0
    /// Messages that were dropped, by reason.
    public var dropped: [String: Int] = [:]
    /// Requests of programs and pages of this node, by outcome.
    public var replies: [String: Int] = [:]
    /// Answers of this node as an owner, by outcome.
    public var answers: [String: Int] = [:]
    /// Writes of the journal that failed.
    public var failedWrites = 0
    /// Whether the last write of the journal is on disk.
    public var isSaved = true
    /// The most by which the kernel's clock is wrong, in milliseconds; `nil` if unknown.
    public var clockBound: Int64?
    /// The most by which the shown time is wrong, in milliseconds; `nil` if unknown, or while idle.
    public var errorBound: Int64?
    /// The milliseconds by which the wall clock is ahead of group time.
    public var clockAhead: Int64 = 0
    /// Other nodes that are online.
    public var peers = 0
    /// Ledger records that the debt service has not acknowledged.
    public var recordsWaiting = 0
    /// Whether a session is live.
    public var isLive = false

    /// Makes counters at zero.
    public init() {}
}
