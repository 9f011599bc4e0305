// SPDX-License-Identifier: Apache-2.0

/// What a node has counted since it began, and how it stands.
public struct NodeMetrics: Hashable, Sendable {
    /// Whether it is connected to the broker.
    public var isLinked = false
    /// How often it was connected.
    public var connections = 0
    /// Messages that came from the broker.
    public var received = 0
    /// Messages that went to it.
    public var published = 0
    /// Messages that were not used, by reason.
    public var dropped: [String: Int] = [:]
    /// What became of requests of programs and pages of this node, by outcome.
    public var replies: [String: Int] = [:]
    /// What this node has answered as an owner, by outcome.
    public var answers: [String: Int] = [:]
    /// Writes of the journal that failed.
    public var failedWrites = 0
    /// Whether the last write of the journal is on disk.
    public var isSaved = true
    /// By how many milliseconds the kernel's clock is wrong at most; `nil` where nobody can tell.
    public var clockBound: Int64?
    /// By how many milliseconds the time of the session that is shown is wrong at most; `nil` as above, or while idle.
    public var errorBound: Int64?
    /// By how many milliseconds the wall clock is ahead of group time.
    public var clockAhead: Int64 = 0
    /// Nodes that are known to be there, this one not counted.
    public var peers = 0
    /// Ledger records that the debt service has not acknowledged.
    public var recordsWaiting = 0
    /// Whether a session is live.
    public var isLive = false

    /// Nothing counted yet.
    public init() {}
}
