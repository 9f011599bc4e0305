// SPDX-License-Identifier: Apache-2.0

package import Core
package import Mosquitto
package import Session

/// Runs a core on an event loop. It is a `CoreLoop` that reads the clocks, and wakes the core when it is due or the
/// wall clock was set. The actor that holds it carries out the actions:
/// ```swift
/// guard runner.add(event) else { return }
/// while let actions = runner.next() { for action in actions { perform(action) } }
/// ```
package struct CoreRunner {
    /// Changed only by ``next()``. Its core is read in place.
    package private(set) var coreLoop: CoreLoop
    package let clocks: @Sendable () -> Instant
    private var isRunning = false
    private var timer: LoopTimer?
    private var clockWatch: WallClockWatch?
    private var armedFor: BootTime?

    /// Creates a runner. Call ``use(_:wake:)`` before the first event.
    package init(_ core: NodeCore, clocks: @escaping @Sendable () -> Instant = Clocks.now) {
        coreLoop = CoreLoop(core)
        self.clocks = clocks
    }

    /// Sets the event loop, and the function by which the owner adds `wake`. It is called when the core is due, and
    /// when the wall clock was set. So a machine that starts with a wrong clock shows the session as soon as NTP has
    /// corrected it.
    package mutating func use(_ loop: EventLoop, wake: @escaping @Sendable () -> Void) {
        timer = loop.makeTimer(wake)
        clockWatch = loop.watchWallClock(wake)
    }

    /// Returns `true` if the caller must call ``next()`` until it returns `nil`; `false` if a caller is doing that.
    package mutating func add(_ event: NodeCore.Event) -> Bool {
        if case .input(.wake) = event { armedFor = nil }
        coreLoop.add(event)
        defer { isRunning = true }
        return !isRunning
    }

    /// Passes the next event to the core, or lets it rest. Returns the actions, in order; `nil` at rest.
    package mutating func next() -> [NodeCore.Action]? {
        isRunning = !coreLoop.isAtRest
        if isRunning { return coreLoop.next(at: clocks()) }
        arm()
        return nil
    }

    private mutating func arm() {
        guard coreLoop.core.nextWake != armedFor else { return }
        armedFor = coreLoop.core.nextWake
        guard let next = coreLoop.core.nextWake else { return timer?.disarm() ?? () }
        // The core's clock differs from the event loop's in a process that plays several machines.
        timer?.arm(after: next - clocks().boot)
    }
}

extension LoopTimer {
    package func arm(at boot: BootTime) { arm(atBootMilliseconds: boot.milliseconds) }
    package func arm(after time: Milliseconds) { arm(at: Clocks.boot() + time) }
}
