// SPDX-License-Identifier: Apache-2.0

import Ledger
import Session
import Testing
import Wire

/// Records on their way to a ledger that the test plays.
@Suite(.timeLimit(.minutes(15))) struct LedgerIntakeTests {
    private static let time: GroupTime = 1_800_000_000_000
    private let home: SpaceID
    private let desk: NodeID
    private var intake = LedgerIntake()

    init() throws {
        home = try #require(SpaceID("home"))
        desk = try #require(NodeID("desk"))
    }

    private func record(_ number: Int, of node: NodeID? = nil, at time: GroupTime = time) throws -> DigestedRecord {
        let id = try #require(SessionID("s-\(number)"))
        let node = node ?? desk
        return DigestedRecord(
            LedgerRecord(
                id: id, lineage: id, node: node, stamp: Stamp(time: time, counter: number, node: node),
                version: Version(epoch: 1, rev: 1), title: "", mode: .countdown, status: .stopped, startedAt: time,
                runs: []))
    }

    private mutating func receive(_ numbers: Range<Int>, now: AwakeTime = 0) throws {
        for number in numbers { intake.receive(try record(number), in: home, at: Self.time, isVouched: true, now: now) }
    }

    /// Takes all answers, as a broker that acknowledges each at once.
    private mutating func answers() -> [LedgerAck] {
        var all: [LedgerAck] = []
        while let (_, ack) = intake.nextAnswer() {
            all.append(ack)
            intake.noteAnswered()
        }
        return all
    }

    @Test mutating func recordsThatArriveDuringAWriteAreTheNextBatch() throws {
        #expect(intake.isIdle)
        try receive(0..<2)
        #expect(intake.nextBatch().count == 2)
        try receive(2..<5)
        #expect(intake.nextBatch().isEmpty, "a batch is being written")
        #expect(answers().isEmpty, "nothing is on disk")
        intake.noteFiled([.stored, .known], at: 1)
        #expect(answers().flatMap(\.items).map(\.outcome) == [.kept, .kept])
        #expect(intake.nextBatch().map(\.digested.record.id.rawValue) == ["s-2", "s-3", "s-4"])
        intake.noteFiled([.stored, .stored, .stored], at: 1)
        #expect(intake.isIdle)
    }

    @Test mutating func aBatchIsBounded() throws {
        try receive(0..<LedgerIntake.batchLimit + 1)
        #expect(intake.nextBatch().count == LedgerIntake.batchLimit)
        intake.noteFiled(nil, at: 0)
        #expect(intake.nextBatch().count == 1)
    }

    @Test mutating func aFailedWriteIsNotAnswered() throws {
        try receive(0..<3)
        _ = intake.nextBatch()
        intake.noteFiled(nil, at: 0)
        #expect(answers().isEmpty)
        #expect(intake.isIdle)
    }

    @Test mutating func eachOutcomeHasItsAnswer() throws {
        try receive(0..<5)
        _ = intake.nextBatch()
        intake.noteFiled([.stored, .known, .older, .conflict, .overQuota], at: 0)
        #expect(answers().flatMap(\.items).map(\.outcome) == [.kept, .kept, .kept, .conflict, .refused])
        let conflict = try record(3)
        #expect(intake.removeNotes() == [.conflict(home, desk, conflict.record.id), .overQuota(home, desk)])
        #expect(intake.removeNotes().isEmpty)
    }

    @Test mutating func anImpossibleDateIsRefusedAtOnce() throws {
        intake.receive(try record(1, at: Self.time + .days(3)), in: home, at: Self.time, isVouched: true, now: 0)
        #expect(intake.nextBatch().isEmpty)
        #expect(answers().flatMap(\.items).map(\.outcome) == [.refused])
        #expect(intake.removeNotes() == [.implausible(home, desk)])
    }

    /// A service without a battery for its clock starts in the past, where every record is ahead.
    @Test mutating func aRecordAheadOfAnUncertainTimeIsSentAgain() throws {
        let early = Self.time - .days(3)
        intake.receive(try record(1), in: home, at: early, isVouched: false, now: 0)
        #expect(answers().isEmpty)
        #expect(intake.removeNotes().isEmpty)
        intake.receive(try record(1), in: home, at: Self.time, isVouched: true, now: 0)
        #expect(intake.nextBatch().count == 1)
        let old = try record(2, at: Limits.earliestStamp - .days(3))
        intake.receive(old, in: home, at: early, isVouched: false, now: 0)
        #expect(answers().flatMap(\.items).map(\.outcome) == [.refused])
    }

    @Test mutating func aRecordThatCannotBeReadIsRefused() throws {
        intake.refuse(try record(1).name, of: desk, in: home)
        #expect(answers() == [LedgerAck(node: desk, items: [LedgerAck.Item(try record(1).name, .refused)])])
    }

    @Test mutating func manyAnswersAreSplitIntoSeveralMessages() throws {
        try receive(0..<LedgerAck.itemsLimit + 1)
        _ = intake.nextBatch()
        intake.noteFiled(Array(repeating: .stored, count: LedgerAck.itemsLimit + 1), at: 0)
        #expect(answers().map(\.items.count) == [LedgerAck.itemsLimit, 1])
    }

    @Test mutating func eachNodeHasItsOwnAnswer() throws {
        let hall = try #require(NodeID("hall"))
        try receive(0..<2)
        intake.receive(try record(2, of: hall), in: home, at: Self.time, isVouched: true, now: 0)
        _ = intake.nextBatch()
        intake.noteFiled([.stored, .stored, .stored], at: 0)
        #expect(answers().map(\.node) == [desk, hall])
    }

    @Test mutating func answersWaitWhileTheBrokerAcknowledgesNone() throws {
        for number in 0..<LedgerIntake.window + 1 {
            let node = try #require(NodeID("n-\(number)"))
            intake.refuse(try record(number, of: node).name, of: node, in: home)
        }
        for _ in 0..<LedgerIntake.window { #expect(intake.nextAnswer() != nil) }
        #expect(intake.nextAnswer() == nil)
        intake.noteAnswered()
        #expect(intake.nextAnswer() != nil)
    }

    @Test mutating func answersAreDroppedWithTheConnection() throws {
        intake.refuse(try record(1).name, of: desk, in: home)
        intake.noteDisconnected()
        #expect(intake.nextAnswer() == nil)
    }

    @Test mutating func aDiskThatIsTooSlowIsReported() throws {
        try receive(0..<1)
        _ = intake.nextBatch()
        try receive(1..<3, now: 0 + LedgerIntake.lagLimit)
        #expect(intake.removeNotes().isEmpty)
        try receive(3..<5, now: 1 + LedgerIntake.lagLimit)
        #expect(intake.removeNotes() == [.behind(waiting: 5, lag: LedgerIntake.lagLimit + 1, dropped: 0)])
    }

    /// Each transaction is quick, but the queue is long.
    @Test mutating func theLagIsThatOfTheOldestRecord() throws {
        let one = try record(1)
        for _ in 0..<LedgerIntake.batchLimit + 1 {
            intake.receive(one, in: home, at: Self.time, isVouched: true, now: 0)
        }
        let count = intake.nextBatch().count
        intake.noteFiled([FilingResult](repeating: .stored, count: count), at: 0 + LedgerIntake.lagLimit)
        #expect(intake.removeNotes().isEmpty)
        #expect(intake.nextBatch().count == 1)
        intake.noteFiled([.stored], at: 1 + LedgerIntake.lagLimit)
        #expect(intake.removeNotes() == [.behind(waiting: 1, lag: LedgerIntake.lagLimit + 1, dropped: 0)])
    }

    @Test mutating func recordsBeyondTheLimitAreDropped() throws {
        let one = try record(1)
        for _ in 0..<LedgerIntake.waitingLimit + 3 {
            intake.receive(one, in: home, at: Self.time, isVouched: true, now: 7)
        }
        #expect(intake.removeNotes() == [.behind(waiting: LedgerIntake.waitingLimit, lag: 0, dropped: 3)])
        #expect(answers().isEmpty, "their nodes send them again")
    }
}
