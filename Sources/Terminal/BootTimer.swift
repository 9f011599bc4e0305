// SPDX-License-Identifier: Apache-2.0

import Glibc
import Platform

/// A timer that sends a signal at an instant of the boot clock, which continues during suspend.
struct BootTimer: ~Copyable {
    /// Optional because the kernel numbers timers from zero, which Swift reads as `nil`.
    private let timer: timer_t?

    init(signal: Int32) throws(FileError) {
        var event = sigevent()
        event.sigev_notify = Int32(SIGEV_SIGNAL)
        event.sigev_signo = signal
        var timer: timer_t?
        guard timer_create(CLOCK_BOOTTIME, &event, &timer) == 0 else {
            throw FileError(path: "a timer", action: "make")
        }
        self.timer = timer
    }

    deinit { timer_delete(timer) }

    /// Sends the signal at `instant`, in milliseconds, or at once if that is past; `nil` disarms the timer.
    func set(_ instant: Int64?) {
        var setting = itimerspec()
        if let instant {
            // Zero would disarm the timer.
            let instant = max(instant, 1)
            setting.it_value.tv_sec = Int(instant / 1_000)
            setting.it_value.tv_nsec = Int(instant % 1_000) * 1_000_000
        }
        timer_settime(timer, Int32(TIMER_ABSTIME), &setting, nil)
    }
}
