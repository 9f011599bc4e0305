// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Session
import Settings
import Support
import Testing
import Wire

@testable import Ledger
@testable import NodeRuntime

@Suite("The outbox of ledger records", .timeLimit(.minutes(15)))
final class FiledOutboxTests {
    private let place: JournalPlace
    private var outbox: FiledOutbox
    private var writes = 0
    private static let start: GroupTime = 1_800_000_000_000

    init() throws {
        place = try JournalPlace()
        outbox = FiledOutbox(place)
    }

    private func filed(_ name: String, rev: Int = 1, title: String = "", at start: GroupTime = FiledOutboxTests.start)
        throws
        -> DigestedRecord
    {
        let (id, node) = (try #require(SessionID(name)), NodeID.desk)
        return DigestedRecord(
            LedgerRecord(
                id: id, lineage: id, node: node, stamp: Stamp(time: start, counter: 0, node: node),
                version: Version(epoch: 1, rev: rev), title: title, mode: .countdown, status: .stopped,
                startedAt: start, runs: [LedgerRecord.Run(kind: .focus, from: start, to: start + 60_000)]))
    }

    private func ack(_ items: [(DigestedRecord, LedgerAck.Outcome)] = [], weeks: [RecordWeek]? = nil) throws
        -> LedgerAck
    {
        LedgerAck(
            node: NodeID.desk, items: items.map { LedgerAck.Item($0.0.name, $0.1) }, weeks: weeks)
    }

    /// Adds a record as a node does, with a write of the journal in between.
    private func add(_ digested: DigestedRecord) throws {
        try outbox.hold(digested)
        writes += 1
        try outbox.secure(except: digested.record.id, write: writes)
        outbox.release(upTo: writes, at: 0)
    }

    private func forget() throws {
        writes += 1
        try outbox.secure(except: nil, write: writes)
        outbox.release(upTo: writes, at: 0)
    }

    private func reopened() -> FiledOutbox { FiledOutbox(place) }

    private func nextRetry() -> BootTime? {
        var random = SplitMix64(seed: .random(in: 0 ... .max))
        return outbox.outbox.waiting.retryWait(using: &random)?.end
    }

    private func files(_ folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: place.directory.path + "/" + folder)) ?? []).sorted()
    }

    @Test func recordWaitsOnDiskUntilItIsAcknowledged() throws {
        let record = try filed("s-1")
        try add(record)
        #expect(outbox.takeOutgoing().isEmpty, "the link is down")
        #expect(files("outbox").isEmpty, "the journal still has it")
        try forget()
        #expect(files("outbox") == ["s-1.json"])
        var next = reopened()
        #expect(next.waiting == 1)
        next.link(isUp: true, at: 0)
        #expect(next.takeOutgoing() == [record])
        next.hear(try ack([(record, .kept)]), at: 1)
        #expect(next.waiting == 0)
        #expect(files("outbox").isEmpty)
        #expect(files("recorded") == ["s-1.json"])
        #expect(reopened().waiting == 0)
    }

    /// A session that a person adds is no part of the journal.
    @Test func addedRecordIsOnDiskAndSentAtOnce() throws {
        outbox.link(isUp: true, at: 0)
        let record = try filed("s-1")
        try outbox.add(record)
        #expect(outbox.takeOutgoing() == [record])
        #expect(files("outbox") == ["s-1.json"])
        try add(try filed("s-2"))
        var next = reopened()
        next.link(isUp: true, at: 0)
        #expect(next.takeOutgoing() == [record])
        next.hear(try ack([(record, .kept)]), at: 1)
        #expect(files("outbox").isEmpty)
        #expect(files("recorded") == ["s-1.json"])
    }

    /// A record that is acknowledged during its session is filed when the journal drops the session.
    @Test func recordAcknowledgedEarlyIsKept() throws {
        outbox.link(isUp: true, at: 0)
        let record = try filed("s-1")
        try add(record)
        outbox.hear(try ack([(record, .kept)]), at: 1)
        #expect(outbox.waiting == 0)
        #expect(files("recorded").isEmpty)
        try forget()
        #expect(files("outbox").isEmpty)
        #expect(files("recorded") == ["s-1.json"])
        // A ledger that has lost the record gets it from the file.
        outbox.hear(try ack(weeks: []), at: 2)
        #expect(outbox.takeOutgoing().last == record)
        #expect(files("outbox") == ["s-1.json"])
    }

    /// A crash undoes changes that the journal on disk lacks.
    @Test func recordIsSentAfterItsJournalIsOnDisk() throws {
        outbox.link(isUp: true, at: 0)
        let records = try (1...3).map { try filed("s-1", rev: $0) }
        for (write, record) in records.enumerated() {
            try outbox.hold(record)
            try outbox.secure(except: record.record.id, write: write)
        }
        #expect(outbox.takeOutgoing().isEmpty)
        outbox.release(upTo: 1, at: 0)
        #expect(outbox.takeOutgoing() == [records[1]], "one record for each write")
        outbox.release(upTo: 2, at: 0)
        #expect(outbox.takeOutgoing() == [records[2]])
    }

    @Test func recordIsOnDiskBeforeTheJournalDropsItsSession() throws {
        try outbox.hold(filed("s-1"))
        try outbox.hold(filed("s-2", rev: 2))
        try outbox.secure(except: SessionID("s-2"), write: 1)
        #expect(files("outbox") == ["s-1.json"])
        outbox.release(upTo: 1, at: 0)
        try forget()
        #expect(files("outbox") == ["s-1.json", "s-2.json"])
        #expect(outbox.waiting == 2)
    }

    /// The process crashed between the writes of outbox and journal.
    @Test func journalOverridesTheOutbox() throws {
        try outbox.hold(filed("s-1", rev: 9, title: "never happened"))
        try forget()
        var next = reopened()
        let true_ = try filed("s-1", rev: 8)
        next.restore(true_.record, at: 0)
        next.link(isUp: true, at: 0)
        #expect(next.takeOutgoing() == [true_])
        #expect(next.waiting == 1)
    }

    /// A restart after a reboot changes the record; until that is on disk, the restored record is sent.
    @Test func recordMovedByARestartIsHeld() throws {
        try outbox.hold(filed("s-1", rev: 9, title: "never happened"))
        try forget()
        var next = reopened()
        let (found, moved) = (try filed("s-1", rev: 8), try filed("s-1", rev: 9))
        next.restore(found.record, at: 0)
        try next.hold(moved)
        // The disk is full: of these two writes the first fails.
        try next.secure(except: moved.record.id, write: 1)
        next.link(isUp: true, at: 0)
        #expect(next.takeOutgoing() == [found])
        try next.secure(except: moved.record.id, write: 2)
        next.release(upTo: 2, at: 0)
        #expect(next.takeOutgoing() == [moved])
    }

    @Test func acknowledgedJournalOverridesTheOutbox() throws {
        let true_ = try filed("s-1", rev: 8)
        outbox.link(isUp: true, at: 0)
        try add(true_)
        outbox.hear(try ack([(true_, .kept)]), at: 1)
        try forget()
        try outbox.hold(filed("s-1", rev: 9, title: "never happened"))
        try forget()
        var next = reopened()
        next.restore(true_.record, at: 0)
        next.link(isUp: true, at: 0)
        #expect(next.waiting == 0)
        #expect(next.takeOutgoing().isEmpty)
        #expect(files("outbox").isEmpty)
        #expect(files("recorded") == ["s-1.json"])
        let later = try filed("s-1", rev: 9)
        try next.hold(later)
        try next.secure(except: later.record.id, write: 1)
        next.release(upTo: 1, at: 0)
        #expect(next.takeOutgoing() == [later])
    }

    /// A start ends the session before it, which has a later record then.
    @Test func laterRecordIsOnDisk() throws {
        outbox.link(isUp: true, at: 0)
        let (running, acknowledged) = (try filed("s-1"), try filed("s-2"))
        for record in [running, acknowledged] { try add(record) }
        outbox.hear(try ack([(acknowledged, .kept)]), at: 1)
        let ends = [try filed("s-1", rev: 2), try filed("s-2", rev: 2)]
        for end in ends { try outbox.hold(end) }
        try forget()
        var next = reopened()
        next.link(isUp: true, at: 0)
        #expect(next.takeOutgoing() == ends)
    }

    @Test func onlyTheSameRecordIsAcknowledged() throws {
        outbox.link(isUp: true, at: 0)
        let (old, new) = (try filed("s-1", rev: 1), try filed("s-1", rev: 2))
        try add(old)
        try add(new)
        #expect(outbox.takeOutgoing() == [old, new])
        try forget()
        outbox.hear(try ack([(old, .kept)]), at: 1)
        #expect(outbox.waiting == 1)
        outbox.hear(try ack([(try filed("s-1", rev: 2, title: "other"), .kept)]), at: 1)
        #expect(outbox.waiting == 1)
        outbox.hear(try ack([(new, .kept)]), at: 1)
        #expect(outbox.waiting == 0)
        // The same record, as after a restart, is not sent again.
        try add(new)
        #expect(outbox.takeOutgoing().isEmpty)
        #expect(outbox.waiting == 0)
        // A later record is sent.
        let newest = try filed("s-1", rev: 3)
        try add(newest)
        #expect(outbox.takeOutgoing() == [newest])
    }

    @Test func refusedRecordBlocksNoOther() throws {
        outbox.link(isUp: true, at: 0)
        let records = try (0..<100).map { try filed("s-\(100 + $0)") }
        for record in records { try add(record) }
        _ = outbox.takeOutgoing()
        outbox.link(isUp: true, at: 0)
        let first = outbox.takeOutgoing()
        #expect(first.count == 32)
        #expect(first.first == records[0])
        outbox.hear(try ack(first.map { ($0, .refused) }), at: 1)
        let second = outbox.takeOutgoing()
        #expect(second == Array(records[32..<64]))
        outbox.hear(try ack(second.map { ($0, .kept) }), at: 1)
        #expect(outbox.waiting == 68)
        #expect(outbox.takeOutgoing().count == 32)
        outbox.hear(try ack(weeks: []), at: 2)
        #expect(outbox.takeOutgoing().allSatisfy { !first.contains($0) }, "set aside until the next start")
    }

    /// Records are repeated with back-off to a ledger that was seen, and never without one.
    @Test func recordIsRepeatedWhileTheServiceIsOnline() throws {
        outbox.link(isUp: true, at: 0)
        let record = try filed("s-1")
        try add(record)
        #expect(outbox.takeOutgoing() == [record])
        #expect(nextRetry() == nil)
        outbox.retry(at: 1_000_000)
        #expect(outbox.takeOutgoing().isEmpty)
        outbox.hear(try ack(), at: 1)
        let due = try #require(nextRetry())
        #expect((10_000...15_000).contains(due))
        outbox.retry(at: 9_999)
        #expect(outbox.takeOutgoing().isEmpty)
        outbox.retry(at: 15_000)
        #expect(outbox.takeOutgoing() == [record])
        #expect(try #require(nextRetry()) >= 35_000)
        outbox.link(isUp: false, at: 20_000)
        #expect(nextRetry() == nil)
        outbox.retry(at: 100_000)
        #expect(outbox.takeOutgoing().isEmpty)
    }

    /// Earlier attempts without a ledger do not delay the first attempt to a new one.
    @Test func newServiceGetsWaitingRecordsAtOnce() throws {
        let record = try filed("s-1")
        try add(record)
        for boot in 0..<10 {
            outbox.link(isUp: false, at: BootTime(Int64(boot)))
            outbox.link(isUp: true, at: BootTime(Int64(boot)))
            #expect(outbox.takeOutgoing() == [record])
        }
        outbox.hear(try ack(weeks: []), at: 100)
        #expect(outbox.takeOutgoing() == [record])
        #expect(try (10_100...15_100).contains(#require(nextRetry())))
    }

    /// The ledger may answer a new subscription before the retained messages have arrived.
    @Test func ackBeforeTheBarrierCounts() throws {
        let record = try filed("s-1")
        try add(record)
        outbox.hear(try ack(weeks: []), at: 1)
        #expect(outbox.takeOutgoing().isEmpty)
        outbox.link(isUp: true, at: 2)
        #expect(outbox.takeOutgoing() == [record])
        #expect(nextRetry() != nil)
    }

    private func weeks(_ records: [DigestedRecord]) -> [RecordWeek] {
        records.map { digested in
            var week = RecordWeek(number: RecordWeek.number(of: digested.record.stamp))
            week.add(digested.name)
            return week
        }
    }

    private func acknowledged(weeks: [Int64]) throws -> [DigestedRecord] {
        let records = try weeks.map { try filed("s-\($0)", at: Self.start + $0 * RecordWeek.length) }
        outbox.link(isUp: true, at: 0)
        for record in records { try add(record) }
        try forget()
        outbox.hear(try ack(records.map { ($0, .kept) }), at: 1)
        _ = outbox.takeOutgoing()
        #expect(files("recorded").count == weeks.count)
        return records
    }

    /// The ledger publishes digests of its weeks and gets the records that it lacks.
    @Test func lostRecordsAreSentAgain() throws {
        let records = try acknowledged(weeks: [0, 10, 11, 17 * 52])
        outbox.hear(try ack(weeks: weeks([records[2]])), at: 2)
        #expect(Set(outbox.takeOutgoing()) == [records[0], records[1], records[3]])
        #expect(files("outbox") == ["s-0.json", "s-10.json", "s-884.json"])
        #expect(files("recorded") == ["s-11.json"])
        outbox.hear(try ack([records[0], records[1], records[3]].map { ($0, .kept) }), at: 3)
        #expect(outbox.waiting == 0)
        #expect(files("recorded").count == 4)
    }

    @Test func recordsOlderThanTheLatestWeeksAreDeleted() throws {
        let records = try acknowledged(weeks: [0] + Array(5...18))
        outbox.hear(try ack(weeks: weeks(Array(records[1...]))), at: 2)
        #expect(outbox.takeOutgoing().isEmpty)
        #expect(outbox.waiting == 0)
        #expect(files("recorded") == (5...18).map { "s-\($0).json" }.sorted())
        // A ledger with one more week starts at the node's second week.
        let later = try filed("s-19", at: Self.start + 19 * RecordWeek.length)
        outbox.hear(try ack(weeks: weeks(records[2...] + [later])), at: 3)
        #expect(outbox.takeOutgoing().isEmpty)
        #expect(files("recorded").count == 14)
    }

    /// Acknowledged records are sent again; waiting ones are later than those.
    @Test func resentRecordReplacesNoWaitingRecord() throws {
        outbox.link(isUp: true, at: 0)
        let (old, new, other) = (try filed("s-1", rev: 1), try filed("s-1", rev: 3), try filed("s-2", rev: 2))
        for record in [old, other] { try add(record) }
        try forget()
        outbox.hear(try ack([(old, .kept), (other, .kept)]), at: 1)
        try add(new)
        #expect(outbox.takeOutgoing() == [old, other, new])
        outbox.hear(try ack(weeks: []), at: 2)
        #expect(outbox.takeOutgoing() == [new, other])
        #expect(outbox.waiting == 2)
        try forget()
        var next = reopened()
        next.link(isUp: true, at: 0)
        #expect(next.takeOutgoing() == [new, other])
        next.hear(try ack([(new, .kept), (other, .kept)]), at: 3)
        #expect(next.waiting == 0)
        #expect(files("outbox").isEmpty)
        #expect(files("recorded") == ["s-1.json", "s-2.json"])
    }

    @Test func unreadableFileIsIgnored() throws {
        try add(try filed("s-1"))
        try forget()
        try place.put(Array("{}".utf8), as: "outbox/s-2.json")
        try place.put(try filed("s-4").json, as: "outbox/s-3.json")
        #expect(reopened().waiting == 1)
        #expect(files("outbox").count == 3, "the files stay for inspection")
    }
}
