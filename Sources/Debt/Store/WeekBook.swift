// SPDX-License-Identifier: Apache-2.0

public import Session
public import Wire

/// The weeks of one space, added up from its ledger. Weeks that are over are remembered until something in them changes.
public struct WeekBook {
    /// The space.
    public let space: SpaceID
    /// The rules of the week.
    public private(set) var history: RulesHistory
    private let ledger: Ledger
    private var past: [Int64: WeekSums] = [:]
    /// Minutes that are carried into a week, and whether anything counts before it.
    private var carried: [Int64: (minutes: Int, hasBegun: Bool)] = [:]
    private var pastCalm: [Int64: Int?] = [:]
    /// The weeks of a year, the latest first, and the one that they lie before.
    private var yearsWeeks: (present: Week, weeks: [Week])?
    private static let rememberedLimit = 1_000

    /// - Parameter history: The rules of the week.
    public init(space: SpaceID, ledger: Ledger, history: RulesHistory) {
        self.space = space
        self.ledger = ledger
        self.history = history
    }

    /// Something has changed: nothing that was added up holds any more.
    public mutating func forget(history: RulesHistory? = nil) {
        past = [:]
        carried = [:]
        pastCalm = [:]
        yearsWeeks = nil
        if let history { self.history = history }
    }

    /// A record has come. Weeks before the first instant that it, its lineage or what was there of it can touch still hold.
    public mutating func forget(from instant: Int64) {
        past = past.filter { $0.value.week.to <= instant }
        carried = carried.filter { $0.key <= instant }
        pastCalm = pastCalm.filter { past[$0.key] != nil }
    }

    /// What was done in a week.
    public mutating func sums(of week: Week, now: Int64) throws -> WeekSums {
        if let known = past[week.from], known.week == week { return known }
        let entries = try ledger.entries(of: space, from: week.from, to: week.to)
        let minutes = Minutes(of: entries, counting: history.rules(for: week).counting, now: now)
        let sums = WeekSums(of: minutes, entries: entries, in: week)
        if now >= week.to, sums.ongoing == nil {
            if past.count >= Self.rememberedLimit { (past, pastCalm) = ([:], [:]) }
            past[week.from] = sums
        }
        return sums
    }

    /// How a week stands, with what was carried into it.
    public mutating func report(of week: Week, now: Int64) throws -> WeekReport {
        let rules = history.rules(for: week)
        let carried = rules.carriesOver ? try carriedOver(into: week, now: now) : 0
        return WeekReport(
            sums: try sums(of: week, now: now), goal: rules.goal + carried, carried: carried,
            streak: week.contains(now) ? try streak(at: now) : 0)
    }

    /// Days in a row, up to now, on which something was done.
    public mutating func streak(at now: Int64) throws -> Int {
        guard let beginning = try ledger.beginning(of: space) else { return 0 }
        var week = history.week(containing: now)
        var days: [Int64] = []
        while true {
            let sums = try sums(of: week, now: now)
            for (day, done) in zip(week.days, sums.days).reversed() where day.from <= now {
                if !days.isEmpty, done < Streak.enough, day.to - day.from < Streak.shortestDay { continue }
                days.append(done)
            }
            // The first day that breaks it ends the search; today does not.
            if Streak.length(todayFirst: days) < days.count - (days[0] < Streak.enough ? 1 : 0) { break }
            guard week.from > beginning else { break }
            week = history.week(before: week)
        }
        return Streak.length(todayFirst: days)
    }

    /// What was missing to the weeks before, as long as they were to be carried over.
    private mutating func carriedOver(into week: Week, now: Int64) throws -> Int {
        if let known = carried[week.from] { return known.minutes }
        guard let beginning = try ledger.beginning(of: space) else { return 0 }
        var weeks: [Week] = []
        var (before, sum, hasBegun) = (history.week(before: week), 0, false)
        // Back to the first week in which something was done, or whose own debt was not to be carried on.
        while before.to > beginning {
            weeks.append(before)
            if let known = carried[before.from] {
                (sum, hasBegun) = known
                break
            }
            guard history.rules(for: before).carriesOver else {
                hasBegun = before.from > beginning
                break
            }
            before = history.week(before: before)
        }
        for before in weeks.reversed() {
            let done = try sums(of: before, now: now).done
            // Nothing was asked for before the first minute that counts.
            hasBegun = hasBegun || done > 0
            guard hasBegun else { continue }
            sum = max(0, history.rules(for: before).goal + sum - Int(done / 60_000))
        }
        sum = min(sum, 100_000)
        carried[week.from] = (sum, hasBegun)
        return sum
    }

    /// How calm a week was, over all the time that was heard; `nil` where nobody knows.
    public func calm(of week: Week, now: Int64) throws -> Int? {
        let entries = try ledger.entries(of: space, from: week.from, to: week.to)
        let known = try ledger.calm(of: entries.map(\.record.id), in: space)
        var (quiet, heard) = (Int64(0), Int64(0))
        for entry in entries {
            guard let calm = known[entry.record.id] else { continue }
            let ran = entry.record.runs.reduce(Int64(0)) { sum, run in
                sum + max(0, min(entry.end(of: run) ?? now, now, week.to) - max(run.from, week.from))
            }
            heard += ran * Int64(calm.coverage)
            quiet += ran * Int64(calm.coverage) * Int64(calm.percent)
        }
        return heard == 0 ? nil : Int(quiet / heard)
    }

    /// What the service publishes at an instant.
    public mutating func feed(at now: Int64) throws -> DebtFeed {
        let week = history.week(containing: now)
        let report = try report(of: week, now: now)
        let shown = report.sums.labels.prefix(DebtWeek.labelsLimit)
        return DebtFeed(
            minutes: max(-100_000, min(report.debt, 100_000)), at: now,
            week: DebtWeek(
                name: week.number.description, from: week.from, to: week.to, goal: report.goal,
                carried: report.carried, done: report.sums.done, days: report.sums.days, streak: report.streak,
                labels: shown.map { DebtWeek.LabelSum(label: $0.label, done: $0.done) },
                calm: try calm(of: week, now: now), until: report.sums.ongoing?.until,
                first: week.days.first?.date, today: week.days.lastIndex { $0.from <= now }))
    }

    /// What the service publishes of the weeks before the one of an instant. Of weeks that are not remembered one is read
    /// a call, since a year of them may take a while.
    /// - Returns: `nil` while there are more to be read: to be asked again.
    public mutating func year(at now: Int64) throws -> DebtYear? {
        let present = history.week(containing: now)
        guard let today = present.days.first?.date else { return nil }
        let first = today.adding(days: -7 * DebtYear.weeks)
        var days = Array(repeating: Int64(0), count: 7 * DebtYear.weeks)
        var calm: [Int?] = Array(repeating: nil, count: DebtYear.weeks)
        var mayRead = true
        for week in weeks(before: present, from: first) {
            if past[week.from]?.week != week || pastCalm[week.from] == nil {
                guard mayRead else { return nil }
                mayRead = try !remember(week, now: now)
            }
            for (day, done) in zip(week.days, try sums(of: week, now: now).days) where day.date >= first {
                // Where the zone became another, a date may come again.
                days[min(day.date.dayNumber - first.dayNumber, days.count - 1)] += done
            }
            let middle = week.days[min(3, week.days.count - 1)].date.dayNumber - first.dayNumber
            if middle >= 0 { calm[min(middle / 7, calm.count - 1)] = pastCalm[week.from] ?? nil }
        }
        return DebtYear(
            first: first, days: days.map { min(Int($0 / 60_000), 2_880) },
            calm: calm.contains { $0 != nil } ? calm : [], at: now)
    }

    private mutating func weeks(before present: Week, from first: CivilDate) -> [Week] {
        if let known = yearsWeeks, known.present == present { return known.weeks }
        var weeks: [Week] = []
        var week = history.week(before: present)
        while let last = week.days.last?.date, last >= first {
            weeks.append(week)
            week = history.week(before: week)
        }
        yearsWeeks = (present, weeks)
        return weeks
    }

    /// - Returns: Whether the week is remembered; one in which something still runs is not, since more may come of it.
    private mutating func remember(_ week: Week, now: Int64) throws -> Bool {
        let sums = try sums(of: week, now: now)
        pastCalm[week.from] = sums.done == 0 ? .some(nil) : .some(try calm(of: week, now: now))
        return past[week.from] != nil
    }

    /// When the feed is another by the calendar: at the next day's begin.
    public func nextBoundary(after now: Int64) -> Int64 {
        let week = history.week(containing: now)
        return week.days.first { $0.from > now }?.from ?? week.to
    }
}

extension DebtFeed {
    /// Whether it says more than an earlier one does by itself at the same instant. That a day begins is news: who hears
    /// of none for longer knows that nobody counts any more.
    public func isNews(after other: DebtFeed?) -> Bool {
        guard let other, let mine = week, var theirs = other.week else { return true }
        // What has gone on since is known to who reads the earlier one; a second is rounding.
        if let until = theirs.until {
            guard abs(mine.done - other.done(at: at)) < 1_000,
                mine.until == until || (mine.until == nil && until <= at)
            else { return true }
            theirs.labels = mine.labels
            theirs.days = mine.days
            theirs.until = mine.until
            theirs.done = mine.done
        }
        return mine != theirs
    }
}
