// SPDX-License-Identifier: Apache-2.0

import Platform
package import Session

extension LocalTime {
    /// Returns a time in this machine's zone, as `2026-11-21 08:30`.
    package static func text(ofUnixSeconds seconds: Int64) -> String {
        let milliseconds = seconds * 1_000
        let local = LocalTime(at: milliseconds, offset: SystemClock.utcOffset(at: milliseconds))
        return "\(local.date) \(local.clock)"
    }
}
