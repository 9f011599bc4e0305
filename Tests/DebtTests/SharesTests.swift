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
            let total = Minutes(of: entries, counting: story.counting, now: story.now).total
            #expect(entries.indices.reduce(0) { $0 + shares.done(of: $1) } == total, "seed \(seed)")
            let counted = entries.indices.flatMap { index in
                let isCounted = story.counting.labels?.contains(entries[index].record.label?.name ?? "") ?? true
                return shares.spans(of: index).filter { isCounted && story.counting.kinds.contains($0.kind) }
            }
            // In a story the runs of a session may overlap, so that an instant can be in two spans of one entry.
            #expect(Set(counted.flatMap { Array($0.from..<$0.to) }).count == Int(total), "seed \(seed)")
        }
    }

    @Test func timeBeforeATakeoverBelongsToTheSessionThatWasTakenOver() throws {
        let (desk, hall) = (try #require(NodeID("desk")), try #require(NodeID("hall")))
        let (first, second) = (try #require(SessionID("s-1")), try #require(SessionID("s-2")))
        let minute: Int64 = 60_000
        func time(_ minutes: Int64) -> GroupTime { GroupTime(minutes * minute) }
        let taken = LedgerRecord(
            id: first, lineage: first, node: desk, stamp: Stamp(time: 0, counter: 0, node: desk),
            version: Version(epoch: 1, rev: 1), title: "", mode: .countdown, status: .running, startedAt: 0,
            endsAt: time(120), runs: [LedgerRecord.Run(kind: .focus, from: 0)])
        let continuing = LedgerRecord(
            id: second, lineage: first, continuedAt: time(60), continuedFrom: desk, node: hall,
            stamp: Stamp(time: time(60), counter: 0, node: hall), version: Version(epoch: 1, rev: 1), title: "",
            mode: .countdown, status: .stopped, startedAt: 0,
            runs: [
                LedgerRecord.Run(kind: .focus, from: 0, to: time(60)),
                LedgerRecord.Run(kind: .focus, from: time(60), to: time(90)),
            ])
        let entries = [taken, continuing].map { Entry($0) }
        let shares = Shares(of: entries, history: RulesHistory(WeekRules(zone: .utc)), now: 500 * minute)
        #expect([shares.done(of: 0), shares.done(of: 1)] == [60 * minute, 30 * minute])
        #expect(shares.end(of: 0) == 60 * minute)
        #expect(shares.spans(of: 1) == [Shares.Span(kind: .focus, from: 60 * minute, to: 90 * minute)])
    }
    /// A session of 50 minutes that ran for 60, was taken over, and ran for 30 more.
    @Test func overtimeIsToldOnce() throws {
        let (desk, hall) = (try #require(NodeID("desk")), try #require(NodeID("hall")))
        let (first, second) = (try #require(SessionID("s-1")), try #require(SessionID("s-2")))
        func time(_ minutes: Int64) -> GroupTime { GroupTime(minutes * 60_000) }
        // Its node has not heard of the takeover.
        var taken = LedgerRecord(
            id: first, lineage: first, node: desk, stamp: Stamp(time: 0, counter: 0, node: desk),
            version: Version(epoch: 1, rev: 1), title: "", mode: .countdown, status: .stopped, startedAt: 0,
            runs: [LedgerRecord.Run(kind: .focus, from: 0, to: time(120))], over: .minutes(70))
        let continuing = LedgerRecord(
            id: second, lineage: first, continuedAt: time(60), continuedFrom: desk, node: hall,
            stamp: Stamp(time: time(60), counter: 0, node: hall), version: Version(epoch: 1, rev: 1), title: "",
            mode: .countdown, status: .stopped, startedAt: 0,
            runs: [
                LedgerRecord.Run(kind: .focus, from: 0, to: time(60)),
                LedgerRecord.Run(kind: .focus, from: time(60), to: time(90)),
            ], over: .minutes(40))
        func minutes(_ records: LedgerRecord...) -> [Int64] {
            let shares = Shares(
                of: records.map { Entry($0) }, history: RulesHistory(WeekRules(zone: .utc)), now: 500 * 60_000)
            return records.indices.map { shares.over(of: $0) / 60_000 }
        }
        #expect(minutes(taken, continuing) == [10, 30])
        #expect(minutes(continuing) == [40])
        taken.runs[0].to = nil
        (taken.status, taken.endsAt, taken.over) = (.running, time(770), 0)
        #expect(minutes(taken, continuing) == [0, 40], "its node was lost before it told of any")
    }

    @Test func correctionOfTimesRemovesTheOvertime() throws {
        let (desk, id) = (try #require(NodeID("desk")), try #require(SessionID("s-1")))
        let record = LedgerRecord(
            id: id, lineage: id, node: desk, stamp: Stamp(time: 0, counter: 0, node: desk),
            version: Version(epoch: 1, rev: 1), title: "", mode: .countdown, status: .stopped, startedAt: 0,
            runs: [LedgerRecord.Run(kind: .focus, from: 0, to: 600_000)], over: 60_000)
        func over(_ runs: [LedgerRecord.Run]) throws -> Milliseconds {
            let content = Correction.Content(title: "Other", label: nil, runs: runs)
            let word = Correction(id: try #require(Token("c-1")), key: record.key, at: 0, content: content)
            return Entry(record, corrected: word).record.over
        }
        #expect(try over(record.runs) == 60_000)
        #expect(try over([LedgerRecord.Run(kind: .focus, from: 0, to: 500_000)]) == 0)
    }
}
