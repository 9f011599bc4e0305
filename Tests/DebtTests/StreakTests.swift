// SPDX-License-Identifier: Apache-2.0

import Ledger
import Session
import Support
import Testing
import Wire

@testable import Debt

/// Tests streaks and carried debt across changes of rules, zones and corrections.
@Suite("Streaks and carried debt", .cpuBound, .onBothStores)
struct StreakTests {
    private static let hour: Milliseconds = 3_600_000
    private static let day: Milliseconds = .days(1)
    /// Monday, 2026-06-01, 12:00 UTC.
    private static let noon: GroupTime = 1_780_272_000_000 + 43_200_000
    private let directory: TemporaryDirectory
    private let ledger: LedgerStore
    private let home = SpaceID.home

    init() throws {
        directory = try TemporaryDirectory()
        ledger = try LedgerStore(at: Store.place(in: directory))
    }

    @discardableResult
    private func file(_ id: String, at from: GroupTime, kind: PhaseKind = .focus) throws -> LedgerRecord.Key {
        let record = try LedgerRecord.sample(id, from: from, minutes: 30) { $0.runs[0].kind = kind }
        _ = try ledger.file([LedgerStore.Arrival(space: home, digested: DigestedRecord(record), at: from)])
        return record.key
    }

    private func streak(_ history: RulesHistory, at now: GroupTime) throws -> Int {
        var book = WeekBook(space: home, ledger: ledger, history: history)
        return try book.streak(at: now)
    }

    private func say(_ id: String, of key: LedgerRecord.Key, _ runs: [LedgerRecord.Run]?) throws {
        let content = runs.map { Correction.Content(title: "", label: nil, runs: $0) }
        try ledger.correct(Correction(id: try #require(Token(id)), key: key, at: 1, content: content), in: home)
    }

    @Test func todayDoesNotBreakAStreak() throws {
        let history = RulesHistory(WeekRules(zone: .utc))
        #expect(try streak(history, at: Self.noon) == 0)
        // Sunday and Monday, and a Friday before.
        for (id, day) in [("a", -1), ("b", 0), ("c", -3)] { try file(id, at: Self.noon + Int64(day) * Self.day) }
        let streaks = try (0...2).map { try streak(history, at: Self.noon + $0 * Self.day + Self.hour) }
        #expect(streaks == [2, 2, 0], "then, the next day and the day after")
    }

    @Test(arguments: [(5, "UTC"), (0, "America/New_York"), (0, "Pacific/Pago_Pago"), (0, "Pacific/Kiritimati")])
    func streakSurvivesALaterDayStartAndAnotherZone(dayStart: Int64, zone: String) throws {
        for day in 0..<28 { try file("s-\(day)", at: Self.noon + Int64(day) * Self.day) }
        let before = WeekRules(zone: .utc)
        var after = WeekRules(zone: try #require(Zone(zone)))
        after.dayStart = dayStart * 3_600_000
        var history = RulesHistory(before)
        // In the second week.
        history.append(after, from: Self.noon + 9 * Self.day)
        let now = Self.noon + 27 * Self.day + 2 * Self.hour
        // Each noon is on another date in all of these zones, so each day has a session.
        #expect(try streak(history, at: now) >= 28)
        var week = history.week(containing: Self.noon)
        var dates: [Int] = []
        while week.from < now {
            dates += week.days.map(\.date.dayNumber)
            week = history.week(after: week)
        }
        #expect(Set(dates).count == dates.count, "no date comes twice")
        #expect(dates == dates.sorted(), "no date comes twice")
    }

    @Test func streakSkipsADateThatTheZoneLacks() throws {
        let apia = try #require(Zone("Pacific/Apia"))
        let first = CivilDate(year: 2011, month: 12, day: 27)
        // Apia's calendar skipped 2011-12-30.
        for day in [0, 1, 2, 4, 5] {
            try file("s-\(day)", at: apia.instant(of: first.adding(days: day), time: 12 * 3_600_000))
        }
        let now = apia.instant(of: first.adding(days: 5), time: 20 * 3_600_000)
        #expect(try streak(RulesHistory(WeekRules(zone: apia)), at: now) == 5)
    }

    @Test func streakGoesBackToASessionThatAPersonMovedBeforeTheFirst() throws {
        for day in Int64(7)..<14 { try file("s-\(day)", at: Self.noon + day * Self.day) }
        let moved = try file("s-x", at: Self.noon + 13 * Self.day + Self.hour)
        let from = Self.noon + 6 * Self.day
        try say("c-1", of: moved, [LedgerRecord.Run(kind: .focus, from: from, to: from + Self.hour)])
        #expect(try ledger.beginning(of: home) == from)
        #expect(try streak(RulesHistory(WeekRules(zone: .utc)), at: Self.noon + 13 * Self.day + 2 * Self.hour) == 8)
    }

    @Test func debtIsCarriedFromTheFirstMinuteThatCounts() throws {
        let rules = RulesHistory(WeekRules(goal: 420, zone: .utc, carriesOver: true))
        func carried() throws -> Int {
            var book = WeekBook(space: home, ledger: ledger, history: rules)
            let now = Self.noon + 8 * Self.day
            return try book.report(of: rules.week(containing: now), now: now).carried
        }
        try file("s-1", at: Self.noon)
        #expect(try carried() == 390)
        let deleted = try file("s-2", at: Self.noon - 3_650 * Self.day)
        try say("c-1", of: deleted, nil)
        #expect(try carried() == 390)
        let moved = try file("s-3", at: Self.noon - 3_000 * Self.day)
        try say(
            "c-2", of: moved,
            [LedgerRecord.Run(kind: .focus, from: Self.noon, to: Self.noon + Self.hour / 2)])
        #expect(try carried() == 390)
        try file("s-4", at: Self.noon - 70 * Self.day, kind: .shortBreak)
        #expect(try carried() == 390, "a break does not count")
        try file("s-5", at: Self.noon - 7 * Self.day)
        #expect(try carried() == 780)
    }
}
