// SPDX-License-Identifier: Apache-2.0

package import Session

/// The rules by which time counts toward a week.
package struct WeekRules: Hashable, Sendable {
    /// The goal in minutes, within ``goals``.
    package var goal: Int
    /// The home zone, which defines the days.
    package var zone: Zone
    /// The first day of the week, 1 for Monday to 7 for Sunday.
    package var firstWeekday: Int
    /// The start of the day, in milliseconds after midnight, below 24 hours.
    package var dayStart: Int64
    package var counting: Counting
    /// Whether minutes missing from the week before are added to the goal.
    package var carriesOver: Bool

    /// The range of the goal in minutes: a week has 10,080.
    package static let goals = 0...10_080

    /// Creates rules; by default 420 minutes, and weeks from Monday to Sunday in this machine's zone.
    package init(
        goal: Int = 420, zone: Zone = .current, firstWeekday: Int = 1, dayStart: Int64 = 0,
        counting: Counting = Counting(), carriesOver: Bool = false
    ) {
        self.goal = goal
        self.zone = zone
        self.firstWeekday = firstWeekday
        self.dayStart = dayStart
        self.counting = counting
        self.carriesOver = carriesOver
    }

    func beginning(of date: CivilDate) -> Int64 { zone.instant(of: date, time: dayStart) }

    func day(of instant: Int64) -> CivilDate {
        let date = zone.local(instant).date
        return instant < beginning(of: date) ? date.adding(days: -1) : date
    }

    func weekStart(of date: CivilDate) -> CivilDate {
        date.adding(days: -CivilDate.modulo(date.weekday - firstWeekday, 7))
    }

    func weekBoundary(after instant: Int64) -> Int64 {
        var start = weekStart(of: day(of: instant))
        while beginning(of: start) <= instant { start = start.adding(days: 7) }
        return beginning(of: start)
    }
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

/// A day of a week, from and to instants in milliseconds of group time.
package struct WeekDay: Hashable, Sendable {
    package var date: CivilDate
    package var from: Int64
    package var to: Int64
}

/// One week, in milliseconds of group time. Its bounds do not change after its beginning.
package struct Week: Hashable, Sendable {
    package let from: Int64
    package let to: Int64
    /// The days: seven, except in the week of a change of the rules.
    package let days: [WeekDay]

    /// - Parameter last: The last date of the week before, if it had other rules. The rest of that date, or of one
    ///   before it, belongs to the first day of this week, so that no date occurs twice.
    init(from: Int64, to: Int64, rules: WeekRules, after last: CivilDate? = nil) {
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

    package func contains(_ instant: Int64) -> Bool { instant >= from && instant < to }
}

/// The history of the rules, each of which applies from an instant on. The bounds of a week follow the rules at its
/// start, and each week begins at the end of the one before. The goal of a week and what counts in it follow the last
/// rules before its end: a person who sets a new goal means the present week.
package struct RulesHistory: Hashable, Sendable {
    /// Rules, and when they begin.
    package struct Item: Hashable, Sendable {
        /// The start of validity, in milliseconds of group time; ignored for the first item.
        package var from: Int64
        package var rules: WeekRules
    }

    /// The items, the earliest first; never empty.
    package private(set) var items: [Item]

    package init(_ rules: WeekRules) { items = [Item(from: .min, rules: rules)] }

    /// Creates a history from items in any order; `nil` without items.
    package init?(_ items: [Item]) {
        guard !items.isEmpty else { return nil }
        self.items = items.sorted { $0.from < $1.from }
    }

    /// Appends rules that apply from an instant on, at the earliest from the last change.
    package mutating func append(_ rules: WeekRules, from: Int64) {
        items.append(Item(from: max(from, items[items.count - 1].from), rules: rules))
    }

    package var latest: WeekRules { items[items.count - 1].rules }

    /// Returns the rules for the goal of a week and what counts in it.
    package func rules(for week: Week) -> WeekRules { rules(before: week.to) }

    private func rules(before instant: Int64) -> WeekRules {
        (items.last { $0.from < instant } ?? items[0]).rules
    }

    package func week(containing instant: Int64) -> Week {
        week(containing: instant, last: max(items.lastIndex { $0.from <= instant } ?? 0, 0))
    }

    package func week(after week: Week) -> Week { self.week(containing: week.to) }
    package func week(before week: Week) -> Week { self.week(containing: week.from - 1) }

    private func week(containing instant: Int64, last: Int) -> Week {
        let rules = items[last].rules
        guard last > 0 else { return Self.regular(containing: instant, rules) }
        let opened = week(containing: items[last].from, last: last - 1)
        if instant < opened.to { return opened }
        // The first week of new rules is as close to seven days as they allow.
        let first = Week(
            from: opened.to, to: rules.weekBoundary(after: opened.to + 7 * LocalTime.day / 2), rules: rules,
            after: opened.days.last?.date)
        return instant < first.to ? first : Self.regular(containing: instant, rules)
    }

    private static func regular(containing instant: Int64, _ rules: WeekRules) -> Week {
        let start = rules.weekStart(of: rules.day(of: instant))
        return Week(
            from: rules.beginning(of: start), to: rules.beginning(of: start.adding(days: 7)), rules: rules)
    }
}
