// SPDX-License-Identifier: Apache-2.0

public import Session

/// What the page of the week shows, in numbers: this week up to an instant, and the weeks before it.
public struct WeekNumbers: Hashable, Sendable {
    /// What was done on one label.
    public struct Share: Hashable, Sendable {
        /// The label; `nil` for the default label.
        public var label: Label?
        /// Milliseconds.
        public var done: Int64

        /// Makes a share.
        public init(label: Label?, done: Int64) {
            self.label = label
            self.done = done
        }
    }

    /// The weeks before.
    public struct Past: Hashable, Sendable {
        /// The first of the days; a week begins with it.
        public var first: CivilDate
        /// Whole minutes done on each day, the earliest first.
        public var days: [Int]
        /// How calm each seven days were, in percent, `nil` where nobody knows.
        public var calm: [Int?]

        /// Makes the weeks before.
        public init(first: CivilDate, days: [Int], calm: [Int?]) {
            self.first = first
            self.days = days
            self.calm = calm
        }
    }

    /// The week's first day.
    public var first: CivilDate
    /// Milliseconds done on each of its days.
    public var days: [Int64]
    /// Which of them is today.
    public var today: Int
    /// Minutes that the week asks for.
    public var goal: Int
    /// Milliseconds done in all.
    public var done: Int64
    /// Days in a row on which something was done.
    public var streak: Int
    /// What was done on which label.
    public var labels: [Share]
    /// How calm it was, in percent; `nil` where nobody knows.
    public var calm: Int?
    /// The weeks before; `nil` where nobody has said anything of them.
    public var past: Past?

    /// Makes a week.
    public init(
        first: CivilDate, days: [Int64], today: Int, goal: Int, done: Int64, streak: Int = 0, labels: [Share] = [],
        calm: Int? = nil, past: Past? = nil
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

    /// The weekly debt in minutes: positive where some are missing.
    var debt: Int { goal - Int(done / 60_000) }
    /// Minutes of the goal that fall to each day.
    var goalByDay: Double { Double(goal) / Double(max(1, days.count)) }
    /// The week's last day.
    var last: CivilDate { first.adding(days: max(0, days.count - 1)) }
    /// Whether anything was done at all.
    var isEmpty: Bool { done < 60_000 && past?.days.contains { $0 > 0 } != true }
}

/// The days of 53 weeks, one week a column and one weekday a row; the last column holds the week's last day.
struct YearGrid {
    static let columns = 53

    let numbers: WeekNumbers
    /// The first day of the first column.
    let first: CivilDate

    init(_ numbers: WeekNumbers) {
        self.numbers = numbers
        let weekday = (numbers.past?.first ?? numbers.first).dayNumber
        let last = numbers.last.dayNumber
        first = CivilDate(
            dayNumber: last - CivilDate.modulo(last - weekday, 7) - (Self.columns - 1) * 7)
    }

    func date(column: Int, row: Int) -> CivilDate { first.adding(days: column * 7 + row) }

    /// Whole minutes done on a day; `nil` for one that is still to come.
    func minutes(on date: CivilDate) -> Int? {
        let day = date.dayNumber - numbers.first.dayNumber
        guard day <= numbers.today else { return nil }
        if day >= 0 { return day < numbers.days.count ? Int(numbers.days[day] / 60_000) : nil }
        guard let past = numbers.past else { return 0 }
        let index = date.dayNumber - past.first.dayNumber
        return past.days.indices.contains(index) ? past.days[index] : 0
    }

    /// Whole minutes done in a column.
    func minutes(in column: Int) -> Int {
        (0..<7).reduce(0) { $0 + (minutes(on: date(column: column, row: $1)) ?? 0) }
    }

    /// How calm a column was, in percent; `nil` where nobody knows.
    func calm(in column: Int) -> Int? {
        guard column < Self.columns - 1 else { return numbers.calm }
        guard let past = numbers.past else { return nil }
        let middle = date(column: column, row: 3).dayNumber - past.first.dayNumber
        return middle >= 0 && middle / 7 < past.calm.count ? past.calm[middle / 7] : nil
    }
}
