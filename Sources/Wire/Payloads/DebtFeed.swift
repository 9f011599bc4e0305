// SPDX-License-Identifier: Apache-2.0

public import Session

/// The week's debt, as the debt service publishes it.
public struct DebtFeed: Hashable, Sendable, Described {
    /// The minutes missing to the week's goal, negative beyond it: -100,000 to 100,000.
    public var minutes: Int
    public var at: GroupTime
    /// The week in full; `nil` if only the minutes were published.
    public var week: DebtWeek?
    /// The service that wrote it; `nil` if the feed does not say.
    public var by: NodeID?

    /// The bounds of ``minutes``, far above a week of 10,080 minutes.
    package static let bounds = -100_000...100_000

    public init(minutes: Int, at: GroupTime, week: DebtWeek? = nil, by: NodeID? = nil) {
        self.minutes = minutes
        self.at = at
        self.week = week
        self.by = by
    }

    /// Returns the minutes at a later instant, with those of a running session; `nil` once the week is over.
    public func minutes(at instant: GroupTime) -> Int? {
        guard let week else { return minutes }
        guard instant < week.to else { return nil }
        return Int(week.goal) - Int(done(at: instant).count / 60_000)
    }

    /// Returns the time done at a later instant, with that of a running session.
    public func done(at instant: GroupTime) -> Milliseconds {
        guard let week else { return 0 }
        guard let until = week.until else { return week.done }
        return week.done + max(0, min(instant, until, week.to) - at)
    }

    package static let objectName = "feed/debt"
    package static let blank = DebtFeed(minutes: 0, at: 0)

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("minutes", &minutes, .whole(Self.bounds))
        try coder.fields(of: &week, decidedBy: "week")
        try coder.field("at", &at, .time)
        try coder.field("by", optional: &by, .node)
    }
}

/// A week against its goal.
public struct DebtWeek: Hashable, Sendable, Described {
    /// The time done on one label.
    public struct LabelSum: Hashable, Sendable {
        /// The label; `nil` for the default label.
        public var label: Label?
        public var done: Milliseconds

        public init(label: Label?, done: Milliseconds) {
            self.label = label
            self.done = done
        }
    }

    /// The ISO week, as `2026-W53`.
    public var name: String
    public var from: GroupTime
    public var to: GroupTime
    /// The minutes to do, with those carried over.
    public var goal: Int
    /// The minutes of the goal that earlier weeks lacked.
    public var carried: Int
    /// The time done until the feed's `at`.
    public var done: Milliseconds
    /// The time done on each day, the first one first.
    public var days: [Milliseconds]
    /// The consecutive days up to now on which a minute or more was done.
    public var streak: Int
    /// The time done on each label, the most first; ``labelsLimit`` at most.
    public var labels: [LabelSum]
    /// How calm it was, in percent; `nil` if unknown.
    public var calm: Int?
    /// When the running session ends by itself; `nil` while no session that counts runs.
    public var until: GroupTime?
    /// The date of the first day in the home zone; `nil` if not published.
    public var first: CivilDate?
    /// The index in ``days`` of the feed's `at`, to which a running session adds; `nil` if not published.
    public var today: Int?
    /// The home zone's offset from UTC at the feed's `at`, in seconds to the east; `nil` if not published.
    public var offset: Int?

    public static let labelsLimit = 40
    /// The most days of a week: two weeks, where a change of zone or first weekday makes it longer.
    private static let daysLimit = 14
    /// Minutes of a goal: a week's 10,080 and at most 100,000 carried over.
    private static let goals = 0...10_080 + DebtFeed.bounds.upperBound
    /// Times done: those of ``daysLimit`` days.
    fileprivate static let amounts: ClosedRange<Milliseconds> = 0 ... .days(14)

    public init(
        name: String, from: GroupTime, to: GroupTime, goal: Int, carried: Int = 0, done: Milliseconds,
        days: [Milliseconds], streak: Int,
        labels: [LabelSum], calm: Int? = nil, until: GroupTime? = nil, first: CivilDate? = nil, today: Int? = nil,
        offset: Int? = nil
    ) {
        self.name = name
        self.from = from
        self.to = to
        self.goal = goal
        self.carried = carried
        self.done = done
        self.days = days
        self.streak = streak
        self.labels = labels
        self.calm = calm
        self.until = until
        self.first = first
        self.today = today
        self.offset = offset
    }

    package static let objectName = "week of feed/debt"

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("week", &name, .text(16))
        try coder.field("from", &from, .time)
        try coder.field("to", &to, .time)
        try coder.field("goal", &goal, .whole(Self.goals))
        try coder.field("carried", &carried, .whole(Self.goals), unless: 0)
        try coder.field("done", &done, .whole(Self.amounts))
        try coder.field("days", &days, .list(of: .whole(Self.amounts), 0...Self.daysLimit), absent: [])
        try coder.field("streak", &streak, .counter, absent: 0)
        try coder.field("labels", &labels, .list(of: .object(), 0...Self.labelsLimit), absent: [])
        try coder.field("calm", optional: &calm, .percent)
        try coder.field("until", optional: &until, .time)
        try coder.field("first", optional: &first, .date)
        try coder.field("today", optional: &today, .whole(0...Self.daysLimit - 1))
        try coder.field("offset", optional: &offset, .whole(-86_400...86_400))
    }

    package static let blank = DebtWeek(name: "", from: 0, to: 0, goal: 0, done: 0, days: [], streak: 0, labels: [])
}

extension DebtWeek.LabelSum: Described {
    package static let objectName = "label's time"
    package static let blank = DebtWeek.LabelSum(label: nil, done: 0)

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("label", optional: &label, .object())
        try coder.field("done", &done, .whole(DebtWeek.amounts))
    }
}
