// SPDX-License-Identifier: Apache-2.0

/// The counters of a node since its start, and its state.
package struct NodeMetrics: Hashable, Sendable {
    package var isLinked = false
    package var connections = 0
    package var received = 0
    package var published = 0
    package var dropped: [String: Int] = [:]
    package var replies: [String: Int] = [:]
    package var answers: [String: Int] = [:]
    package var failedWrites = 0
    package var isSaved = true
    /// The error bound of the kernel's clock in milliseconds; `nil` if unknown.
    package var clockBound: Int64?
    /// The error bound of the shown time in milliseconds; `nil` if unknown, or while idle.
    package var errorBound: Int64?
    /// The milliseconds by which the wall clock is ahead of group time.
    package var clockAhead: Int64 = 0
    package var peers = 0
    package var recordsWaiting = 0
    package var isLive = false

    package init() {}
}
