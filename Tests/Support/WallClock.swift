// SPDX-License-Identifier: Apache-2.0

import CLinux

/// The wall clock of this machine.
public enum WallClock {
    /// Whether this process may set it, which only root of the machine may.
    public static let canBeSet = set()

    /// Sets the clock one microsecond ahead, which the kernel reports to programs, and returns whether this process
    /// may. It also writes the earlier status and errors, or the kernel would call the clock unsynchronised.
    @discardableResult
    public static func set() -> Bool {
        var state = timex()
        guard adjtimex(&state) >= 0 else { return false }
        state.modes = UInt32(ADJ_SETOFFSET | ADJ_STATUS | ADJ_MAXERROR | ADJ_ESTERROR)
        state.time = timeval(tv_sec: 0, tv_usec: 1)
        return adjtimex(&state) >= 0
    }
}
