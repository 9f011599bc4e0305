// SPDX-License-Identifier: Apache-2.0

import Ledger
import Session
import Support
import Testing
import Wire

@testable import Debt

@Suite("The year", .cpuBound, .onBothStores)
struct YearTests {
    private static let hour: Milliseconds = 3_600_000
    private let directory: TemporaryDirectory
    private let home = SpaceID.home
    private let ledger: LedgerStore

    init() throws {
        directory = try TemporaryDirectory()
        ledger = try LedgerStore(at: Store.place(in: directory))
    }

    private func date(_ text: String) throws -> CivilDate { try #require(CivilDate(text)) }

    private func file(
        _ name: String, _ day: String, hour: Int64, minutes: Int64, rev: Int = 1, zone: Zone, calm: Int? = nil
    ) throws -> GroupTime {
        let from = zone.instant(of: try date(day), time: hour * 3_600_000)
        let record = try LedgerRecord.sample(name, from: from, minutes: minutes) { $0.version.rev = rev }
        let arrival = LedgerStore.Arrival(space: home, digested: DigestedRecord(record), at: from)
        let outcome = try ledger.file([arrival])
        if let calm {
            try ledger.store(CalmFeed(session: record.id, percent: calm, coverage: 100, at: from), in: home)
        }
        return try #require(outcome.first).firstTouched
    }

    /// A session of four hours that runs.
    private func running(from: GroupTime) throws -> LedgerRecord {
        try .sample(from: from) {
            ($0.status, $0.endsAt, $0.runs[0].to) = (.running, from + 4 * Self.hour, nil)
        }
    }

    private func year(_ book: inout WeekBook, at now: GroupTime) throws -> (year: DebtYear, calls: Int) {
        for calls in 1...60 {
            if let year = try book.year(at: now) { return (year, calls) }
        }
        throw Failed("a year is never read")
    }

    @Test(arguments: [(1, "2025-11-17"), (7, "2025-11-16")])
    func yearHasEveryDayOf52Weeks(firstWeekday: Int, first: String) throws {
        let zone = try #require(Zone("Europe/Berlin"))
        let rules = WeekRules(zone: zone, firstWeekday: firstWeekday)
        // Both nights of clock changes, midnight, the first day, the day before it, and this week.
        let story: [(String, Int64, Int64, Int?)] = [
            ("2025-11-10", 9, 25, 20), (first, 0, 30, 90), ("2026-03-29", 1, 120, nil), ("2026-10-25", 1, 180, 50),
            ("2026-06-10", 23, 90, 100), ("2026-11-14", 22, 60, 80), ("2026-11-18", 9, 50, 10),
        ]
        for (index, row) in story.enumerated() {
            _ = try file("s-\(index)", row.0, hour: row.1, minutes: row.2, zone: zone, calm: row.3)
        }
        var book = WeekBook(space: home, ledger: ledger, history: RulesHistory(rules))
        let now = zone.instant(of: try date("2026-11-18"), time: 12 * 3_600_000)
        let (year, calls) = try year(&book, at: now)
        #expect(calls == 52, "one week a call")
        #expect(try self.year(&book, at: now + 1).calls == 1)
        #expect(year.first == (try date(first)))
        #expect(year.days.count == 364)
        #expect(year.calm.count == 52)
        func done(_ day: String) throws -> Int { year.days[try date(day).dayNumber - year.first.dayNumber] }
        #expect(try done(first) == 30)
        #expect(try done("2026-03-29") == 120)
        #expect(try done("2026-10-25") == 180)
        #expect(try done("2026-06-10") == 60)
        #expect(try done("2026-06-11") == 30)
        #expect(try done("2026-11-14") == 60)
        #expect(year.days.reduce(0, +) == 480, "neither what is older nor this week")
        #expect(year.calm.first == 90)
        #expect(year.calm.last == 80)
        #expect(year.calm.compactMap(\.self).count == 4)
    }

    @Test func recordInAPastWeekIsNews() throws {
        let zone = Zone.utc
        _ = try file("s-1", "2026-06-10", hour: 9, minutes: 25, zone: zone)
        var book = WeekBook(space: home, ledger: ledger, history: RulesHistory(WeekRules(zone: zone)))
        let now = zone.instant(of: try date("2026-11-18"), time: 0)
        let (before, _) = try year(&book, at: now)
        #expect(before.calm == [], "no calm was measured")
        book.forget(from: try file("s-2", "2026-11-17", hour: 9, minutes: 25, zone: zone))
        let (same, calls) = try year(&book, at: now)
        #expect(calls == 1)
        #expect(!same.isNews(after: before), "the year excludes this week")
        book.forget(from: try file("s-1", "2026-06-10", hour: 9, minutes: 50, rev: 2, zone: zone))
        let (after, more) = try year(&book, at: now)
        #expect(more > 1)
        #expect(after.isNews(after: before))
        #expect(after.days.reduce(0, +) == 50)
        book.forget()
        let next = try year(&book, at: now + .days(7)).year
        #expect(next.first == before.first.adding(days: 7))
        #expect(next.days.reduce(0, +) == 75)
    }

    /// The week of such a session is read again until the session has ended.
    @Test func sessionAcrossTheEndOfAWeekIsCounted() throws {
        let from = Zone.utc.instant(of: try date("2026-11-15"), time: 23 * 3_600_000)
        let record = try running(from: from)
        _ = try ledger.file([LedgerStore.Arrival(space: home, digested: DigestedRecord(record), at: from)])
        var book = WeekBook(space: home, ledger: ledger, history: RulesHistory(WeekRules(zone: .utc)))
        let (year, calls) = try year(&book, at: from + 2 * Self.hour)
        #expect(calls <= 52)
        #expect(year.days.last == 60)
        let feed = try book.feed(at: from + 2 * Self.hour)
        #expect(feed.week?.first == (try date("2026-11-16")))
        #expect(feed.week?.today == 0)
        #expect(feed.week?.days.first == Self.hour)
    }

    /// Readers add the running time to the label of the shown session, so only a correction is news.
    @Test func onlyACorrectedLabelOfARunningSessionIsNews() throws {
        let zone = Zone.utc
        _ = try file("s-0", "2026-11-16", hour: 9, minutes: 60, zone: zone)
        let from = zone.instant(of: try date("2026-11-17"), time: 9 * 3_600_000)
        var record = try running(from: from)
        record.label = Label(name: "Study")
        func feed(after minutes: Int64) throws -> DebtFeed {
            _ = try ledger.file([LedgerStore.Arrival(space: home, digested: DigestedRecord(record), at: from)])
            var book = WeekBook(space: home, ledger: ledger, history: RulesHistory(WeekRules(zone: zone)))
            return try book.feed(at: from + .minutes(minutes))
        }
        let first = try feed(after: 10)
        #expect(try !feed(after: 20).isNews(after: first))
        for (label, minutes) in [(Label(name: "Study", colour: Colour(hex: "f00") ?? .grey), 20), (nil, 80)] {
            record.label = label
            record.version.rev += 1
            let corrected = try feed(after: 20)
            #expect(corrected.isNews(after: first), "\(minutes)")
            let sums = try #require(corrected.week?.labels)
            #expect(sums.first { $0.label == label }?.done == .minutes(Int64(minutes)))
            #expect(sums.reduce(.zero) { $0 + $1.done } == .minutes(80))
        }
        let before = try feed(after: 20)
        record.label = Label(name: "Work")
        record.version.rev += 1
        #expect(try feed(after: 21).isNews(after: before))
    }
}
