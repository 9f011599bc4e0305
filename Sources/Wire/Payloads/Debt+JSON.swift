// SPDX-License-Identifier: Apache-2.0

public import Session

/// How the week stands.
public struct DebtFeed: Hashable, Sendable {
    /// Minutes that are missing to the week's goal; negative where more was done. At most a hundred thousand either way.
    public var minutes: Int
    /// When it was found, in milliseconds of group time.
    public var at: Int64
    /// The week in full; `nil` where only the minutes were said.
    public var week: DebtWeek?

    static let bounds: ClosedRange<Int64> = -100_000...100_000

    /// Makes a reading.
    public init(minutes: Int, at: Int64, week: DebtWeek? = nil) {
        self.minutes = minutes
        self.at = at
        self.week = week
    }

    /// The minutes at a later instant: those of what still goes on are added. `nil` once the week is over, which only the
    /// service can tell anything of.
    public func minutes(at instant: Int64) -> Int? {
        guard let week else { return minutes }
        guard instant < week.to else { return nil }
        return Int(week.goal) - Int(done(at: instant) / 60_000)
    }

    /// Milliseconds done at a later instant of the week.
    public func done(at instant: Int64) -> Int64 {
        guard let week else { return 0 }
        guard let until = week.until else { return week.done }
        return week.done + max(0, min(instant, until, week.to) - at)
    }

    init(reader: inout JSONReader) throws(Rejection) {
        var version: Int64?
        var minutes: Int64?
        var at: Int64?
        var week = DebtWeek.Draft()
        var fields = try reader.object()
        while let key = try reader.key(&fields) {
            switch key {
            case "v": version = try reader.integer()
            case "minutes": minutes = try reader.integer(in: Self.bounds, "minutes")
            case "at": at = try reader.integer(in: Limits.time, "at")
            default: try week.read(key, from: &reader)
            }
        }
        try ProtocolVersion.check(version)
        self.init(
            minutes: Int(try need(minutes, "minutes")), at: try need(at, "at"), week: try week.finished())
    }

    func writeFields(to writer: inout JSONWriter) {
        writer.field("minutes", minutes)
        week?.writeFields(to: &writer)
        writer.field("at", at)
    }
}

/// A week against its goal. Amounts of time are in milliseconds, but for the goal.
public struct DebtWeek: Hashable, Sendable {
    /// What was done on one label.
    public struct LabelSum: Hashable, Sendable {
        /// The label; `nil` for the default label.
        public var label: Label?
        /// Milliseconds.
        public var done: Int64

        /// Makes a sum.
        public init(label: Label?, done: Int64) {
            self.label = label
            self.done = done
        }
    }

    /// The ISO week, as `2026-W53`.
    public var name: String
    /// Its beginning in group time.
    public var from: Int64
    /// Its end.
    public var to: Int64
    /// Minutes that it asks for, with what was carried over.
    public var goal: Int
    /// Minutes of the goal that are missing from weeks before.
    public var carried: Int
    /// What was done until the feed's `at`.
    public var done: Int64
    /// What was done on each day, the first one first.
    public var days: [Int64]
    /// Days in a row, up to now, on which something was done.
    public var streak: Int
    /// What was done on which label, the most first, ``labelsLimit`` at most.
    public var labels: [LabelSum]
    /// How calm it was, in percent; `nil` where nobody knows.
    public var calm: Int?
    /// Until when time goes on to be done, if nobody presses anything; `nil` while nothing that counts runs.
    public var until: Int64?
    /// The date of the first day in the home zone; `nil` where it was not said.
    public var first: CivilDate?
    /// Which of the days the feed's `at` lies in, from 0 on: what still goes on is done on that one. `nil` where it was
    /// not said.
    public var today: Int?

    /// Labels that the feed names.
    public static let labelsLimit = 40
    private static let daysLimit = 14
    private static let goals = 0...110_080
    private static let amounts: ClosedRange<Int64> = 0...1_209_600_000

    /// Makes a week.
    public init(
        name: String, from: Int64, to: Int64, goal: Int, carried: Int = 0, done: Int64, days: [Int64], streak: Int,
        labels: [LabelSum], calm: Int? = nil, until: Int64? = nil, first: CivilDate? = nil, today: Int? = nil
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
    }

    /// What has been read of it.
    struct Draft {
        private var name: String?
        private var from: Int64?
        private var to: Int64?
        private var goal: Int?
        private var carried: Int?
        private var done: Int64?
        private var days: [Int64] = []
        private var streak: Int?
        private var labels: [LabelSum] = []
        private var calm: Int?
        private var until: Int64?
        private var first: CivilDate?
        private var today: Int?

        mutating func read(_ key: JSONKey, from reader: inout JSONReader) throws(Rejection) {
            switch key {
            case "week": name = try reader.null() ? nil : reader.cleanText(bytes: 16, "week")
            case "from": from = try reader.null() ? nil : reader.integer(in: Limits.time, "from")
            case "to": to = try reader.null() ? nil : reader.integer(in: Limits.time, "to")
            case "goal": goal = try reader.null() ? nil : reader.int(in: goals, "goal")
            case "carried": carried = try reader.null() ? nil : reader.int(in: goals, "carried")
            case "done": done = try reader.null() ? nil : reader.integer(in: amounts, "done")
            case "days": days = try reader.null() ? [] : DebtWeek.days(from: &reader)
            case "streak": streak = try reader.null() ? nil : reader.int(in: Limits.counter, "streak")
            case "labels": labels = try reader.null() ? [] : DebtWeek.labels(from: &reader)
            case "calm": calm = try reader.null() ? nil : reader.int(in: 0...100, "calm")
            case "until": until = try reader.null() ? nil : reader.integer(in: Limits.time, "until")
            case "first": first = try reader.null() ? nil : reader.date("first")
            case "today": today = try reader.null() ? nil : reader.int(in: 0...daysLimit - 1, "today")
            default: try reader.skip()
            }
        }

        /// `nil` where no week was said; who says one says all that belongs to it.
        func finished() throws(Rejection) -> DebtWeek? {
            guard let name else { return nil }
            return DebtWeek(
                name: name, from: try need(from, "from"), to: try need(to, "to"), goal: try need(goal, "goal"),
                carried: carried ?? 0, done: try need(done, "done"), days: days, streak: streak ?? 0, labels: labels,
                calm: calm, until: until, first: first, today: today)
        }
    }

    private static func days(from reader: inout JSONReader) throws(Rejection) -> [Int64] {
        var days: [Int64] = []
        var items = try reader.array()
        while try reader.element(&items) { days.append(try reader.integer(in: amounts, "days")) }
        guard days.count <= daysLimit else { throw Rejection(.outOfBounds, "days are \(days.count)") }
        return days
    }

    private static func labels(from reader: inout JSONReader) throws(Rejection) -> [LabelSum] {
        var labels: [LabelSum] = []
        var items = try reader.array()
        while try reader.element(&items) {
            var (label, done): (Label?, Int64?) = (nil, nil)
            var fields = try reader.object()
            while let key = try reader.key(&fields) {
                switch key {
                case "label": label = try reader.null() ? nil : Label(reader: &reader)
                case "done": done = try reader.integer(in: amounts, "done")
                default: try reader.skip()
                }
            }
            if let label, !CleanText.accepts(label.name, bytes: Limits.nameBytes) {
                throw Rejection(.outOfBounds, "a label's name")
            }
            labels.append(LabelSum(label: label, done: try need(done, "labels.done")))
        }
        guard labels.count <= labelsLimit else { throw Rejection(.outOfBounds, "labels are \(labels.count)") }
        return labels
    }

    func writeFields(to writer: inout JSONWriter) {
        writer.field("week", name)
        writer.field("from", from)
        writer.field("to", to)
        writer.field("goal", goal)
        if carried != 0 { writer.field("carried", carried) }
        writer.field("done", done)
        writer.list("days") { writer in
            for day in days { writer.value(day) }
        }
        writer.field("streak", streak)
        writer.list("labels") { writer in
            for sum in labels {
                writer.object { writer in
                    if let label = sum.label { writer.field("label") { label.writeFields(to: &$0) } }
                    writer.field("done", sum.done)
                }
            }
        }
        if let calm { writer.field("calm", calm) }
        if let until { writer.field("until", until) }
        if let first { writer.field("first", first.description) }
        if let today { writer.field("today", today) }
    }
}
