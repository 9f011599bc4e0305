// SPDX-License-Identifier: Apache-2.0

public import Session

/// What a week is, and what it asks for.
public struct WeekRules: Hashable, Sendable {
    /// Minutes that a week asks for, 0 to 10,080.
    public var goal: Int
    /// The home zone: where the days begin.
    public var zone: Zone
    /// The weekday that a week begins with, 1 for Monday to 7 for Sunday.
    public var firstWeekday: Int
    /// When a day begins, in milliseconds after midnight, below 24 hours.
    public var dayStart: Int64
    /// Which of the time counts.
    public var counting: Counting
    /// Whether what was missing to the week before is added to the goal.
    public var carriesOver: Bool

    /// Minutes of a week.
    public static let goals = 0...10_080

    /// 420 minutes, a week from Monday to Sunday in this machine's zone.
    public init(
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

    /// When a day begins.
    func beginning(of date: CivilDate) -> Int64 { zone.instant(of: date, time: dayStart) }

    /// The day that an instant belongs to.
    func day(of instant: Int64) -> CivilDate {
        let date = zone.local(instant).date
        return instant < beginning(of: date) ? date.adding(days: -1) : date
    }

    /// The first day of the week that a day lies in.
    func weekStart(of date: CivilDate) -> CivilDate {
        date.adding(days: -CivilDate.modulo(date.weekday - firstWeekday, 7))
    }

    /// The first instant after `instant` at which a week begins.
    func weekBoundary(after instant: Int64) -> Int64 {
        var start = weekStart(of: day(of: instant))
        while beginning(of: start) <= instant { start = start.adding(days: 7) }
        return beginning(of: start)
    }
}

/// One day of a week.
public struct WeekDay: Hashable, Sendable {
    /// Its date in the home zone.
    public var date: CivilDate
    /// Its beginning in milliseconds of group time.
    public var from: Int64
    /// Its end.
    public var to: Int64
}

/// One week: its bounds do not change once it has begun.
public struct Week: Hashable, Sendable {
    /// Its beginning in milliseconds of group time.
    public let from: Int64
    /// Its end.
    public let to: Int64
    /// Its days; seven, but for a week in which the rules begin to be others.
    public let days: [WeekDay]

    /// - Parameter last: The last date of the week before, where other rules held. What is left of that date, or of one
    ///   before it, belongs to the first day of this week, so that no date comes twice.
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
            // A day that the clocks jump over has no length.
            days.append(WeekDay(date: date, from: begin, to: max(begin, end)))
            begin = max(begin, end)
        }
        self.days = days
    }

    /// The number of the ISO week that its fourth day lies in: for weeks that begin on Monday, its own.
    public var number: WeekNumber { days[min(3, days.count - 1)].date.isoWeek }

    /// Whether an instant lies in it.
    public func contains(_ instant: Int64) -> Bool { instant >= from && instant < to }
}

/// The rules as they were and are: each holds from an instant on.
///
/// The bounds of a week are those of the rules that held when it began, and each week begins where the one before has
/// ended. What it asks for and what counts is what was said last before its end: who sets a new goal means this week.
public struct RulesHistory: Hashable, Sendable {
    /// Rules, and from when on they hold, in milliseconds of group time.
    public struct Item: Hashable, Sendable {
        /// From when on; of the first one it does not matter.
        public var from: Int64
        /// The rules.
        public var rules: WeekRules

        /// Makes an item.
        public init(from: Int64, rules: WeekRules) {
            self.from = from
            self.rules = rules
        }
    }

    /// The items, the earliest first; never empty.
    public private(set) var items: [Item]

    /// The same rules at all times.
    public init(_ rules: WeekRules) { items = [Item(from: .min, rules: rules)] }

    /// Rules that change; in any order. `nil` where there are none.
    public init?(_ items: [Item]) {
        guard !items.isEmpty else { return nil }
        self.items = items.sorted { $0.from < $1.from }
    }

    /// Other rules from an instant on, which is not before the last change.
    public mutating func append(_ rules: WeekRules, from: Int64) {
        items.append(Item(from: max(from, items[items.count - 1].from), rules: rules))
    }

    /// The rules that were said last.
    public var latest: WeekRules { items[items.count - 1].rules }

    /// What a week asks for, and what counts in it.
    public func rules(for week: Week) -> WeekRules { rules(before: week.to) }

    private func rules(before instant: Int64) -> WeekRules {
        (items.last { $0.from < instant } ?? items[0]).rules
    }

    /// The week that an instant lies in.
    public func week(containing instant: Int64) -> Week {
        week(containing: instant, last: max(items.lastIndex { $0.from <= instant } ?? 0, 0))
    }

    /// The week after another one.
    public func week(after week: Week) -> Week { self.week(containing: week.to) }

    /// The week before another one.
    public func week(before week: Week) -> Week { self.week(containing: week.from - 1) }

    private func week(containing instant: Int64, last: Int) -> Week {
        let rules = items[last].rules
        guard last > 0 else { return Self.regular(containing: instant, rules) }
        let opened = week(containing: items[last].from, last: last - 1)
        if instant < opened.to { return opened }
        // As near to seven days as the new rules allow.
        let first = Week(
            from: opened.to, to: rules.weekBoundary(after: opened.to + 7 * Zone.day / 2), rules: rules,
            after: opened.days.last?.date)
        return instant < first.to ? first : Self.regular(containing: instant, rules)
    }

    private static func regular(containing instant: Int64, _ rules: WeekRules) -> Week {
        let start = rules.weekStart(of: rules.day(of: instant))
        return Week(
            from: rules.beginning(of: start), to: rules.beginning(of: start.adding(days: 7)), rules: rules)
    }
}
