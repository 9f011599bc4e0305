// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Sends a signal at an instant of the boot clock. It goes on in suspend, so a machine that wakes up gets it at once.
struct BootTimer: ~Copyable {
    /// The kernel counts timers from zero, which looks like `nil`.
    private let timer: timer_t?

    init(signal: Int32) throws(TerminalError) {
        var event = sigevent()
        event.sigev_notify = Int32(SIGEV_SIGNAL)
        event.sigev_signo = signal
        var timer: timer_t?
        guard timer_create(CLOCK_BOOTTIME, &event, &timer) == 0 else {
            throw .system(call: "timer_create", code: errno)
        }
        self.timer = timer
    }

    deinit { timer_delete(timer) }

    /// The boot clock in milliseconds.
    static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// Sends the signal at `instant`, or at once when that is past; never when `nil`.
    func set(_ instant: Int64?) {
        var setting = itimerspec()
        if let instant {
            // Zero would switch the timer off.
            let instant = max(instant, 1)
            setting.it_value.tv_sec = Int(instant / 1_000)
            setting.it_value.tv_nsec = Int(instant % 1_000) * 1_000_000
        }
        timer_settime(timer, Int32(TIMER_ABSTIME), &setting, nil)
    }
}
