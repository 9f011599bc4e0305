// SPDX-License-Identifier: Apache-2.0

package import Glibc

/// The clocks of the kernel.
package enum SystemClock {
    /// Returns the milliseconds since the machine started, time in suspend included.
    package static func bootMilliseconds() -> Int64 { nanoseconds(CLOCK_BOOTTIME) / 1_000_000 }
    /// Returns the milliseconds since the machine started, without time in suspend: for how long work takes.
    package static func awakeMilliseconds() -> Int64 { nanoseconds(CLOCK_MONOTONIC) / 1_000_000 }
    package static func wallMilliseconds() -> Int64 { nanoseconds(CLOCK_REALTIME) / 1_000_000 }

    /// Returns the offset of this machine's time zone from UTC in seconds, positive to the east.
    /// - Parameter time: In milliseconds since 1970.
    @Sendable
    package static func utcOffset(at time: Int64) -> Int {
        var seconds = time_t(time / 1_000)
        var parts = tm()
        guard localtime_r(&seconds, &parts) != nil else { return 0 }
        return parts.tm_gmtoff
    }

    package static func nanoseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
