// SPDX-License-Identifier: Apache-2.0

import API
import Mosquitto
import Runtime
import Session
import Wire

/// The observers of what a node shows, and the feeds of the services that are shown beside the session.
struct ViewHub {
    var feeds = Feeds()
    /// Called with each new view; see ``Node/onView(_:)``.
    var handler: (@Sendable (View) -> Void)?
    /// Whether the core has reported a change that is not shown yet.
    var isShowDue = false
    /// The number of machines that were online at the last ``note(online:)``.
    private var online = 0
    private var observers: [Int: (isolated Node) -> Void] = [:]
    private var lastID = 0
    /// The timer that fires when the week's debt shows another minute.
    var debtTick: LoopTimer?

    /// Returns the observer's number.
    mutating func add(_ observer: @escaping (isolated Node) -> Void) -> Int {
        lastID += 1
        observers[lastID] = observer
        return lastID
    }

    mutating func remove(_ id: Int) { observers[id] = nil }
    func show(_ node: isolated Node) { for observer in observers.values { observer(node) } }

    /// Notes how many machines are online, and returns whether the number has changed.
    mutating func note(online: Int) -> Bool {
        defer { self.online = online }
        return online != self.online
    }

    /// Arms the timer for the next change of the week's debt by time alone.
    func armDebtTick(at time: GroupTime) {
        guard let next = feeds.nextDebtChange(after: time) else { return debtTick?.disarm() ?? () }
        debtTick?.arm(after: next - time)
    }
}
