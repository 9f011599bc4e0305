// SPDX-License-Identifier: Apache-2.0

import Ledger
import Session
import Support
import Testing
import Wire

@testable import Debt

@Suite("Limits of records", .cpuBound, .onBothStores)
struct RecordQuotaTests {
    private static let now: GroupTime = 1_800_000_000_000

    private func record(
        _ id: String = "s-1", at from: GroupTime, _ change: (inout LedgerRecord) -> Void = { _ in }
    ) throws -> LedgerRecord {
        try .sample(id, from: from, minutes: 1, change)
    }

    @Test func nodeMayAddTheDailyQuotaOfSessions() throws {
        let (quota, desk, home) = (RecordQuota(), NodeID.desk, SpaceID.home)
        let start: BootTime = 1_000
        for _ in 0..<RecordQuota.sessionsPerDay {
            #expect(quota.admits(desk, in: home, now: start) { 0 })
        }
        #expect(!quota.admits(desk, in: home, now: start) { 0 })
        #expect(quota.admits(try #require(NodeID("hall")), in: home, now: start) { 0 }, "another node is not concerned")
        #expect(quota.admits(desk, in: home, now: start + 86_400_000) { 0 })
        let full = RecordQuota()
        #expect(!full.admits(desk, in: home) { RecordQuota.sessions })
    }

    @Test func quotaOfAnIdleNodeIsThatOfOneDay() throws {
        let (quota, desk, home) = (RecordQuota(), NodeID.desk, SpaceID.home)
        let start: BootTime = 1_000
        #expect(quota.admits(desk, in: home, now: start) { 0 })
        let later = start + .days(7)
        var admitted = 0
        while admitted <= RecordQuota.sessionsPerDay, quota.admits(desk, in: home, now: later, stored: { 0 }) {
            admitted += 1
        }
        #expect(admitted == RecordQuota.sessionsPerDay)
    }

    @Test func newSessionsCountTowardsTheTotalLimit() throws {
        let (quota, desk, home) = (RecordQuota(), NodeID.desk, SpaceID.home)
        #expect(quota.admits(desk, in: home) { RecordQuota.sessions - 1 })
        #expect(!quota.admits(desk, in: home) { RecordQuota.sessions - 1 })
    }

    @Test func aFailedTransactionUsesNothingUp() throws {
        let directory = try TemporaryDirectory()
        let ledger = try LedgerStore(at: Store.place(in: directory))
        let quota = RecordQuota()
        func file(_ id: String) throws {
            let digested = DigestedRecord(try record(id, at: Self.now))
            _ = try ledger.file([LedgerStore.Arrival(space: .home, digested: digested, at: 0)], within: quota)
        }
        try file("s-1")
        let before = quota.uses
        _ = try ledger.write { try $0.run("ALTER TABLE record RENAME COLUMN last TO other") }
        #expect(throws: (any Error).self) { try file("s-2") }
        #expect(before.count == 1)
        #expect(quota.uses == before)
    }

    @Test func newVersionsOfKnownSessionsAreFiledBeyondTheQuota() throws {
        let directory = try TemporaryDirectory()
        let ledger = try LedgerStore(at: Store.place(in: directory))
        let home = SpaceID.home
        func file(_ record: LedgerRecord, _ quota: RecordQuota) throws -> FilingResult {
            try ledger.file([LedgerStore.Arrival(space: home, digested: DigestedRecord(record), at: 0)], within: quota)[
                0
            ]
            .filing
        }
        let quota = RecordQuota()
        #expect(try file(record(at: Self.now), quota) == .stored)
        let desk = NodeID.desk
        while quota.admits(desk, in: home, stored: { 0 }) {}
        #expect(try file(record("s-2", at: Self.now), quota) == .overQuota)
        #expect(try file(record(at: Self.now) { $0.version.rev = 2 }, quota) == .stored)
        #expect(try ledger.count(of: desk, in: home) == 1)
        #expect(try ledger.problems().isEmpty)
        try ledger.set(problem: "too much", .quota, at: 5)
        #expect(try ledger.problems() == [LedgerProblem(kind: .quota, text: "too much")])
        try ledger.set(problem: nil, .quota, at: 6)
        #expect(try ledger.problems().isEmpty)
    }
}
