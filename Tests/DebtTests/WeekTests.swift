// SPDX-License-Identifier: Apache-2.0

import Session
import Testing
import Wire

@testable import Debt

@Suite("Weeks", .timeLimit(.minutes(15)))
struct WeekTests {
    private let hour: Milliseconds = 3_600_000

    private func zone(_ name: String) throws -> Zone { try #require(Zone(name)) }
    private func date(_ text: String) throws -> CivilDate { try #require(CivilDate(text)) }
    private func utc(_ text: String, _ hours: Double = 0) -> GroupTime {
        let date = CivilDate(text) ?? { preconditionFailure(text) }()
        return Zone.utc.instant(of: date, time: Int64(hours * 3_600_000))
    }

    @Test func datesFollowTheGregorianCalendar() throws {
        #expect(CivilDate(year: 1970, month: 1, day: 1).dayNumber == 0)
        #expect(CivilDate(year: 2000, month: 2, day: 29).dayNumber == 11_016)
        #expect(try date("2028-02-29").adding(days: 1) == date("2028-03-01"))
        #expect(CivilDate("2027-02-29") == nil)
        #expect(CivilDate("2100-02-29") == nil)
        #expect(CivilDate("2000-02-29") != nil)
        #expect(CivilDate("2026-1-01") == nil)
        #expect(CivilDate("2026-13-01") == nil)
        #expect(CivilDate("x") == nil)
        for number in stride(from: -800_000, through: 800_000, by: 37) {
            let day = CivilDate(dayNumber: number)
            let (year, month, ofMonth) = day.components
            #expect(CivilDate(year: year, month: month, day: ofMonth) == day)
            #expect(day.adding(days: 7).weekday == day.weekday)
        }
    }

    @Test(arguments: [
        ("2026-12-28", "2026-W53", 1), ("2027-01-03", "2026-W53", 7), ("2027-01-04", "2027-W01", 1),
        ("2026-01-01", "2026-W01", 4), ("2025-12-29", "2026-W01", 1), ("2020-12-31", "2020-W53", 4),
        ("2021-01-03", "2020-W53", 7), ("2024-12-30", "2025-W01", 1), ("2028-02-29", "2028-W09", 2),
        ("2032-12-31", "2032-W53", 5), ("2023-01-01", "2022-W52", 7),
    ])
    func isoWeekFollowsTheCalendar(date text: String, week: String, weekday: Int) throws {
        #expect(try date(text).isoWeek == week)
        #expect(try date(text).weekday == weekday)
    }

    @Test func weekAcrossTheYearIsComplete() throws {
        let history = RulesHistory(WeekRules(zone: try zone("Europe/Berlin")))
        let week = history.week(containing: utc("2027-01-01", 12))
        #expect(week.from == utc("2026-12-27", 23))
        #expect(week.to == utc("2027-01-03", 23))
        #expect(week.isoWeek == "2026-W53")
        #expect(
            week.days.map(\.date.description) == [
                "2026-12-28", "2026-12-29", "2026-12-30", "2026-12-31", "2027-01-01", "2027-01-02", "2027-01-03",
            ])
        #expect(history.week(after: week).isoWeek == "2027-W01")
        #expect(history.week(before: week).isoWeek == "2026-W52")
    }

    /// A week with a clock change has an hour less or more.
    @Test(arguments: [
        ("Europe/Berlin", "2026-03-29", 167), ("Europe/Berlin", "2026-10-25", 169),
        ("America/New_York", "2026-03-08", 167), ("America/New_York", "2026-11-01", 169),
        ("Australia/Lord_Howe", "2026-04-05", 168), ("Asia/Kolkata", "2026-03-29", 168),
    ])
    func weekOfAClockChangeHasAnHourMoreOrLess(name: String, sunday: String, hours: Int64) throws {
        let rules = WeekRules(zone: try zone(name))
        let week = RulesHistory(rules).week(containing: rules.zone.instant(of: try date(sunday), time: 12 * 3_600_000))
        let half = name.hasSuffix("Lord_Howe") ? hour / 2 : 0
        #expect(week.to - week.from == hours * hour + half)
        #expect(week.days.map { $0.to - $0.from }.dropLast().allSatisfy { $0 == 24 * hour })
        #expect(week.days.last.map { $0.to - $0.from } == (hours - 144) * hour + half)
    }

    /// A day that starts in the skipped hour starts at the jump. In the repeated hour it starts the first time.
    @Test func dayMayStartDuringAClockChange() throws {
        let rules = WeekRules(zone: try zone("Europe/Berlin"), dayStart: 9_000_000)
        let history = RulesHistory(rules)
        let spring = history.week(containing: utc("2026-03-28", 12))
        #expect(spring.days.last?.from == utc("2026-03-29", 1))
        let autumn = history.week(containing: utc("2026-10-24", 12))
        #expect(autumn.days.last?.from == utc("2026-10-25", 0.5))
        #expect(
            history.week(containing: utc("2026-10-25", 1.25)).days.contains { $0.from == autumn.days.last?.from })
    }

    @Test func dayMayStartAfterMidnight() throws {
        let history = RulesHistory(WeekRules(zone: .utc, dayStart: 5 * 3_600_000))
        let late = history.week(containing: utc("2026-11-23", 4.9))
        #expect(late.isoWeek == "2026-W47")
        #expect(late.to == utc("2026-11-23", 5))
        #expect(history.week(containing: utc("2026-11-23", 5)).isoWeek == "2026-W48")
    }

    @Test func weekMayStartOnAnyDay() throws {
        for first in 1...7 {
            let history = RulesHistory(WeekRules(zone: .utc, firstWeekday: first))
            var week = history.week(containing: utc("2026-01-01"))
            var numbers: Set<String> = []
            for _ in 0..<1_000 {
                #expect(week.days.first?.date.weekday == first)
                #expect(week.days.count == 7)
                #expect(numbers.insert(week.isoWeek).inserted, "\(week.isoWeek) twice")
                let next = history.week(after: week)
                #expect(next.from == week.to)
                #expect(history.week(before: next) == week)
                week = next
            }
        }
    }

    @Test func zoneChangeMovesTheNextWeek() throws {
        var history = RulesHistory(WeekRules(zone: try zone("Europe/Berlin")))
        history.append(WeekRules(zone: try zone("America/New_York")), from: utc("2026-11-18", 15))
        let frozen = history.week(containing: utc("2026-11-18", 20))
        #expect(frozen.from == utc("2026-11-15", 23))
        #expect(frozen.to == utc("2026-11-22", 23))
        #expect(history.week(containing: utc("2026-11-17")) == frozen)
        let next = history.week(after: frozen)
        #expect(next.from == frozen.to)
        #expect(next.to == utc("2026-11-30", 5))
        #expect(next.isoWeek == "2026-W47" || next.isoWeek == "2026-W48")
        #expect(history.week(after: next).from == next.to)
        #expect(history.week(after: next).to - next.to == 168 * hour)
        #expect(history.week(before: next) == frozen)
    }

    @Test func changeOfTheFirstDayMakesOneOddWeek() throws {
        for first in 2...7 {
            var history = RulesHistory(WeekRules(zone: .utc))
            history.append(WeekRules(zone: .utc, firstWeekday: first), from: utc("2026-11-18", 15))
            let frozen = history.week(containing: utc("2026-11-18", 20))
            let next = history.week(after: frozen)
            #expect(next.from == utc("2026-11-23"))
            #expect((84 * hour...252 * hour).contains(next.to - next.from))
            #expect(history.week(after: next).days.first?.date.weekday == first)
            #expect(next.days.reduce(0) { $0 + ($1.to - $1.from) } == next.to - next.from)
        }
    }

    @Test func newGoalAppliesToThisWeekOnwards() throws {
        var history = RulesHistory(WeekRules(zone: .utc))
        history.append(WeekRules(goal: 600, zone: .utc), from: utc("2026-11-18", 15))
        let week = history.week(containing: utc("2026-11-18", 20))
        #expect(history.rules(for: week).goal == 600)
        #expect(history.rules(for: history.week(before: week)).goal == 420)
        #expect(history.latest.goal == 600)
    }

    /// Tests 23:30 to 00:30 at the end of a week, and the same across clock changes.
    @Test func runsAreSplitAtTheBoundsOfDaysAndWeeks() throws {
        for sunday in ["2026-03-29", "2026-10-25", "2027-01-03", "2028-02-27"] {
            let rules = WeekRules(zone: try zone("Europe/Berlin"))
            let history = RulesHistory(rules)
            let midnight = rules.zone.instant(of: try date(sunday).adding(days: 1), time: 0)
            let entry = try Self.entry([(.focus, midnight - .minutes(30), midnight + .minutes(45))])
            let counted = CountedTime(of: [entry], now: midnight + hour)
            let before = WeekSums(of: counted, entries: [entry], in: history.week(containing: midnight - 1))
            let after = WeekSums(of: counted, entries: [entry], in: history.week(containing: midnight))
            #expect(before.days == [0, 0, 0, 0, 0, 0, .minutes(30)])
            #expect(after.days == [.minutes(45), 0, 0, 0, 0, 0, 0])
            #expect(before.done + after.done == counted.total)
        }
    }

    /// Nine hours from Saturday evening, ten by the clock, across the skipped hour: eight hours by Sunday's clock are
    /// seven.
    @Test func skippedHourDoesNotCount() throws {
        let rules = WeekRules(zone: try zone("Europe/Berlin"))
        let evening = rules.zone.instant(of: try date("2026-03-28"), time: 22 * 3_600_000)
        let entry = try Self.entry([(.work, evening, evening + 9 * hour)])
        let sums = WeekSums(
            of: CountedTime(of: [entry], now: evening + 10 * hour), entries: [entry],
            in: RulesHistory(rules).week(containing: evening))
        #expect(sums.days.suffix(2) == [2 * hour, 7 * hour])
        #expect(WeekReport(sums: sums, goal: 420, streak: 0).debt == 420 - 540)
    }

    @Test func labelsAreSummedByName() throws {
        let start = utc("2026-11-18", 8)
        let entries = [
            try Self.entry([(.focus, start, start + hour)], label: Label(name: "Deep"), counter: 1),
            try Self.entry([(.focus, start + hour / 2, start + 2 * hour)], label: nil, counter: 2),
            try Self.entry(
                [(.focus, start + 3 * hour, start + 4 * hour)],
                label: Label(name: "Deep", colour: Colour(red: 1, green: 2, blue: 3)), counter: 3),
            try Self.entry([(.shortBreak, start + 5 * hour, start + 6 * hour)], label: nil, counter: 4),
        ]
        let sums = WeekSums(
            of: CountedTime(of: entries, now: start + 9 * hour), entries: entries,
            in: RulesHistory(WeekRules(zone: .utc)).week(containing: start))
        // The half hour in which both ran belongs to the later start.
        #expect(sums.labels.map(\.done) == [hour + hour / 2, hour + hour / 2])
        #expect(sums.labels.first { $0.label != nil }?.label?.colour == Colour(red: 1, green: 2, blue: 3))
        #expect(sums.done == 3 * hour)
    }

    private static func entry(
        _ runs: [(PhaseKind, GroupTime, GroupTime)], label: Label? = nil, counter: Int = 0
    ) throws -> Entry {
        let record = try LedgerRecord.sample("s-\(counter)", from: runs.first?.1 ?? 0, counter: counter) {
            $0.label = label
            $0.runs = runs.map { LedgerRecord.Run(kind: $0.0, from: $0.1, to: $0.2) }
        }
        return Entry(record)
    }
}
