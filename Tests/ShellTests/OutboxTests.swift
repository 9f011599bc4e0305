// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Logging
import Session
import Support
import Testing
import Wire

@testable import Shell

@Suite("The outbox of ledger records")
final class OutboxTests {
    private let place: JournalPlace
    private var outbox: Outbox<OutboxFiles>
    private var writes = 0
    private static let start: Int64 = 1_800_000_000_000

    init() throws {
        place = try JournalPlace()
        outbox = Outbox(OutboxFiles(directory: place.directory, log: Logger(label: "outbox")))
    }

    private func filed(_ name: String, rev: Int = 1, title: String = "", at start: Int64 = OutboxTests.start) throws
        -> FiledRecord
    {
        let (id, node) = (try #require(SessionID(name)), try #require(NodeID("desk")))
        return FiledRecord(
            LedgerRecord(
                id: id, lineage: id, node: node, stamp: Stamp(time: start, counter: 0, node: node),
                version: Version(epoch: 1, rev: rev), title: title, mode: .countdown, status: .stopped,
                startedAt: start, runs: [LedgerRecord.Run(kind: .focus, from: start, to: start + 60_000)]))
    }

    private func ack(_ items: [(FiledRecord, LedgerAck.Outcome)] = [], weeks: [RecordWeek]? = nil) throws -> LedgerAck {
        LedgerAck(
            node: try #require(NodeID("desk")), items: items.map { LedgerAck.Item($0.0.name, $0.1) }, weeks: weeks)
    }

    /// As a node does it: the journal is written between.
    private func add(_ filed: FiledRecord) throws {
        try outbox.hold(filed)
        writes += 1
        try outbox.secure(except: filed.record.id, write: writes)
        outbox.release(upTo: writes, at: 0)
    }

    /// The journal goes on to another session.
    private func forget() throws {
        writes += 1
        try outbox.secure(except: nil, write: writes)
    }

    private func reopened() -> Outbox<OutboxFiles> {
        Outbox(OutboxFiles(directory: place.directory, log: Logger(label: "outbox")))
    }

    private func nextRetry() -> Int64? {
        var random = SystemRandomNumberGenerator()
        return outbox.nextRetry(using: &random)
    }

    private func files(_ folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: place.directory.path + "/" + folder)) ?? []).sorted()
    }

    @Test func aRecordWaitsOnDiskUntilItIsAcknowledged() throws {
        let record = try filed("s-1")
        try add(record)
        #expect(outbox.takeOutgoing().isEmpty, "there is no connection")
        #expect(files("outbox").isEmpty, "the journal still has it")
        try forget()
        #expect(files("outbox") == ["s-1.json"])
        var next = reopened()
        #expect(next.waiting == 1)
        next.link(isUp: true, at: 0)
        #expect(next.takeOutgoing() == [record])
        next.hear(try ack([(record, .kept)]), at: 1)
        #expect(next.waiting == 0 && files("outbox").isEmpty && files("recorded") == ["s-1.json"])
        #expect(reopened().waiting == 0)
    }

    /// What is acknowledged while its session goes on is put away when the journal forgets it.
    @Test func whatIsAcknowledgedEarlyIsKeptToo() throws {
        outbox.link(isUp: true, at: 0)
        let record = try filed("s-1")
        try add(record)
        outbox.hear(try ack([(record, .kept)]), at: 1)
        #expect(outbox.waiting == 0 && files("recorded").isEmpty)
        try forget()
        #expect(files("outbox").isEmpty && files("recorded") == ["s-1.json"])
        // A ledger that has lost it gets it from there.
        outbox.hear(try ack(weeks: []), at: 2)
        #expect(outbox.takeOutgoing().last == record && files("outbox") == ["s-1.json"])
    }

    /// What the journal on disk does not say yet, a crash undoes.
    @Test func nothingIsSentBeforeItsJournalIsOnDisk() throws {
        outbox.link(isUp: true, at: 0)
        let records = try (1...3).map { try filed("s-1", rev: $0) }
        for (write, record) in records.enumerated() {
            try outbox.hold(record)
            try outbox.secure(except: record.record.id, write: write)
        }
        #expect(outbox.takeOutgoing().isEmpty)
        outbox.release(upTo: 1, at: 0)
        #expect(outbox.takeOutgoing() == [records[1]], "one look at the disk, one record")
        outbox.release(upTo: 2, at: 0)
        #expect(outbox.takeOutgoing() == [records[2]])
    }

    /// The journal is about to forget a session: its record is on disk before.
    @Test func aRecordIsOnDiskBeforeItsSessionIsForgotten() throws {
        try outbox.hold(filed("s-1"))
        try outbox.hold(filed("s-2", rev: 2))
        try outbox.secure(except: SessionID("s-2"), write: 1)
        #expect(files("outbox") == ["s-1.json"])
        outbox.release(upTo: 1, at: 0)
        try forget()
        #expect(files("outbox") == ["s-1.json", "s-2.json"] && outbox.waiting == 2)
    }

    /// The process died between the outbox and the journal: what the journal says holds.
    @Test func theJournalHoldsAgainstTheOutbox() throws {
        try outbox.hold(filed("s-1", rev: 9, title: "never happened"))
        try forget()
        var next = reopened()
        let true_ = try filed("s-1", rev: 8)
        next.restored(true_.record, at: 0)
        next.link(isUp: true, at: 0)
        #expect(next.takeOutgoing() == [true_] && next.waiting == 1)
    }

    /// A start on a later boot changes what it has read back; until that is on disk, what was read back is told.
    @Test func whatAStartMakesOfTheJournalIsHeldToo() throws {
        try outbox.hold(filed("s-1", rev: 9, title: "never happened"))
        try forget()
        var next = reopened()
        let (found, moved) = (try filed("s-1", rev: 8), try filed("s-1", rev: 9))
        next.restored(found.record, at: 0)
        try next.hold(moved)
        // The disk is full: of these two writes the first fails.
        try next.secure(except: moved.record.id, write: 1)
        next.link(isUp: true, at: 0)
        #expect(next.takeOutgoing() == [found])
        try next.secure(except: moved.record.id, write: 2)
        next.release(upTo: 2, at: 0)
        #expect(next.takeOutgoing() == [moved])
    }

    /// The same where the ledger knows already what the journal says.
    @Test func theJournalHoldsAgainstTheOutboxWhenItIsAcknowledged() throws {
        let true_ = try filed("s-1", rev: 8)
        outbox.link(isUp: true, at: 0)
        try add(true_)
        outbox.hear(try ack([(true_, .kept)]), at: 1)
        try forget()
        try outbox.hold(filed("s-1", rev: 9, title: "never happened"))
        try forget()
        var next = reopened()
        next.restored(true_.record, at: 0)
        next.link(isUp: true, at: 0)
        #expect(next.waiting == 0 && next.takeOutgoing().isEmpty)
        #expect(files("outbox").isEmpty && files("recorded") == ["s-1.json"])
        let later = try filed("s-1", rev: 9)
        try next.hold(later)
        try next.secure(except: later.record.id, write: 1)
        next.release(upTo: 1, at: 0)
        #expect(next.takeOutgoing() == [later])
    }

    /// A start ends the session before it: of that the later record is the one on disk.
    @Test func theLaterRecordIsOnDisk() throws {
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
        // The same once more, as after a restart, is not told again.
        try add(new)
        #expect(outbox.takeOutgoing().isEmpty && outbox.waiting == 0)
        // A later change is.
        let newest = try filed("s-1", rev: 3)
        try add(newest)
        #expect(outbox.takeOutgoing() == [newest])
    }

    @Test func whatIsNotTakenBlocksNobody() throws {
        outbox.link(isUp: true, at: 0)
        let records = try (0..<100).map { try filed("s-\(100 + $0)") }
        for record in records { try add(record) }
        _ = outbox.takeOutgoing()
        outbox.link(isUp: true, at: 0)
        let first = outbox.takeOutgoing()
        #expect(first.count == 32 && first.first == records[0])
        outbox.hear(try ack(first.map { ($0, .refused) }), at: 1)
        let second = outbox.takeOutgoing()
        #expect(second == Array(records[32..<64]))
        outbox.hear(try ack(second.map { ($0, .kept) }), at: 1)
        #expect(outbox.waiting == 68 && outbox.takeOutgoing().count == 32)
        outbox.hear(try ack(weeks: []), at: 2)
        #expect(outbox.takeOutgoing().allSatisfy { !first.contains($0) }, "set aside until the next start")
    }

    /// Nobody who keeps no ledger is asked again and again; who does is, later each time.
    @Test func itIsTriedAgainWhileTheServiceIsThere() throws {
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

    /// However often something was sent while nobody kept a ledger: who comes gets it at once.
    @Test func aServiceThatComesGetsWhatWaitsAtOnce() throws {
        let record = try filed("s-1")
        try add(record)
        for boot in 0..<10 {
            outbox.link(isUp: false, at: Int64(boot))
            outbox.link(isUp: true, at: Int64(boot))
            #expect(outbox.takeOutgoing() == [record])
        }
        outbox.hear(try ack(weeks: []), at: 100)
        #expect(outbox.takeOutgoing() == [record])
        #expect(try (10_100...15_100).contains(#require(nextRetry())))
    }

    /// It speaks to a new connection as soon as that is subscribed, which is before all that is retained is there.
    @Test func whatIsHeardBeforeTheConnectionIsReadyCounts() throws {
        let record = try filed("s-1")
        try add(record)
        outbox.hear(try ack(weeks: []), at: 1)
        #expect(outbox.takeOutgoing().isEmpty)
        outbox.link(isUp: true, at: 2)
        #expect(outbox.takeOutgoing() == [record] && nextRetry() != nil)
    }

    private func weeks(_ records: [FiledRecord]) -> [RecordWeek] {
        records.map { filed in
            var week = RecordWeek(number: RecordWeek.number(of: filed.record.stamp))
            week.add(filed.name)
            return week
        }
    }

    /// One record for each of these weeks, which the ledger has acknowledged.
    private func acknowledged(weeks: [Int64]) throws -> [FiledRecord] {
        let records = try weeks.map { try filed("s-\($0)", at: Self.start + $0 * RecordWeek.length) }
        outbox.link(isUp: true, at: 0)
        for record in records { try add(record) }
        try forget()
        outbox.hear(try ack(records.map { ($0, .kept) }), at: 1)
        _ = outbox.takeOutgoing()
        #expect(files("recorded").count == weeks.count)
        return records
    }

    /// The ledger says what it holds of each week, and gets what it has lost: whatever the clocks told meanwhile.
    @Test func aLedgerThatHasLostSomethingIsFilledAgain() throws {
        let records = try acknowledged(weeks: [0, 10, 11, 17 * 52])
        outbox.hear(try ack(weeks: weeks([records[2]])), at: 2)
        #expect(Set(outbox.takeOutgoing()) == [records[0], records[1], records[3]])
        #expect(files("outbox") == ["s-0.json", "s-10.json", "s-884.json"] && files("recorded") == ["s-11.json"])
        outbox.hear(try ack([records[0], records[1], records[3]].map { ($0, .kept) }), at: 3)
        #expect(outbox.waiting == 0 && files("recorded").count == 4)
    }

    @Test func whatLiesBeforeTheLatestWeeksIsForgotten() throws {
        let records = try acknowledged(weeks: [0] + Array(5...18))
        outbox.hear(try ack(weeks: weeks(Array(records[1...]))), at: 2)
        #expect(outbox.takeOutgoing().isEmpty && outbox.waiting == 0)
        #expect(files("recorded") == (5...18).map { "s-\($0).json" }.sorted())
        // Where the ledger has a week more, its first one is the node's second.
        let later = try filed("s-19", at: Self.start + 19 * RecordWeek.length)
        outbox.hear(try ack(weeks: weeks(records[2...] + [later])), at: 3)
        #expect(outbox.takeOutgoing().isEmpty && files("recorded").count == 14)
    }

    /// It is filled with what was acknowledged; what waits is later than that.
    @Test func whatIsFilledInReplacesNothingThatWaits() throws {
        outbox.link(isUp: true, at: 0)
        let (old, new, other) = (try filed("s-1", rev: 1), try filed("s-1", rev: 3), try filed("s-2", rev: 2))
        for record in [old, other] { try add(record) }
        try forget()
        outbox.hear(try ack([(old, .kept), (other, .kept)]), at: 1)
        try add(new)
        #expect(outbox.takeOutgoing() == [old, other, new])
        outbox.hear(try ack(weeks: []), at: 2)
        #expect(outbox.takeOutgoing() == [new, other] && outbox.waiting == 2)
        try forget()
        var next = reopened()
        next.link(isUp: true, at: 0)
        #expect(next.takeOutgoing() == [new, other])
        next.hear(try ack([(new, .kept), (other, .kept)]), at: 3)
        #expect(next.waiting == 0 && files("outbox").isEmpty && files("recorded") == ["s-1.json", "s-2.json"])
    }

    @Test func aFileThatCannotBeReadIsPassedOver() throws {
        try add(try filed("s-1"))
        try forget()
        try place.put(Array("{}".utf8), as: "outbox/s-2.json")
        try place.put(try filed("s-4").json(), as: "outbox/s-3.json")
        #expect(reopened().waiting == 1)
        #expect(files("outbox").count == 3, "they stay for a person")
    }
}

extension Outbox {
    /// Holds the register that a record tells of.
    fileprivate mutating func hold(_ filed: FiledRecord) throws {
        let (record, end) = (filed.record, filed.record.startedAt + 60_000)
        let anchor = Anchor(elapsed: 60_000, at: end, bootID: try #require(BootID("boot")), boot: 60_000)
        let register = Register(
            id: record.id, lineage: record.lineage, stamp: record.stamp, epoch: record.version.epoch,
            rev: record.version.rev, owner: record.node, title: record.title, icon: nil, label: nil, mode: record.mode,
            plan: [Phase(kind: .focus, seconds: 1_500)], autoAdvance: false, phase: 0, status: record.status,
            startedAt: record.startedAt, anchor: anchor, runs: [Run(phase: 0, from: record.startedAt, to: end)])
        hold(register, isApproximate: false)
    }
}
