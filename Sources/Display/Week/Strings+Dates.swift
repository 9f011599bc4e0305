// SPDX-License-Identifier: Apache-2.0

import Session

extension Strings {
    func weekday(of date: CivilDate) -> Localized { item(date.weekday, of: .weekdays) }

    /// Returns the time of day, as "14:05", or "Fri 14:05" if it is 12 hours or more away.
    /// - Parameter offset: The local offset from UTC at `time` in seconds, positive to the east.
    func clock(_ time: Int64, from now: Int64, offset: Int) -> Localized {
        let clock = TimeText.clock(time, offset: offset)
        guard time - now >= 12 * 3_600_000 else { return clock }
        return "\(weekday(of: LocalTime(at: time, offset: offset).date)) \(clock)"
    }

    func month(of date: CivilDate) -> Localized { item(date.components.month, of: .months) }

    /// Returns the day and the month, as "22 Nov".
    func day(_ date: CivilDate) -> Localized {
        text(.dayMonth, ["day": "\(date.components.day)", "month": month(of: date)])
    }

    /// Returns a range of days, as "16 Nov – 22 Nov".
    func days(from first: CivilDate, to last: CivilDate) -> Localized {
        "\(TextDirection.isolated(day(first))) – \(TextDirection.isolated(day(last)))"
    }

    /// Returns a number isolated from right-to-left text around it, which would reorder its parts.
    func isolatedNumber(_ number: Localized) -> Localized { isRightToLeft ? "\u{2066}\(number)\u{2069}" : number }
}
