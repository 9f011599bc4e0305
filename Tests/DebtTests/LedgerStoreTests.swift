// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GRDB
import Ledger
import Session
import Support
import Testing
import Wire

@testable import Debt

@Suite("The ledger", .cpuBound, .onBothStores)
struct LedgerStoreTests {
    private let directory: TemporaryDirectory
    private let home = SpaceID.home

    init() throws { directory = try TemporaryDirectory() }

    private func open(_ name: String = "ledger.sqlite") throws -> LedgerStore {
        try LedgerStore(at: Store.place(name, in: directory))
    }

    private func arrival(_ record: LedgerRecord, at: GroupTime = 0) -> LedgerStore.Arrival {
        LedgerStore.Arrival(space: home, digested: DigestedRecord(record), at: at)
    }

    private func record(
        _ name: String, rev: Int = 1, from: GroupTime = 1_800_000_000_000, minutes: Int64 = 25, title: String = ""
    ) throws -> LedgerRecord {
        try .sample(name, from: from, minutes: minutes) { ($0.version.rev, $0.title) = (rev, title) }
    }

    /// Files the stories of the reference in several batches: duplicated, reversed, late.
    @Test(arguments: 0..<5)
    func ledgerAgreesWithTheReference(ten: Int) throws {
        for seed in ten * 10..<ten * 10 + 10 {
            let story = Story(seed: seed)
            let ledger = try open("\(seed).sqlite")
            var book = Book()
            for arrival in story.arrivals {
                book.take(arrival)
                for _ in 1...2 { try ledger.take(arrival, in: home) }
            }
            let entries = try ledger.entries(of: home, from: -1_000, to: 10_000)
            #expect(entries.count == book.entries.count, "seed \(seed)")
            let (mine, theirs) = (entries, book.entries)
            let counted = CountedTime(of: mine, counting: story.counting, now: story.now)
            let expected = CountedTime(of: theirs, counting: story.counting, now: story.now)
            #expect(counted.total == expected.total, "seed \(seed)")
            #expect(counted.ongoing?.until == expected.ongoing?.until, "seed \(seed)")
            #expect(
                counted.pieces.map { mine[$0.entry].record.id } == expected.pieces.map { theirs[$0.entry].record.id })
            try ledger.close()
        }
    }

    /// The entries queried for a week give the same minutes as all entries.
    @Test func weekFindsAllSessionsThatCountInIt() throws {
        let week: Milliseconds = 60
        for seed in 500..<540 {
            let story = Story(seed: seed)
            let ledger = try open("\(seed).sqlite")
            for arrival in story.arrivals { try ledger.take(arrival, in: home) }
            let all = CountedTime(
                of: try ledger.entries(of: home, from: .distantPast, to: .distantFuture), counting: story.counting,
                now: story.now)
            for from in stride(from: Int64(0), to: 400, by: 60).map({ GroupTime($0) }) {
                let some = CountedTime(
                    of: try ledger.entries(of: home, from: from, to: from + week), counting: story.counting,
                    now: story.now)
                func inside(_ minutes: CountedTime) -> Milliseconds {
                    minutes.pieces.reduce(0) { $0 + max(0, min($1.to, from + week) - max($1.from, from)) }
                }
                #expect(inside(some) == inside(all), "seed \(seed), from \(from)")
            }
            try ledger.close()
        }
    }

    /// A session paused for days has runs in the weeks of its start and its end.
    @Test(arguments: [1, 2, 3, 40]) func longSessionIsFoundInEveryWeek(days: Int64) throws {
        let (ledger, day, start) = (try open(), Milliseconds.days(1), GroupTime(1_800_000_000_000))
        var long = try record("s-1", from: start, minutes: 25)
        let last = start + days * day
        long.runs.append(LedgerRecord.Run(kind: .focus, from: last, to: last + 60_000))
        _ = try ledger.file([arrival(long)])
        func isFound(_ from: GroupTime, _ to: GroupTime) throws -> Bool {
            try !ledger.entries(of: home, from: from, to: to).isEmpty
        }
        #expect(try isFound(start - day, start + 1))
        #expect(try isFound(last + 59_999, last + 7 * day))
        #expect(try isFound(start + 1_500_000, last))
        #expect(try !isFound(start - day, start))
        #expect(try !isFound(last + 60_000, last + 7 * day))
        try ledger.close()
    }

    @Test func filingDependsOnTheStoredVersion() throws {
        let ledger = try open()
        let (first, second) = (try record("s-1", rev: 1), try record("s-1", rev: 2))
        let other = try record("s-1", rev: 2, title: "Something else")
        #expect(
            try ledger.file([arrival(second), arrival(second), arrival(first), arrival(other)]).map(\.filing)
                == [.stored, .known, .older, .conflict])
        #expect(try ledger.file([arrival(other)]).map(\.filing) == [.conflict])
        #expect(try ledger.conflicts().map(\.digested.record) == [other])
        #expect(try ledger.entryBeforeDeletion(second.key, of: home)?.record == second)
        #expect(
            try ledger.filings(of: [
                arrival(second), arrival(first), arrival(other), arrival(try record("s-1", rev: 3)),
            ])
                == [.known, .older, .conflict, .stored])
        // An earlier correction does not resolve a conflict; a later one does, and so does a later version.
        let word = { (id: String, at: GroupTime) throws in
            Correction(id: try #require(Token(id)), key: second.key, at: at, content: nil)
        }
        try ledger.correct(word("c-1", -1), in: home)
        #expect(try ledger.conflicts().count == 1)
        try ledger.correct(word("c-2", 1), in: home)
        #expect(try ledger.conflicts().isEmpty)
        let third = try record("s-2", rev: 2)
        _ = try ledger.file([arrival(third), arrival(try record("s-2", rev: 2, title: "Other"))])
        #expect(try ledger.conflicts().count == 1)
        #expect(try ledger.file([arrival(try record("s-2", rev: 3))]).map(\.filing) == [.stored])
        #expect(try ledger.conflicts().isEmpty)
    }

    /// A count-up on a node that is gone counts until the node was last seen. A countdown ends by itself.
    @Test func countUpStopsWhenItsNodeIsGone() throws {
        let ledger = try open()
        let start: GroupTime = 1_800_000_000_000
        func running(_ name: String, _ mode: Mode) throws -> LedgerRecord {
            var record = try record(name, from: start)
            record.mode = mode
            record.status = .running
            record.runs[0].to = nil
            record.endsAt = start + 54_000_000
            return record
        }
        let desk = NodeID.desk
        _ = try ledger.file([arrival(try running("s-1", .countup), at: start + 60_000)])
        func total(after minutes: Int64) throws -> CountedTime {
            CountedTime(
                of: try ledger.entries(of: home, from: .distantPast, to: .distantFuture), now: start + .minutes(minutes)
            )
        }
        #expect(try total(after: 600).total == 36_000_000)
        #expect(try ledger.noteAbsences([(desk, start + 600_000)], in: home))
        #expect(try !ledger.noteAbsences([(desk, start + 900_000)], in: home), "the node is already marked")
        #expect(try total(after: 600).total == 600_000)
        #expect(try total(after: 600).ongoing == nil)
        #expect(try total(after: 5).total == 300_000)
        #expect(try total(after: 5).ongoing?.until == start + 600_000)
        #expect(try ledger.gone(of: home) == [desk: start + 600_000])
        #expect(try ledger.noteAbsences([(desk, nil)], in: home))
        #expect(try !ledger.noteAbsences([(desk, nil)], in: home))
        #expect(try ledger.gone(of: home).isEmpty)
        #expect(try total(after: 600).total == 36_000_000)
        #expect(try total(after: 600).ongoing != nil)
        // A record proves that the node was there.
        #expect(try ledger.noteAbsences([(desk, start - 5_000)], in: home))
        #expect(try total(after: 600).total == 60_000)
        _ = try ledger.file([arrival(try running("s-2", .countdown), at: start + 60_000)])
        #expect(try total(after: 600).total == 36_000_000)
    }

    @Test func filedRecordsSurviveACrash() throws {
        let ledger = try open()
        _ = try ledger.file([arrival(try record("s-1"))])
        // A second connection while the first is open, as after a kill.
        let other = try open()
        #expect(try other.entryBeforeDeletion(try record("s-1").key, of: home) != nil)
        try ledger.close()
        #expect(try open().spaces() == [home])
        try other.close()
    }

    @Test func damagedFileIsRejected() throws {
        guard !Store.isShared else { return }
        let ledger = try open()
        _ = try ledger.file(try (0..<500).map { arrival(try record("s-\($0)")) })
        try ledger.close()
        let path = directory.file("ledger.sqlite")
        var bytes = try Data(contentsOf: URL(filePath: path))
        for index in stride(from: 8_192, to: bytes.count, by: 17) { bytes[index] = 0xFF }
        try bytes.write(to: URL(filePath: path))
        #expect(throws: LedgerError.self) { try open() }
        #expect(throws: LedgerError.self) { try LedgerStore(at: "/nonexistent/ledger.sqlite") }
    }

    @Test func backupHoldsTheSameRecords() throws {
        let ledger = try open()
        _ = try ledger.file([arrival(try record("s-1"))])
        guard !Store.isShared else {
            #expect(throws: LedgerError.shared(path: ledger.place)) { try ledger.backUp(to: directory.file("copy")) }
            return
        }
        try ledger.backUp(to: directory.file("copy"))
        _ = try ledger.file([arrival(try record("s-2"))])
        let copy = try open("copy")
        #expect(try copy.entries(of: home, from: .distantPast, to: .distantFuture).map(\.record.id.rawValue) == ["s-1"])
        try copy.close()
        try ledger.close()
    }

    /// A member that sends another content each time must not fill the disk.
    @Test func conflictsOfASessionAreBounded() throws {
        let ledger = try open()
        _ = try ledger.file([arrival(try record("s-1"))])
        for index in 0..<20 {
            let other = try record("s-1", title: "Title \(index)")
            #expect(try ledger.file([arrival(other)]).map(\.filing) == [.conflict])
        }
        #expect(try ledger.conflicts().count == 8)
        try ledger.close()
    }

    @Test func recordWeeksEqualThoseOfTheNode() throws {
        let ledger = try open()
        let records = try (0..<40).map { (index: Int64) in
            try record("s-\(index)", from: 1_800_000_000_000 + index * RecordWeek.length / 2)
        }
        _ = try ledger.file(records.map { arrival($0) })
        var expected: [RecordWeek] = []
        for record in records {
            let number = RecordWeek.number(of: record.stamp)
            if expected.last?.number != number { expected.append(RecordWeek(number: number)) }
            expected[expected.count - 1].add(DigestedRecord(record).name)
        }
        let (desk, hall) = (NodeID.desk, try #require(NodeID("hall")))
        #expect(try ledger.weeks(of: desk, in: home) == expected.suffix(LedgerAck.weeksLimit))
        #expect(expected.count > LedgerAck.weeksLimit)
        #expect(try ledger.weeks(of: hall, in: home).isEmpty)
    }

    @Test func rulesArePersisted() throws {
        let ledger = try open()
        let berlin = WeekRules(zone: try #require(Zone("Europe/Berlin")), dayStart: 5 * 3_600_000)
        var later = berlin
        later.goal = 600
        later.counting = Counting(kinds: [.work], labels: ["", "Deep"], minimum: 0)
        later.carriesOver = true
        #expect(try ledger.adopt(berlin, at: 1_000).items.count == 1)
        #expect(try ledger.adopt(berlin, at: 2_000).items.count == 1)
        let history = try ledger.adopt(later, at: 3_000)
        #expect(history.items.map(\.from) == [.distantPast, 3_000])
        #expect(history.latest == later)
        #expect(try RulesHistory(ledger.rules()) == history)
    }

    /// The weeks have 300, 420 and 500 of 420 minutes. So 120 are carried over twice, and 40 are left.
    @Test func debtIsCarriedOverIfTheRulesSaySo() throws {
        let ledger = try open()
        let rules = WeekRules(zone: .utc, carriesOver: true)
        let monday = GroupTime(1_798_416_000_000 - 1_798_416_000_000 % 604_800_000 + 4 * 86_400_000)
        let week = RulesHistory(rules).week(containing: monday + 1)
        #expect(week.from == monday)
        let done: [Int64] = [300, 420, 500, 0]
        _ = try ledger.file(
            try done.enumerated().map { index, minutes in
                arrival(try record("s-\(index)", from: monday + .days(Int64(index) * 7), minutes: minutes))
            })
        var book = WeekBook(space: home, ledger: ledger, history: RulesHistory(rules))
        let debts = try (0..<4).map { index in
            let now = monday + .days(Int64(index) * 7 + 3)
            return try book.report(of: book.history.week(containing: now), now: now).debt
        }
        #expect(debts == [120, 120, 40, 460])
        var plain = WeekBook(space: home, ledger: ledger, history: RulesHistory(WeekRules(zone: .utc)))
        let now = monday + .days(15)
        #expect(try plain.report(of: plain.history.week(containing: now), now: now).debt == -80)
    }

    @Test func correctionOfAPastWeekTakesEffect() throws {
        let ledger = try open()
        let start: GroupTime = 1_800_000_000_000
        _ = try ledger.file([arrival(try record("s-1", from: start))])
        var book = WeekBook(space: home, ledger: ledger, history: RulesHistory(WeekRules(zone: .utc)))
        let (week, now) = (book.history.week(containing: start), start + .days(30))
        #expect(try book.sums(of: week, now: now).done == .minutes(25))
        try ledger.correct(
            Correction(id: try #require(Token("c-1")), key: try record("s-1").key, at: now, content: nil),
            in: home)
        book.forget()
        #expect(try book.sums(of: week, now: now).done == 0)
        // A later record of the node does not change a correction.
        let outcome = try ledger.file([arrival(try record("s-1", rev: 2, from: start, minutes: 40))])
        book.forget(from: outcome[0].firstTouched)
        #expect(outcome[0].filing == .stored)
        #expect(outcome[0].firstTouched == start)
        #expect(try book.sums(of: week, now: now).done == 0)
        let content = Correction.Content(
            title: "By hand", label: nil,
            runs: [LedgerRecord.Run(kind: .work, from: start, to: start + 600_000)])
        try ledger.correct(
            Correction(
                id: try #require(Token("c-2")), key: try record("s-1").key, at: now + 1, content: content),
            in: home)
        book.forget()
        #expect(try book.sums(of: week, now: now).done == 600_000)
        #expect(try ledger.corrections(of: try record("s-1").key, in: home).count == 2)
    }

    @Test func calmOfTheWeekIsWeightedByMeasuredTime() throws {
        let ledger = try open()
        let start: GroupTime = 1_800_000_000_000
        _ = try ledger.file([
            arrival(try record("s-1", from: start, minutes: 30)),
            arrival(try record("s-2", from: start + 7_200_000, minutes: 10)),
            arrival(try record("s-3", from: start + 14_400_000, minutes: 60)),
        ])
        let book = WeekBook(space: home, ledger: ledger, history: RulesHistory(WeekRules(zone: .utc)))
        let (week, now) = (book.history.week(containing: start), start + 86_400_000)
        #expect(try book.calm(of: week, now: now) == nil)
        for (name, percent, coverage, at) in [
            ("s-1", 10, 100, 1), ("s-1", 90, 100, 5), ("s-1", 20, 100, 3), ("s-2", 50, 100, 1),
        ] {
            try ledger.store(
                CalmFeed(
                    session: try #require(Token(name)), percent: percent, coverage: coverage, at: GroupTime(Int64(at))),
                in: home)
        }
        #expect(try book.calm(of: week, now: now) == 80)
    }
}
