// SPDX-License-Identifier: Apache-2.0

package import Session
package import Wire

/// The numbers on the page of the week: this week up to an instant, and the weeks before.
package struct WeekNumbers: Hashable, Sendable {
    package var first: CivilDate
    /// The time done on each day of the week, in milliseconds.
    package var days: [Milliseconds]
    package var today: Int
    /// The goal of the week in minutes.
    package var goal: Int
    /// The time done in the week, in milliseconds.
    package var done: Milliseconds
    /// The number of consecutive days with a minute or more done.
    package var streak: Int
    package var labels: [DebtWeek.LabelSum]
    /// How calm the week was, in percent; `nil` if unknown.
    package var calm: Int?
    /// The weeks before; `nil` while the debt service has not sent them.
    package var past: DebtYear?

    package init(
        first: CivilDate, days: [Milliseconds], today: Int, goal: Int, done: Milliseconds, streak: Int = 0,
        labels: [DebtWeek.LabelSum] = [],
        calm: Int? = nil, past: DebtYear? = nil
    ) {
        self.first = first
        self.days = days
        self.today = today
        self.goal = goal
        self.done = done
        self.streak = streak
        self.labels = labels.sorted { $0.done > $1.done }
        self.calm = calm
        self.past = past
    }

    /// The weekly debt in minutes, positive while minutes are missing.
    var debt: Int { goal - Int(done.count / 60_000) }
    /// The whole minutes done on each day, which add up to those of the week.
    var dayMinutes: [Int] { WholeMinutes.of(days) }
    var labelMinutes: [Int] { WholeMinutes.of(labels.map(\.done)) }
    /// The daily share of the goal, in minutes.
    var goalByDay: Double { Double(goal) / Double(max(1, days.count)) }
    var last: CivilDate { first.adding(days: max(0, days.count - 1)) }
    /// Returns in words: the time done and the goal, the streak, and how calm the week was.
    func facts(_ strings: Strings) -> [Localized] {
        let done = strings.isolatedNumber(TimeText.minutes(Int(done.count / 60_000)))
        let goal = strings.isolatedNumber(TimeText.minutes(goal))
        let calm = calm.map { strings.text(.calmPercent, ["percent": strings.text(.percent, count: $0)]) }
        return [strings.text(.doneOfGoal, ["done": done, "goal": goal]), strings.text(.streakDays, count: streak)]
            + (calm.map { [$0] } ?? [])
    }

    /// Whether less than a minute was done in this week and the weeks before.
    var isEmpty: Bool { done < 60_000 && past?.days.contains { $0 > 0 } != true }
}

/// The days of 53 weeks as a grid: a column for each week, a row for each weekday. The last column is this week.
struct YearGrid {
    static let columns = 53

    let numbers: WeekNumbers
    /// The first day of the first column.
    let first: CivilDate
    private let dayMinutes: [Int]

    init(_ numbers: WeekNumbers) {
        self.numbers = numbers
        dayMinutes = numbers.dayMinutes
        let weekStart = (numbers.past?.first ?? numbers.first).dayNumber
        let last = numbers.last.dayNumber
        first = CivilDate(
            dayNumber: last - CivilDate.modulo(last - weekStart, 7) - (Self.columns - 1) * 7)
    }

    func date(column: Int, row: Int) -> CivilDate { first.adding(days: column * 7 + row) }

    /// Returns the whole minutes done on a day; `nil` for a future day.
    func minutes(on date: CivilDate) -> Int? {
        let day = date.dayNumber - numbers.first.dayNumber
        guard day <= numbers.today else { return nil }
        if day >= 0 { return day < dayMinutes.count ? dayMinutes[day] : nil }
        guard let past = numbers.past else { return 0 }
        let index = date.dayNumber - past.first.dayNumber
        return past.days.indices.contains(index) ? past.days[index] : 0
    }

    func minutes(in column: Int) -> Int {
        (0..<7).reduce(0) { $0 + (minutes(on: date(column: column, row: $1)) ?? 0) }
    }

    /// Returns how calm a column was, in percent; `nil` if unknown.
    func calm(in column: Int) -> Int? {
        guard column < Self.columns - 1 else { return numbers.calm }
        guard let past = numbers.past else { return nil }
        let middle = date(column: column, row: 3).dayNumber - past.first.dayNumber
        return middle >= 0 && middle / 7 < past.calm.count ? past.calm[middle / 7] : nil
    }
}
