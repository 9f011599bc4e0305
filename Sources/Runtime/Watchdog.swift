// SPDX-License-Identifier: Apache-2.0

import CSystemd
package import Mosquitto
import Session
import Synchronization

/// Feeds systemd's watchdog from an event loop, so that a loop that hangs is noticed and the service restarted.
package final class Watchdog: Sendable {
    private let timer = Mutex<LoopTimer?>(nil)

    /// Feeds three times in each interval of `WatchdogSec`, if that is set, while the caller keeps the watchdog.
    package init?(on loop: EventLoop) {
        var microseconds: UInt64 = 0
        guard sd_watchdog_enabled(0, &microseconds) > 0 else { return nil }
        let interval = Milliseconds(max(1, Int64(microseconds / 3_000)))
        let timer = loop.makeTimer { [weak self] in self?.feed(again: interval) }
        self.timer.withLock { $0 = timer }
        feed(again: interval)
    }

    private func feed(again interval: Milliseconds) {
        SystemdNotifier.notify("WATCHDOG=1")
        timer.withLock { $0?.arm(after: interval) }
    }
}
