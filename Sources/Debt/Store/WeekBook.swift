// SPDX-License-Identifier: Apache-2.0

package import Session
package import Wire

/// The weeks of a space, computed from its ledger. Past weeks are cached until something in them changes.
package struct WeekBook {
    package let space: SpaceID
    package let history: RulesHistory
    private let ledger: LedgerStore
    private var past: [GroupTime: WeekSums] = [:]
    /// The minutes carried into a week, by its start, and whether anything counts before it.
    private var carried: [GroupTime: (minutes: Int, hasBegun: Bool)] = [:]
    private var pastCalm: [GroupTime: Int?] = [:]
    /// The weeks of the past year, the latest first, and the present week for which they were found.
    private var yearsWeeks: (present: Week, weeks: [Week])?
    /// The maximum number of cached weeks, those of 19 years.
    private static let rememberedLimit = 1_000

    package init(space: SpaceID, ledger: LedgerStore, history: RulesHistory) {
        self.space = space
        self.ledger = ledger
        self.history = history
    }

    /// Discards the whole cache.
    package mutating func forget() {
        past = [:]
        carried = [:]
        pastCalm = [:]
        yearsWeeks = nil
    }

    /// Discards the cached weeks that a change from `instant` on can affect.
    package mutating func forget(from instant: GroupTime) {
        past = past.filter { $0.value.week.to <= instant }
        carried = carried.filter { $0.key <= instant }
        pastCalm = pastCalm.filter { past[$0.key] != nil }
    }

    /// Returns the sums of a week, which are cached if it is past and has no running session.
    package mutating func sums(of week: Week, now: GroupTime) throws -> WeekSums {
        if let known = past[week.from], known.week == week { return known }
        let entries = try ledger.entries(of: space, from: week.from, to: week.to)
        let counted = CountedTime(of: entries, counting: history.rules(for: week).counting, now: now)
        let sums = WeekSums(of: counted, entries: entries, in: week)
        if now >= week.to, sums.ongoing == nil {
            if past.count >= Self.rememberedLimit { (past, pastCalm) = ([:], [:]) }
            past[week.from] = sums
        }
        return sums
    }

    /// Returns the sums of a week with its goal. Only the present week has a streak, which ends now.
    package mutating func report(of week: Week, now: GroupTime) throws -> WeekReport {
        let rules = history.rules(for: week)
        let carried = rules.carriesOver ? try carriedOver(into: week, now: now) : 0
        return WeekReport(
            sums: try sums(of: week, now: now), goal: rules.goal + carried, carried: carried,
            streak: week.contains(now) ? try streak(at: now) : 0)
    }

    /// Returns the number of consecutive days, up to now, with a minute or more done. Today does not break the streak,
    /// nor does a day of less than twelve hours, in which the clocks or the zone changed.
    package mutating func streak(at now: GroupTime) throws -> Int {
        guard let beginning = try ledger.beginning(of: space) else { return 0 }
        var (week, length, isToday) = (history.week(containing: now), 0, true)
        while true {
            for (day, done) in zip(week.days, try sums(of: week, now: now).days).reversed() where day.from <= now {
                if done >= 60_000 {
                    length += 1
                } else if !isToday, day.to - day.from >= .days(1) / 2 {
                    return length
                }
                isToday = false
            }
            guard week.from > beginning else { return length }
            week = history.week(before: week)
        }
    }

    /// Returns the minutes missing from the weeks before, back to one that carries nothing over.
    private mutating func carriedOver(into week: Week, now: GroupTime) throws -> Int {
        if let known = carried[week.from] { return known.minutes }
        guard let beginning = try ledger.beginning(of: space) else { return 0 }
        var weeks: [Week] = []
        var (before, sum, hasBegun) = (history.week(before: week), 0, false)
        // Back to the beginning of the ledger, a cached week, or a week that carries nothing over.
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
            // There is no goal before the first minute that counts.
            hasBegun = hasBegun || done > 0
            guard hasBegun else { continue }
            sum = max(0, history.rules(for: before).goal + sum - Int(done.count / 60_000))
        }
        sum = min(sum, DebtFeed.bounds.upperBound)
        carried[week.from] = (sum, hasBegun)
        return sum
    }

    /// Returns how calm a week was, in percent of the measured time; `nil` without measurements.
    package func calm(of week: Week, now: GroupTime) throws -> Int? {
        let entries = try ledger.entries(of: space, from: week.from, to: week.to)
        let known = try ledger.calm(of: entries.map(\.record.id), in: space)
        var (quiet, heard) = (Int64(0), Int64(0))
        for entry in entries {
            guard let calm = known[entry.record.id] else { continue }
            let sum = entry.record.runs.reduce(Milliseconds.zero) { sum, run in
                sum + max(0, min(entry.end(of: run) ?? now, now, week.to) - max(run.from, week.from))
            }
            // Runs of a record that another program wrote may overlap.
            let ran = min(sum, week.to - week.from).count
            heard += ran * Int64(calm.coverage)
            quiet += ran * Int64(calm.coverage) * Int64(calm.percent)
        }
        return heard == 0 ? nil : Int(quiet / heard)
    }

    /// Returns the feed of the present week.
    package mutating func feed(at now: GroupTime) throws -> DebtFeed {
        let week = history.week(containing: now)
        let report = try report(of: week, now: now)
        return DebtFeed(
            minutes: min(max(report.debt, DebtFeed.bounds.lowerBound), DebtFeed.bounds.upperBound), at: now,
            week: DebtWeek(
                name: week.isoWeek, from: week.from, to: week.to, goal: report.goal,
                carried: report.carried, done: report.sums.done, days: report.sums.days, streak: report.streak,
                labels: Array(report.sums.labels.prefix(DebtWeek.labelsLimit)),
                calm: try calm(of: week, now: now), until: report.sums.ongoing?.until,
                first: week.days.first?.date, today: week.days.lastIndex { $0.from <= now },
                offset: history.rules(for: week).zone.offset(at: now)))
    }

    /// Returns the feed of the year before the present week. Each call caches at most one week, since a year takes
    /// long; a past week with a running session is computed each time. It returns `nil` while weeks are missing: the
    /// caller must call again.
    package mutating func year(at now: GroupTime) throws -> DebtYear? {
        let present = history.week(containing: now)
        guard let today = present.days.first?.date else { return nil }
        let first = today.adding(days: -7 * DebtYear.weeks)
        var days = Array(repeating: Milliseconds.zero, count: 7 * DebtYear.weeks)
        var calm: [Int?] = Array(repeating: nil, count: DebtYear.weeks)
        var mayRead = true
        for week in weeks(before: present, from: first) {
            if past[week.from]?.week != week || pastCalm[week.from] == nil {
                guard mayRead else { return nil }
                mayRead = try !remember(week, now: now)
            }
            for (day, done) in zip(week.days, try sums(of: week, now: now).days) where day.date >= first {
                days[min(day.date.dayNumber - first.dayNumber, days.count - 1)] += done
            }
            let middle = week.days[min(3, week.days.count - 1)].date.dayNumber - first.dayNumber
            if middle >= 0 { calm[min(middle / 7, calm.count - 1)] = pastCalm[week.from] ?? nil }
        }
        return DebtYear(
            first: first, days: days.map { min(Int($0.count / 60_000), 2_880) },
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

    /// Computes and caches a week. Returns `false` for a week with a running session, which is not cached.
    private mutating func remember(_ week: Week, now: GroupTime) throws -> Bool {
        let sums = try sums(of: week, now: now)
        pastCalm[week.from] = sums.done == 0 ? .some(nil) : .some(try calm(of: week, now: now))
        return past[week.from] != nil
    }

    /// Returns when the next day begins and the feed changes by itself.
    package func nextBoundary(after now: GroupTime) -> GroupTime {
        let week = history.week(containing: now)
        return week.days.first { $0.from > now }?.from ?? week.to
    }
}

extension DebtFeed {
    /// Returns whether it differs from what readers of an earlier feed can extrapolate. The start of a day is always
    /// news, so that a reader that gets none for longer than a day knows that the service is gone.
    package func isNews(after other: DebtFeed?) -> Bool {
        guard let other, let mine = week, var theirs = other.week else { return true }
        // Readers extrapolate running time; up to a second is rounding.
        if let until = theirs.until {
            guard (mine.done - other.done(at: at)).magnitude < .seconds(1),
                mine.until == until || (mine.until == nil && until <= at),
                !mine.hasOtherLabels(than: theirs)
            else { return true }
            theirs.labels = mine.labels
            theirs.days = mine.days
            theirs.until = mine.until
            theirs.done = mine.done
        }
        return mine != theirs
    }
}

extension DebtWeek {
    /// Returns whether labels differ from an earlier feed of the week by more than running time. One is gone or
    /// recoloured, or two have other time. Readers add the running time to one label; up to a second is rounding.
    fileprivate func hasOtherLabels(than earlier: DebtWeek) -> Bool {
        var known = Dictionary(earlier.labels.map { ($0.label?.name, $0) }) { first, _ in first }
        var changed = 0
        for sum in labels {
            let before = known.removeValue(forKey: sum.label?.name)
            if let before, before.label != sum.label { return true }
            if (sum.done - (before?.done ?? 0)).magnitude >= .seconds(1) { changed += 1 }
        }
        return !known.isEmpty || changed > 1
    }
}
