// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A timer of an ``EventLoop``, made by ``EventLoop/makeTimer(_:)``.
///
/// It counts on the boot clock, which goes on in suspend. It fires once for each time it is armed, never early. Letting
/// go of it disarms it.
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

    /// Sets the time to fire, in place of an earlier one.
    ///
    /// - Parameter milliseconds: On the clock of ``EventLoop/bootMilliseconds()``; a past time fires at once.
    public func arm(atBootMilliseconds milliseconds: Int64) {
        loop.arm(id, milliseconds, fire)
    }

    /// Takes the time back. On the loop's thread nothing fires any more; elsewhere a firing may be under way.
    public func disarm() {
        loop.disarm(id)
    }

    /// Ends the use of the timer; the same as ``disarm()``.
    public func cancel() {
        loop.disarm(id)
    }
}

/// The armed timers of one loop, which share one kernel timer.
struct Timers {
    struct Armed {
        var at: Int64
        var fire: @Sendable () -> Void
    }

    var armed: [UInt64: Armed] = [:]
    var nextID: UInt64 = 0
    /// What the kernel's timer is set to. It may be earlier than the first timer: that costs one idle wake-up, where
    /// setting it back would cost a call each time.
    var kernel: Int64?

    mutating func removeAll() {
        armed = [:]
        kernel = nil
    }
}

extension EventLoop {
    /// Makes a timer, not yet armed.
    ///
    /// - Parameter fire: Called on the loop's thread; an actor of the loop may be entered with `assumeIsolated`.
    /// - Returns: The timer, which the caller keeps as long as it is to fire.
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
        // The closure may hold the last reference to things that disarm timers themselves: let go outside the lock.
        _ = timers.withLock { $0.armed.removeValue(forKey: id) }
    }

    private var hasStopped: Bool {
        queue.withLock { $0.stage == .stopped }
    }

    func dispatch(_ ready: Poll.Ready) {
        switch ready.token {
        case Poll.wakeToken: break
        case Poll.timerToken: fireTimers()
        default: poll.handler(ready.token)?(ready)
        }
    }

    private func fireTimers() {
        poll.readTimer()
        let now = Self.bootMilliseconds()
        let due = timers.withLock { timers in
            let due = timers.armed.filter { $0.value.at <= now }.sorted {
                ($0.value.at, $0.key) < ($1.value.at, $1.key)
            }
            return due.map(\.key)
        }
        for id in due {
            // Looked up again: one that fired before it may have disarmed it, or set it to a later time.
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
