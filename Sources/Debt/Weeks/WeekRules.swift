// SPDX-License-Identifier: Apache-2.0

import Session

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

    func beginning(of date: CivilDate) -> GroupTime { zone.instant(of: date, time: dayStart) }

    func day(of instant: GroupTime) -> CivilDate {
        let date = zone.local(instant).date
        return instant < beginning(of: date) ? date.adding(days: -1) : date
    }

    func weekStart(of date: CivilDate) -> CivilDate {
        date.adding(days: -CivilDate.modulo(date.weekday - firstWeekday, 7))
    }

    func weekBoundary(after instant: GroupTime) -> GroupTime {
        var start = weekStart(of: day(of: instant))
        while beginning(of: start) <= instant { start = start.adding(days: 7) }
        return beginning(of: start)
    }
}
