// SPDX-License-Identifier: Apache-2.0

import API
import Mosquitto
import Runtime
import Session
import Wire

/// The observers of what a node shows, and the feeds of the services that are shown beside the session.
struct ViewHub {
    private(set) var feeds = Feeds()
    /// Called with each new view; see ``Node/onView(_:)``.
    var handler: (@Sendable (View) -> Void)?
    /// Whether the core has reported a change that is not shown yet.
    private var isShowDue = false
    /// The number of machines that were online at the last change of it.
    private var online = 0
    private var observers: [Int: (isolated Node) -> Void] = [:]
    private var lastID = 0
    private var debtTick: LoopTimer?

    /// Sets the timer that fires when the week's debt shows another minute.
    mutating func use(debtTick: LoopTimer) { self.debtTick = debtTick }

    /// Returns the observer's number.
    mutating func add(_ observer: @escaping (isolated Node) -> Void) -> Int {
        lastID += 1
        observers[lastID] = observer
        return lastID
    }

    mutating func remove(_ id: Int) { observers[id] = nil }
    func show(_ node: isolated Node) { for observer in observers.values { observer(node) } }
    mutating func setShowDue() { isShowDue = true }

    /// Returns whether another number of machines is online than before.
    mutating func note(online: Int) -> Bool {
        defer { self.online = online }
        return online != self.online
    }

    /// Returns whether a change is to be shown, and resets it.
    mutating func takeShowDue() -> Bool {
        defer { isShowDue = false }
        return isShowDue
    }

    /// Stores a feed, and returns whether it differs from the one before.
    mutating func update(_ feed: Feed) -> Bool { feeds.take(feed) }

    /// Arms the timer for the next change of the week's debt by time alone.
    func armDebtTick(at time: GroupTime) {
        guard let next = feeds.nextDebtChange(after: time) else { return debtTick?.disarm() ?? () }
        debtTick?.arm(after: next - time)
    }
}
