// SPDX-License-Identifier: Apache-2.0

import Platform
package import Session

extension LocalTime {
    /// Returns a time in this machine's zone, as `2026-11-21 08:30`.
    package static func text<Scale>(of time: Time<Scale>) -> String {
        let local = LocalTime(at: time.milliseconds, offset: SystemClock.utcOffset(at: time.milliseconds))
        return "\(local.date) \(local.clock)"
    }
}
