// SPDX-License-Identifier: Apache-2.0

package import Session

/// The number of a week in its ISO year.
package struct WeekNumber: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The year that most of the week's days lie in.
    package var year: Int
    /// 1 to 53.
    package var week: Int

    package init(year: Int, week: Int) {
        self.year = year
        self.week = week
    }

    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [4, 3], parts[1].first == "W", let year = Int(parts[0]),
            let week = Int(parts[1].dropFirst()), (1...53).contains(week), year >= 0
        else { return nil }
        self.init(year: year, week: week)
    }

    package var description: String { "\(CivilDate.padded(year, 4))-W\(CivilDate.padded(week, 2))" }

    package static func < (one: WeekNumber, other: WeekNumber) -> Bool {
        (one.year, one.week) < (other.year, other.week)
    }
}

extension CivilDate {
    /// The ISO week of the day: the week of its Thursday, counted from the week with January 4.
    package var isoWeek: WeekNumber {
        let thursday = CivilDate(dayNumber: dayNumber + 4 - weekday)
        let year = thursday.components.year
        let first = CivilDate(year: year, month: 1, day: 1)
        return WeekNumber(year: year, week: (thursday.dayNumber - first.dayNumber) / 7 + 1)
    }
}
