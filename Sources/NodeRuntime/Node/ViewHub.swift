// SPDX-License-Identifier: Apache-2.0

import Control
import Mosquitto
import Platform
import Session
import Wire

/// The observers of a node's view, and the feeds of the services that are shown beside it.
struct ViewHub {
    /// The latest feeds of the services.
    private(set) var feeds = Feeds()
    /// Called with each new view; see ``Node/onView(_:)``.
    var handler: (@Sendable (View) -> Void)?
    /// Whether the core has reported a change that is not shown yet.
    private var isShowDue = false
    private var observers: [Int: AsyncStream<View>.Continuation] = [:]
    private var lastID = 0
    private var debtTick: LoopTimer?

    /// Sets the timer that fires when the week's debt shows another minute.
    mutating func use(debtTick: LoopTimer) { self.debtTick = debtTick }

    /// Returns a stream of this view and every later one; a slow reader gets the latest.
    /// - Parameter leave: Called on any thread, with the observer's number, when the stream has ended.
    mutating func observe(_ view: View, leave: @escaping @Sendable (Int) -> Void) -> AsyncStream<View> {
        let (stream, continuation) = AsyncStream.makeStream(of: View.self, bufferingPolicy: .bufferingNewest(1))
        lastID += 1
        let id = lastID
        observers[id] = continuation
        continuation.onTermination = { _ in leave(id) }
        continuation.yield(view)
        return stream
    }

    mutating func remove(_ id: Int) { observers[id] = nil }

    func show(_ view: View) { for observer in observers.values { observer.yield(view) } }

    mutating func setShowDue() { isShowDue = true }

    /// Returns whether a change is to be shown, and resets it.
    mutating func takeShowDue() -> Bool {
        defer { isShowDue = false }
        return isShowDue
    }

    /// Stores a feed.
    /// - Returns: Whether it differs from the one before.
    mutating func update(_ feed: Feed) -> Bool { feeds.take(feed) }

    /// Arms the timer for the next change of the week's debt by time alone.
    func armDebtTick(at time: Int64) {
        guard let next = feeds.nextDebtChange(after: time) else { return debtTick?.disarm() ?? () }
        debtTick?.arm(atBootMilliseconds: SystemClock.bootMilliseconds() + next - time)
    }
}
