// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The time zone of this machine.
package enum LocalTime {
    /// Seconds ahead of UTC at a time in milliseconds since 1970.
    @Sendable
    package static func utcOffset(at time: Int64) -> Int {
        var seconds = time_t(time / 1_000)
        var parts = tm()
        guard localtime_r(&seconds, &parts) != nil else { return 0 }
        return parts.tm_gmtoff
    }
}
