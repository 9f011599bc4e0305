// SPDX-License-Identifier: Apache-2.0

import Session

extension Zone {
    /// Parses a day (`2026-11-21`), or a day and a time (`2026-11-21T08:30`), of the local clock to milliseconds since 1970.
    package func instant(_ text: String) -> Int64? {
        let parts = text.split(separator: "T", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let date = CivilDate(parts[0]) else { return nil }
        guard parts.count == 2 else { return instant(of: date, time: 0) }
        return TimeOfDay.milliseconds(parts[1]).map { instant(of: date, time: $0) }
    }

    /// Parses a day, a local time with or without seconds, or a time as `history --csv` prints it, to milliseconds
    /// since 1970. There are two instants if the clocks are set back over a local time, none for another text.
    package func instants(_ text: String) -> [Int64] {
        if let instant = ZonedTime.instant(text) { return [instant] }
        if let date = CivilDate(text) { return instants(of: date, time: 0) }
        return LocalTime(text).map { instants(of: $0.date, time: $0.time) } ?? []
    }

    package func text(of instant: Int64) -> String {
        let (date, time) = local(instant)
        return "\(date)T\(TimeOfDay.text(time))"
    }
}

/// A time of the day, such as `08:30`.
package enum TimeOfDay {
    /// Returns milliseconds since midnight; `nil` if the text is no time.
    package static func milliseconds(_ text: some StringProtocol) -> Int64? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { Int64($0) }
        guard parts.count == 2, let hour = parts[0], let minute = parts[1], (0...23).contains(hour),
            (0...59).contains(minute)
        else { return nil }
        return (hour * 60 + minute) * 60_000
    }

    static func text(_ time: Int64) -> String {
        [time / 3_600_000, time / 60_000 % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }
}
