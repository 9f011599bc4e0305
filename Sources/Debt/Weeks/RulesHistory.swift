// SPDX-License-Identifier: Apache-2.0

package import Session

/// The history of the rules, each of which applies from an instant on. The bounds of a week follow the rules at its
/// start, and each week begins at the end of the one before. The goal of a week and what counts in it follow the last
/// rules before its end, since a person who sets a new goal means the present week.
package struct RulesHistory: Hashable, Sendable {
    /// Rules, and when they begin.
    package struct Item: Hashable, Sendable {
        /// The start of validity; ignored for the first item.
        package var from: GroupTime
        package var rules: WeekRules
    }

    /// The items, the earliest first; never empty.
    package private(set) var items: [Item]

    package init(_ rules: WeekRules) { items = [Item(from: .distantPast, rules: rules)] }

    /// Creates a history from items in any order; `nil` without items.
    package init?(_ items: [Item]) {
        guard !items.isEmpty else { return nil }
        self.items = items.sorted { $0.from < $1.from }
    }

    /// Appends rules that apply from an instant on, at the earliest from the last change.
    package mutating func append(_ rules: WeekRules, from: GroupTime) {
        items.append(Item(from: max(from, items[items.count - 1].from), rules: rules))
    }

    package var latest: WeekRules { items[items.count - 1].rules }

    /// Returns the rules for the goal of a week and what counts in it.
    package func rules(for week: Week) -> WeekRules { rules(before: week.to) }

    private func rules(before instant: GroupTime) -> WeekRules {
        (items.last { $0.from < instant } ?? items[0]).rules
    }

    package func week(containing instant: GroupTime) -> Week {
        week(containing: instant, last: max(items.lastIndex { $0.from <= instant } ?? 0, 0))
    }

    package func week(after week: Week) -> Week { self.week(containing: week.to) }
    package func week(before week: Week) -> Week { self.week(containing: week.from - 1) }

    private func week(containing instant: GroupTime, last: Int) -> Week {
        let rules = items[last].rules
        guard last > 0 else { return Self.regular(containing: instant, rules) }
        let opened = week(containing: items[last].from, last: last - 1)
        if instant < opened.to { return opened }
        // The first week of new rules is as close to seven days as they allow.
        let first = Week(
            from: opened.to, to: rules.weekBoundary(after: opened.to + .days(7) / 2), rules: rules,
            after: opened.days.last?.date)
        return instant < first.to ? first : Self.regular(containing: instant, rules)
    }

    private static func regular(containing instant: GroupTime, _ rules: WeekRules) -> Week {
        let start = rules.weekStart(of: rules.day(of: instant))
        return Week(
            from: rules.beginning(of: start), to: rules.beginning(of: start.adding(days: 7)), rules: rules)
    }
}
