// SPDX-License-Identifier: Apache-2.0

/// The counters of a node since its start, and its state.
package struct NodeMetrics: Hashable, Sendable {
    /// Whether it is connected to the broker.
    package var isLinked = false
    /// How often it was connected.
    package var connections = 0
    /// Messages that came from the broker.
    package var received = 0
    /// Messages that went to it.
    package var published = 0
    /// Messages that were dropped, by reason.
    package var dropped: [String: Int] = [:]
    /// Requests of programs and pages of this node, by outcome.
    package var replies: [String: Int] = [:]
    /// Answers of this node as an owner, by outcome.
    package var answers: [String: Int] = [:]
    /// Writes of the journal that failed.
    package var failedWrites = 0
    /// Whether the last write of the journal is on disk.
    package var isSaved = true
    /// The most by which the kernel's clock is wrong, in milliseconds; `nil` if unknown.
    package var clockBound: Int64?
    /// The most by which the shown time is wrong, in milliseconds; `nil` if unknown, or while idle.
    package var errorBound: Int64?
    /// The milliseconds by which the wall clock is ahead of group time.
    package var clockAhead: Int64 = 0
    /// Other nodes that are online.
    package var peers = 0
    /// Ledger records that the debt service has not acknowledged.
    package var recordsWaiting = 0
    /// Whether a session is live.
    package var isLive = false

    package init() {}
}
