// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The wall clock of this machine.
public enum WallClock {
    /// Whether this process may set it, which only root of the machine may.
    public static let canBeSet = setToItself()

    /// Sets the clock to the time that it shows. The kernel reports it to programs like any other setting.
    /// - Returns: Whether this process may do that.
    @discardableResult
    public static func setToItself() -> Bool {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return clock_settime(CLOCK_REALTIME, &time) == 0
    }
}
