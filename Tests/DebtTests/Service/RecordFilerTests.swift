// SPDX-License-Identifier: Apache-2.0

import Ledger
import Logging
import Mosquitto
import Session
import Support
import Synchronization
import Testing
import Wire

@testable import Debt

/// The intake of records into a ledger in a real file.
@Suite(.timeLimit(.minutes(15))) struct RecordFilerTests {
    /// The service's end of an intake, on the service's thread.
    private actor IntakeOwner {
        nonisolated let loop: EventLoop
        private var intake: RecordFiler?
        private(set) var filed: [FilingResult] = []
        private(set) var answered: [LedgerAck.Outcome] = []

        nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

        init(loop: EventLoop) { self.loop = loop }

        func open(_ ledger: LedgerStore, within quota: RecordQuota, disk: EventLoop) {
            let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            intake = RecordFiler(
                ledger, within: quota, loop: loop, disk: disk, log: log,
                send: { [weak self] _, ack, completion in
                    self?.assumeIsolated { $0.answered += ack.items.map(\.outcome) }
                    completion(.success(.delivered))
                },
                onFiled: { [weak self] result in
                    self?.assumeIsolated { $0.filed += ((try? result.get()) ?? []).map(\.change.filing) }
                })
        }

        func receive(_ records: [DigestedRecord]) {
            guard let space = SpaceID("home") else { return }
            for record in records { intake?.receive(record, in: space, at: 1_800_000_000_000, isVouched: true) }
        }

        func fileNow() { intake?.fileNow() }
    }

    private func records(_ count: Int) throws -> [DigestedRecord] {
        try (0..<count).map { DigestedRecord(try .sample("s-\($0)", minutes: 1, counter: $0)) }
    }

    private func withDesk(
        within quota: RecordQuota = RecordQuota(), _ body: (IntakeOwner, LedgerStore) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        let ledger = try LedgerStore(at: directory.file("ledger.sqlite"))
        try await EventLoop.withEventLoop(name: "disk") { disk in
            try await EventLoop.withEventLoop(name: "service") { loop in
                let desk = IntakeOwner(loop: loop)
                await desk.open(ledger, within: quota, disk: disk)
                try await body(desk, ledger)
            }
        }
        try ledger.close()
    }

    @Test func everyRecordIsFiledAndAnswered() async throws {
        let records = try records(3_000)
        try await withDesk { desk, ledger in
            await desk.receive(records + records.prefix(10))
            try await eventually("all are filed") { await desk.filed.count == 3_010 }
            #expect(await desk.filed.count { $0 == .stored } == 3_000)
            #expect(await desk.filed.count { $0 == .known } == 10)
            try await eventually("all are answered") { await desk.answered.count == 3_010 }
            #expect(try ledger.count(of: records[0].record.node, in: SpaceID.home) == 3_000)
        }
    }

    @Test func sessionBeyondTheQuotaOfItsNodeIsRefused() async throws {
        let (quota, records, home) = (RecordQuota(), try records(2), SpaceID.home)
        while quota.admits(records[0].record.node, in: home, stored: { 0 }) {}
        try await withDesk(within: quota) { desk, ledger in
            await desk.receive(records)
            try await eventually("all are answered") { await desk.answered == [.refused, .refused] }
            #expect(try ledger.count(of: records[0].record.node, in: home) == 0)
        }
    }

    @Test func fileNowLeavesNoRecordWaiting() async throws {
        // More than a transaction takes.
        let records = try records(5_000)
        try await withDesk { desk, ledger in
            await desk.receive(records)
            await desk.fileNow()
            let count = try ledger.count(of: records[0].record.node, in: SpaceID.home)
            #expect(count == 5_000)
            #expect(await desk.filed.count == 5_000)
        }
    }
}
