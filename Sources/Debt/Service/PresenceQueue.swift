// SPDX-License-Identifier: Apache-2.0

import Ledger
import Mosquitto
import Session

/// The nodes whose presence has arrived. Presences have no rate limit, so each node is handled at most once in an
/// ``interval``.
struct PresenceQueue {
    /// The presences of a node since it was handled last.
    struct Change: Hashable {
        /// Whether the node was online meanwhile.
        var hasReturned = false
        /// When it went offline, `nil` if it is online.
        var goneSince: GroupTime?
        /// When it can be handled.
        var dueAt: BootTime
    }

    /// The minimum time between two handlings of a node.
    static let interval: Milliseconds = 5_000

    private var waiting: [SpaceNode: Change] = [:]
    /// When the nodes of the last ``interval`` were handled.
    private var handled: [SpaceNode: BootTime] = [:]
    private var armedFor: BootTime?
    private let timer: LoopTimer

    init(timer: LoopTimer) { self.timer = timer }

    mutating func insert(_ key: SpaceNode, goneSince: GroupTime?, at now: BootTime) {
        var change = waiting[key] ?? Change(dueAt: handled[key].map { $0 + Self.interval } ?? now)
        change.hasReturned = change.hasReturned || goneSince == nil
        change.goneSince = goneSince.map { change.goneSince ?? $0 }
        waiting[key] = change
        arm(for: change.dueAt)
    }

    mutating func removeDue(at now: BootTime) -> [SpaceNode: Change] {
        armedFor = nil
        let due = waiting.filter { $0.value.dueAt <= now }
        waiting = waiting.filter { $0.value.dueAt > now }
        handled = handled.filter { now - $0.value < Self.interval }
        for key in due.keys { handled[key] = now }
        if let next = waiting.values.map(\.dueAt).min() { arm(for: next) }
        return due
    }

    private mutating func arm(for due: BootTime) {
        guard armedFor.map({ due < $0 }) ?? true else { return }
        armedFor = due
        timer.arm(atBootMilliseconds: due.milliseconds)
    }
}
