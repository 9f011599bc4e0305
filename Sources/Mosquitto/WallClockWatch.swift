// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A registration of a handler for when the wall clock is set, until it is released: ``EventLoop/watchWallClock(_:)``.
public final class WallClockWatch: Sendable {
    private let loop: EventLoop
    private let id: UInt64

    fileprivate init(_ loop: EventLoop, _ id: UInt64) {
        self.loop = loop
        self.id = id
    }

    deinit {
        // Release the closure outside the lock: it may hold the last reference to another watch.
        _ = loop.clockWatches.withLock { $0.handlers.removeValue(forKey: id) }
    }
}

/// The handlers for steps of the wall clock, by id.
struct ClockWatches {
    var handlers: [UInt64: @Sendable () -> Void] = [:]
    var nextID: UInt64 = 0
}

extension EventLoop {
    /// Calls a handler each time the wall clock is set.
    ///
    /// NTP sets it after a start with a wrong time. A slewed clock, which runs a little faster or slower, is not set.
    ///
    /// - Parameter handler: Called on the loop's thread; it may enter an actor of the loop with `assumeIsolated`.
    /// - Returns: The watch. The caller must keep it for as long as it needs the calls.
    public func watchWallClock(_ handler: @escaping @Sendable () -> Void) -> WallClockWatch {
        let id = clockWatches.withLock { watches in
            watches.nextID += 1
            watches.handlers[watches.nextID] = handler
            return watches.nextID
        }
        return WallClockWatch(self, id)
    }

    func clockWasSet() {
        poll.readClockTimer()
        for handler in clockWatches.withLock({ Array($0.handlers.values) }) { handler() }
    }
}
