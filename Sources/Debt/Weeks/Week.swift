// SPDX-License-Identifier: Apache-2.0

package import Session

/// A day of a week.
package struct WeekDay: Hashable, Sendable {
    package var date: CivilDate
    package var from: GroupTime
    package var to: GroupTime
}

/// One week. Its bounds do not change after its beginning.
package struct Week: Hashable, Sendable {
    package let from: GroupTime
    package let to: GroupTime
    /// The days: seven, except in the week of a change of the rules.
    package let days: [WeekDay]

    /// - Parameter last: The last date of the week before, if it had other rules. The rest of that date, or of one
    ///   before it, belongs to the first day of this week, so that no date occurs twice.
    init(from: GroupTime, to: GroupTime, rules: WeekRules, after last: CivilDate? = nil) {
        self.from = from
        self.to = to
        var days: [WeekDay] = []
        var (date, begin) = (rules.day(of: from), from)
        if let last, date.dayNumber <= last.dayNumber, rules.beginning(of: last.adding(days: 1)) < to {
            date = last.adding(days: 1)
        }
        while begin < to {
            date = days.isEmpty ? date : date.adding(days: 1)
            let end = min(rules.beginning(of: date.adding(days: 1)), to)
            // A day that the clocks skip has no length.
            days.append(WeekDay(date: date, from: begin, to: max(begin, end)))
            begin = max(begin, end)
        }
        self.days = days
    }

    /// The ISO week of its fourth day: for weeks that begin on Monday, its own.
    package var isoWeek: String { days[min(3, days.count - 1)].date.isoWeek }

    package func contains(_ instant: GroupTime) -> Bool { instant >= from && instant < to }
}

extension CivilDate {
    /// The ISO week of the day, as `2026-W53`: the week of its Thursday, counted from the week with January 4.
    var isoWeek: String {
        let thursday = CivilDate(dayNumber: dayNumber + 4 - weekday)
        let year = thursday.components.year
        let first = CivilDate(year: year, month: 1, day: 1)
        let week = (thursday.dayNumber - first.dayNumber) / 7 + 1
        return "\(year.padded(to: 4))-W\(week.padded(to: 2))"
    }
}
