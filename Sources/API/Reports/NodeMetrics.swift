// SPDX-License-Identifier: Apache-2.0

package import Session

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
    /// The error bound of the kernel's clock; `nil` if unknown.
    package var clockBound: Milliseconds?
    /// The error bound of the shown time; `nil` if unknown, or while idle.
    package var errorBound: Milliseconds?
    /// The time by which the wall clock is ahead of group time.
    package var clockAhead: Milliseconds = 0
    package var peers = 0
    package var recordsWaiting = 0
    package var isLive = false

    package init() {}
}
