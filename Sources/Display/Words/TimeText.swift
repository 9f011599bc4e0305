// SPDX-License-Identifier: Apache-2.0

import Session

/// The texts of durations and of times of the day.
package enum TimeText {
    /// The prefix of a time that may be wrong by more than a quarter of a second.
    package static let approximateSign: Localized = "≈"

    /// Returns `5:00`, or `05:00` if padded; from an hour on `1:00:00`.
    package static func text(seconds: Int, padded: Bool) -> Localized {
        let seconds = max(seconds, 0)
        let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60)
        guard hours == 0 else { return "\(hours):\(twoDigits(minutes)):\(twoDigits(seconds % 60))" }
        return "\(padded ? twoDigits(minutes) : "\(minutes)"):\(twoDigits(seconds % 60))"
    }

    /// Returns shorter forms of a time, the widest first: `75:00` below a hundred minutes, and `2h15`. Below an hour
    /// there are none. Up to a day, the last has at most five characters.
    package static func shorter(seconds: Int, hourMark: Localized) -> [Localized] {
        guard seconds >= 3_600 else { return [] }
        let hours: Localized = "\(seconds / 3_600)\(hourMark)\(twoDigits(seconds / 60 % 60))"
        guard seconds < 6_000 else { return [hours] }
        return ["\(seconds / 60):\(twoDigits(seconds % 60))", hours]
    }

    /// Returns `24m`, from two hours on `2h15m`: remaining time is rounded up, elapsed time down.
    package static func minutes(seconds: Int, isCountUp: Bool) -> Localized {
        let minutes = (max(seconds, 0) + (isCountUp ? 0 : 59)) / 60
        return minutes < 120 ? "\(minutes)m" : "\(minutes / 60)h\(twoDigits(minutes % 60))m"
    }

    /// Returns whole minutes as "25m", from two hours on as "2h05m".
    static func minutes(_ minutes: Int) -> Localized { Self.minutes(seconds: minutes * 60, isCountUp: true) }

    /// Returns the time of day at an instant, as `14:05`.
    /// - Parameter offset: The local offset from UTC in seconds, positive to the east.
    package static func clock(_ time: Int64, offset: Int) -> Localized {
        .symbols(LocalTime(at: time, offset: offset).clock)
    }

    private static func twoDigits(_ value: Int) -> Localized { value < 10 ? "0\(value)" : "\(value)" }
}
