// SPDX-License-Identifier: Apache-2.0

import Platform
import Synchronization

/// A one-shot timer of an ``EventLoop``, created by ``EventLoop/makeTimer(_:)``.
///
/// It uses the boot clock, which counts suspend. Armed, it fires once, never early. Releasing it disarms it.
public final class LoopTimer: Sendable {
    private let loop: EventLoop
    private let id: UInt64
    private let fire: @Sendable () -> Void

    fileprivate init(_ loop: EventLoop, _ id: UInt64, _ fire: @escaping @Sendable () -> Void) {
        self.loop = loop
        self.id = id
        self.fire = fire
    }

    deinit { loop.disarm(id) }

    /// Sets the time at which to fire, and replaces the one set before.
    ///
    /// - Parameter milliseconds: The time on the boot clock (`CLOCK_BOOTTIME`); a past time fires at once.
    public func arm(atBootMilliseconds milliseconds: Int64) {
        loop.arm(id, milliseconds, fire)
    }

    /// Disarms the timer. On the loop's thread it no longer fires; on another thread a call may already be running.
    public func disarm() {
        loop.disarm(id)
    }
}

/// The armed timers of one loop, which share one kernel timer.
struct Timers {
    /// A timer that will fire.
    struct Armed {
        var at: Int64
        var fire: @Sendable () -> Void
    }

    var armed: [UInt64: Armed] = [:]
    var nextID: UInt64 = 0
    /// The time the kernel's timer is set to, in boot milliseconds. It may be earlier than the first timer: one idle
    /// wake-up costs less than a system call for each disarm.
    var kernel: Int64?

    mutating func removeAll() {
        armed = [:]
        kernel = nil
    }
}

extension EventLoop {
    /// Creates a timer, not yet armed.
    ///
    /// - Parameter fire: Called on the loop's thread; it may enter an actor of the loop with `assumeIsolated`.
    /// - Returns: The timer. The caller must keep it for as long as it shall fire.
    public func makeTimer(_ fire: @escaping @Sendable () -> Void) -> LoopTimer {
        let id = timers.withLock { timers in
            timers.nextID += 1
            return timers.nextID
        }
        return LoopTimer(self, id, fire)
    }

    fileprivate func arm(_ id: UInt64, _ at: Int64, _ fire: @escaping @Sendable () -> Void) {
        timers.withLock { timers in
            timers.armed[id] = Timers.Armed(at: at, fire: fire)
            guard timers.kernel.map({ at < $0 }) ?? true, !hasStopped else { return }
            timers.kernel = at
            poll.setTimer(at)
        }
    }

    fileprivate func disarm(_ id: UInt64) {
        // Release the closure outside the lock: it may hold the last reference to an object that disarms timers.
        _ = timers.withLock { $0.armed.removeValue(forKey: id) }
    }

    private var hasStopped: Bool {
        queue.withLock { $0.stage == .stopped }
    }

    func dispatch(_ ready: Poll.Ready) {
        switch ready.token {
        case Poll.wakeToken: break
        case Poll.timerToken: fireTimers()
        case Poll.clockToken: clockWasSet()
        default: poll.handler(ready.token)?(ready)
        }
    }

    private func fireTimers() {
        poll.readTimer()
        let now = SystemClock.bootMilliseconds()
        let due = timers.withLock { timers in
            let due = timers.armed.filter { $0.value.at <= now }.sorted {
                ($0.value.at, $0.key) < ($1.value.at, $1.key)
            }
            return due.map(\.key)
        }
        for id in due {
            // Look it up again: a timer that fired before it may have disarmed it or set a later time.
            let timer = timers.withLock { timers -> Timers.Armed? in
                guard let timer = timers.armed[id], timer.at <= now else { return nil }
                return timers.armed.removeValue(forKey: id)
            }
            timer?.fire()
        }
        timers.withLock { timers in
            timers.kernel = timers.armed.values.map(\.at).min()
            poll.setTimer(timers.kernel)
        }
    }
}
