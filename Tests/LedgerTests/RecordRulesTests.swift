// SPDX-License-Identifier: Apache-2.0

import Ledger
import Session
import Testing

@Suite(.timeLimit(.minutes(15))) struct RecordRulesTests {
    private static let now: GroupTime = 1_800_000_000_000
    private static let day: Milliseconds = .days(1)

    private func record(
        at from: GroupTime, _ change: (inout LedgerRecord) -> Void = { _ in }
    ) throws -> LedgerRecord {
        let (session, node) = (try #require(SessionID("s-1")), try #require(NodeID("desk")))
        var record = LedgerRecord(
            id: session, lineage: session, node: node, stamp: Stamp(time: from, counter: 0, node: node),
            version: Version(epoch: 1, rev: 1), title: "", mode: .countdown, status: .stopped, startedAt: from,
            runs: [LedgerRecord.Run(kind: .focus, from: from, to: from + .minutes(1))])
        change(&record)
        return record
    }

    @Test func recordsOutsideThePossibleDatesAreNotPlausible() throws {
        for from in [Self.now, Self.now + Self.day - 60_000, Limits.earliestStamp - Self.day + 1] as [GroupTime] {
            #expect(try record(at: from).isPlausible(at: Self.now))
        }
        for from in [0, Limits.earliestStamp - 2 * Self.day, Self.now + Self.day + 1, Limits.time.upperBound - 60_000]
            as [GroupTime]
        {
            #expect(try !record(at: from).isPlausible(at: Self.now), "\(from)")
        }
        // The longest phase with overtime, by a clock that is a day ahead.
        let latestEnd = Self.now + 2 * Self.day + Limits.overtime
        for (end, isPlausible) in [(latestEnd, true), (latestEnd + 1, false)] {
            #expect(try record(at: Self.now) { $0.endsAt = end }.isPlausible(at: Self.now) == isPlausible)
        }
        #expect(try !record(at: Self.now) { $0.runs[0].to = Self.now + 2 * Self.day }.isPlausible(at: Self.now))
        #expect(try !record(at: Self.now) { $0.runs[0].from = 0 }.isPlausible(at: Self.now))
        #expect(try !record(at: Self.now) { $0.stamp.time = 0 }.isPlausible(at: Self.now))
        #expect(try !record(at: Self.now) { $0.startedAt = 0 }.isPlausible(at: Self.now))
        #expect(try !record(at: Self.now) { $0.continuedAt = 0 }.isPlausible(at: Self.now))
        #expect(try !record(at: Self.now) { $0.endsAt = Limits.time.upperBound }.isPlausible(at: Self.now))
    }
}
