// SPDX-License-Identifier: Apache-2.0

import Session
import Support
import Testing

@testable import Debt

/// Compares the shares of sessions with the totals of weeks.
@Suite("Shares of sessions", .cpuBound)
struct SharesTests {
    @Test(arguments: 0..<4) func sharesAddUpToTheMinutes(part: Int) {
        for seed in 40_000 + part * 250..<40_250 + part * 250 {
            let story = Story(seed: seed)
            var book = Book()
            for arrival in story.arrivals { book.take(arrival) }
            let entries = book.entries
            let history = RulesHistory(WeekRules(zone: .utc, counting: story.counting))
            let shares = Shares(of: entries, history: history, now: story.now)
            let total = CountedTime(of: entries, counting: story.counting, now: story.now).total
            #expect(entries.indices.reduce(Milliseconds.zero) { $0 + shares.done(of: $1) } == total, "seed \(seed)")
            let counted = entries.indices.flatMap { index in
                let isCounted = story.counting.labels?.contains(entries[index].record.label?.name ?? "") ?? true
                return shares.spans(of: index).filter { isCounted && story.counting.kinds.contains($0.kind) }
            }
            // In a story the runs of a session may overlap, so that an instant can be in two spans of one entry.
            #expect(
                Set(counted.flatMap { Array($0.from.milliseconds..<$0.to.milliseconds) }).count == Int(total.count),
                "seed \(seed)")
        }
    }

    /// The session that went on with another one after an hour, for half an hour.
    private func continuing(_ taken: LedgerRecord) throws -> LedgerRecord {
        try .sample("s-2", of: "hall", from: 3_600_000, minutes: 30) {
            ($0.lineage, $0.continuedAt, $0.continuedFrom) = (taken.lineage, 3_600_000, taken.node)
            $0.startedAt = 0
            $0.runs.insert(LedgerRecord.Run(kind: .focus, from: 0, to: 3_600_000), at: 0)
        }
    }

    @Test func timeBeforeATakeoverBelongsToTheSessionThatWasTakenOver() throws {
        let taken = try LedgerRecord.sample(from: 0) {
            ($0.status, $0.endsAt, $0.runs[0].to) = (.running, 0 + .minutes(120), nil)
        }
        let entries = [taken, try continuing(taken)].map { Entry($0) }
        let shares = Shares(of: entries, history: RulesHistory(WeekRules(zone: .utc)), now: 0 + .minutes(500))
        #expect([shares.done(of: 0), shares.done(of: 1)] == [.minutes(60), .minutes(30)])
        #expect(shares.end(of: 0) == 3_600_000)
        #expect(shares.spans(of: 1) == [Shares.Span(kind: .focus, from: 3_600_000, to: 5_400_000)])
    }

    /// A session of 50 minutes that ran for 60, was taken over, and ran for 30 more.
    @Test func overtimeIsToldOnce() throws {
        // Its node has not heard of the takeover.
        var taken = try LedgerRecord.sample(from: 0, minutes: 120) { $0.over = .minutes(70) }
        var continuing = try continuing(taken)
        continuing.over = .minutes(40)
        func minutes(_ records: LedgerRecord...) -> [Int64] {
            let shares = Shares(
                of: records.map { Entry($0) }, history: RulesHistory(WeekRules(zone: .utc)), now: 30_000_000)
            return records.indices.map { shares.over(of: $0).count / 60_000 }
        }
        #expect(minutes(taken, continuing) == [10, 30])
        #expect(minutes(continuing) == [40])
        taken.runs[0].to = nil
        (taken.status, taken.endsAt, taken.over) = (.running, 46_200_000, 0)
        #expect(minutes(taken, continuing) == [0, 40], "its node was lost before it told of any")
    }

    @Test func aSessionThatDoesNotCountSaysByWhichRule() throws {
        func excluded(_ entry: LedgerRecord, _ counting: Counting) -> Shares.Exclusion? {
            let history = RulesHistory(WeekRules(zone: .utc, counting: counting))
            return Shares(of: [Entry(entry)], history: history, now: 30_000_000).exclusion(of: 0)
        }
        let record = try LedgerRecord.sample(from: 0, minutes: 10)
        #expect(excluded(record, Counting()) == nil)
        #expect(excluded(record, Counting(labels: ["Other"])) == .label)
        #expect(excluded(record, Counting(kinds: [.shortBreak])) == .kind)
        #expect(excluded(record, Counting(minimum: .minutes(11))) == .minimum)
    }

    @Test func correctionOfTimesRemovesTheOvertime() throws {
        let record = try LedgerRecord.sample(from: 0, minutes: 10) { $0.over = 60_000 }
        func over(_ runs: [LedgerRecord.Run]) throws -> Milliseconds {
            let content = Correction.Content(title: "Other", label: nil, runs: runs)
            let word = Correction(id: try #require(Token("c-1")), key: record.key, at: 0, content: content)
            return Entry(record, corrected: word).record.over
        }
        #expect(try over(record.runs) == 60_000)
        #expect(try over([LedgerRecord.Run(kind: .focus, from: 0, to: 500_000)]) == 0)
    }
}
