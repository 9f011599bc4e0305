// SPDX-License-Identifier: Apache-2.0

import Session
import Testing

@testable import Debt

/// Corrections of the beginning and the end of a session.
@Suite(.timeLimit(.minutes(15))) struct RunTimesTests {
    private static let minute: Milliseconds = 60_000

    /// A session of two focus phases with a break between. It began 17 s into its minute.
    private func record(runs: [LedgerRecord.Run]? = nil) throws -> LedgerRecord {
        try .sample(from: 617_000) {
            $0.runs = runs ?? [run(.focus, 10, 35, 17_000), run(.shortBreak, 35, 40), run(.focus, 40, 65)]
        }
    }

    private func run(_ kind: PhaseKind, _ from: Int64, _ to: Int64, _ more: Milliseconds = 0) -> LedgerRecord.Run {
        LedgerRecord.Run(kind: kind, from: 0 + from * Self.minute + more, to: 0 + to * Self.minute)
    }

    private func corrected(_ record: LedgerRecord, from: Int64? = nil, to: Int64? = nil) -> [LedgerRecord.Run]? {
        RunTimes.corrected(
            record, from: from.map { 0 + $0 * Self.minute }, to: to.map { 0 + $0 * Self.minute }, counting: [.focus])
    }

    @Test func anEndAloneKeepsTheBeginningAndTheBreaks() throws {
        let record = try record()
        #expect(
            corrected(record, to: 50) == [run(.focus, 10, 35, 17_000), run(.shortBreak, 35, 40), run(.focus, 40, 50)])
        #expect(corrected(record, to: 20) == [run(.focus, 10, 20, 17_000)])
        #expect(corrected(record, to: 90)?.last == run(.focus, 40, 90))
        #expect(corrected(record, to: 10) == nil, "it would end before it begins")
    }

    @Test func aBeginningAloneKeepsTheEnd() throws {
        let record = try record()
        #expect(corrected(record, from: 50) == [run(.focus, 50, 65)])
        #expect(corrected(record, from: 5)?.first == run(.focus, 5, 35))
        #expect(corrected(record, from: 65) == nil)
    }

    @Test func bothTogetherMakeOneRunOfAKindThatCounts() throws {
        #expect(corrected(try record(), from: 5, to: 50) == [run(.focus, 5, 50)])
        #expect(corrected(try record(), from: 50, to: 50) == nil)
    }

    @Test func aSessionWithoutRunsHasItsStart() throws {
        #expect(corrected(try record(runs: []), to: 20) == [run(.focus, 10, 20, 17_000)])
    }

    @Test func aRunEndsByNowAndLastsADayAtMost() {
        let (day, now): (Milliseconds, GroupTime) = (86_400_000, 1_000_000_000)
        #expect(RunTimes.problem(from: now - day, to: now, now: now) == nil)
        #expect(RunTimes.problem(from: now - day - 1, to: now, now: now)?.contains("24 hours") == true)
        #expect(RunTimes.problem(from: now - day - 1, to: now, isMerged: true, now: now) == nil)
        #expect(RunTimes.problem(from: now, to: now + 9_000, now: now) == nil, "clocks may differ")
        #expect(RunTimes.problem(from: now, to: now + 11_000, now: now)?.contains("present") == true)
    }
}
