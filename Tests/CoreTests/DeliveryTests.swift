// SPDX-License-Identifier: Apache-2.0

import Core
import Ledger
import Session
import Testing
import Wire

/// Messages of a core, also after the end of a connection.
@Suite(.timeLimit(.minutes(15))) struct DeliveryTests {
    private var owner = CoreHarness("desk")

    init() {
        owner.connect()
        owner.start("S1")
    }

    @Test mutating func answerFollowsItsRegister() {
        owner.receive(owner.intent("I1"))
        #expect(owner.sent.suffix(3).map(\.kind) == ["register", "answer I1", "record"])
    }

    /// The register is encoded once.
    @Test mutating func journalContainsTheRegisterAsItIsPublished() throws {
        owner.receive(owner.intent("I1"))
        owner.sent = []
        owner.handle(.disconnected(willRetry: true))
        owner.start("S2")
        owner.connect()
        owner.receive(owner.intent("I2"))
        let payloads = owner.sent.filter { $0.kind == "register" }.map {
            String(decoding: $0.outgoing.payload, as: UTF8.self)
        }
        let journals = owner.written.map { String(decoding: $0.json, as: UTF8.self) }
        #expect(payloads.count > 1)
        for payload in payloads { #expect(journals.contains { $0.contains("\"own\":\(payload)") }) }
        for write in owner.written { #expect(write.json == write.journal.json()) }
        #expect(try owner.written.map { try Journal(json: $0.json) } == owner.written.map(\.journal))
    }

    /// A session that a person adds, whose record is on disk.
    @Test mutating func addedRecordIsSentOnceUntilItIsAcknowledged() throws {
        let (me, day) = (owner.core.codec.me, CoreHarness.epoch - .days(1))
        let record = DigestedRecord(
            LedgerRecord(
                added: token("A1"), on: me, title: "Reading", label: nil, from: day, to: day + .minutes(50)))
        owner.handle(.disconnected(willRetry: true))
        owner.sent = []
        let written = owner.written.count
        owner.handle(.added(record))
        #expect(owner.sent.isEmpty)
        #expect(owner.core.recordsWaiting == 2, "that of the session, too")
        #expect(owner.written.count == written, "the journal lacks it")
        func sent(by node: CoreHarness) -> Int { node.sent.count { $0.outgoing.payload == record.json } }
        owner.connect()
        #expect(sent(by: owner) == 1)
        // After a crash the file is read.
        var next = CoreHarness("desk", NodeCore.Restored(journal: owner.written.last?.journal, waiting: [record]))
        next.connect()
        #expect(sent(by: next) == 1)
        for acknowledged in [true, false] {
            if acknowledged { next.handle(.received(Self.ack([LedgerAck.Item(record.name, .kept)], to: me))) }
            next.reconnect()
            #expect(sent(by: next) == 0)
        }
    }

    private static func ack(_ items: [LedgerAck.Item], to node: NodeID) -> NodeCore.Packet {
        let codec = WireCodec(space: CoreHarness.space, me: node)
        return NodeCore.Packet(codec.encode(LedgerAck(node: node, items: items)), isRetained: false)
    }

    @Test mutating func recordLeavesBehindTheAnswerToItsPress() {
        owner.holdsConfirmations = true
        owner.sent = []
        owner.receive(owner.intent("I1"))
        owner.receive(owner.intent("I2", .resume))
        #expect(!owner.sent.contains { $0.kind == "record" })
        owner.confirmHeld(1)
        #expect(owner.sent.suffix(2).map(\.kind) == ["answer I1", "record"])
    }

    /// An answer right behind its register would delay the register, since the broker handles one after the other. If
    /// it waited for later ones too, a peer that presses faster than the broker confirms would keep all answers back.
    @Test mutating func answerWaitsUntilTheBrokerHasItsRegisterAndNoLaterOne() {
        owner.holdsConfirmations = true
        owner.receive(owner.intent("I1"))
        owner.receive(owner.intent("I2", .resume))
        owner.pass(10_000)
        #expect(owner.answers.isEmpty)
        owner.confirmHeld(1)
        #expect(owner.answers == ["answer I1"])
        owner.confirmHeld(1)
        #expect(owner.answers == ["answer I1", "answer I2"])
    }

    /// With two answers, peers that ask again every second would displace the answers to others.
    @Test mutating func intentThatIsRepeatedWhileItsAnswerWaitsGetsOneAnswer() {
        owner.holdsConfirmations = true
        owner.receive(owner.intent("I1"))
        for _ in 0..<NodeCore.waitingAnswersLimit {
            owner.pass(1_000 / 20)
            owner.receive(owner.intent("I2", .resume))
        }
        owner.confirmHeld(2)
        #expect(owner.answers == ["answer I1", "answer I2"])
    }

    /// Without that, peers that send hundreds of intents at once would displace the answers to others.
    @Test mutating func refusalsOfTooManyIntentsDisplaceNoAnswer() {
        owner.holdsConfirmations = true
        owner.receive(owner.intent("I0"))
        for peer in ["one", "two"] {
            for number in 0..<200 { owner.receive(owner.intent("\(peer)-\(number)", .resume, from: peer)) }
        }
        owner.confirmHeld(2)
        #expect(owner.answers.count == NodeCore.waitingAnswersLimit)
        #expect(owner.answers.first == "answer I0")
    }

    @Test mutating func answerWithoutARegisterIsSentAtOnce() {
        owner.receive(owner.intent("I1"))
        owner.holdsConfirmations = true
        owner.receive(owner.intent("I2"))
        #expect(owner.sent.last?.kind == "answer I2")
    }

    @Test mutating func anAnswerThatIsLostOnAConnectionIsSentAgainOnIt() {
        owner.confirmation = .lost
        owner.receive(owner.intent("I1"))
        owner.confirmation = .delivered
        owner.sent = []
        owner.pass(1_000)
        #expect(owner.sent.map(\.kind) == ["answer I1"])
        #expect(owner.answered == [token("I1")])
        owner.pass(60_000)
        #expect(owner.sent.count == 1)
    }

    @Test mutating func unconfirmedAnswerIsSentOnTheNextConnection() {
        owner.confirms = false
        owner.receive(owner.intent("I1"))
        owner.confirms = true
        owner.reconnect()
        #expect(owner.sent.map(\.kind).filter { ["register", "answer I1"].contains($0) } == ["register", "answer I1"])
        #expect(owner.answered == [token("I1")])
    }

    /// If both were sent, the answers that are lost with a connection would displace each other.
    @Test mutating func lostAnswerIsNotSentBesideItsDuplicate() {
        owner.confirms = false
        owner.receive(owner.intent("I1"))
        owner.receive(owner.intent("I2", .resume))
        owner.receive(owner.intent("I1"))
        owner.confirms = true
        owner.reconnect()
        #expect(owner.sent.count { $0.kind == "answer I1" } == 1)
    }

    @Test mutating func offlineAnswerIsSentOnTheNextConnection() {
        owner.isDiskSlow = true
        owner.receive(owner.intent("I1"))
        owner.handle(.disconnected(willRetry: true))
        owner.sent = []
        owner.finishWrites()
        #expect(owner.sent.isEmpty)
        owner.isDiskSlow = false
        owner.connect()
        #expect(owner.answers == ["answer I1"])
    }

    @Test mutating func confirmedAnswerIsNotSentAgain() {
        owner.receive(owner.intent("I1"))
        owner.reconnect()
        #expect(owner.answers.isEmpty)
    }

    @Test mutating func answerOfAnExpiredIntentIsNotSent() {
        owner.confirms = false
        owner.receive(owner.intent("I1"))
        owner.handle(.disconnected(willRetry: true))
        owner.pass(Limits.intentLife)
        owner.sent = []
        owner.connect()
        #expect(owner.answers.isEmpty)
    }

    /// A broker may drop the barrier, or not deliver a node's own messages.
    @Test mutating func answerIsSentWithoutABarrier() {
        owner.confirms = false
        owner.receive(owner.intent("I1"))
        owner.confirms = true
        owner.bringsBarriersBack = false
        owner.reconnect()
        #expect(owner.answers.isEmpty)
        owner.pass(2_000)
        #expect(owner.answers == ["answer I1"])
    }

    /// An answer before the barrier would overtake the register that it reports.
    @Test mutating func answerToAnIntentBeforeTheBarrierFollowsTheRegister() {
        owner.bringsBarriersBack = false
        owner.reconnect()
        owner.sent = []
        owner.receive(owner.intent("I1"))
        #expect(owner.sent.isEmpty)
        owner.pass(2_000)
        #expect(owner.sent.map(\.kind).filter { ["register", "answer I1"].contains($0) } == ["register", "answer I1"])
    }

    /// The recovery at that barrier would undo the effect.
    @Test func intentBeforeTheFirstBarrierOfAProcessIsNotDecided() {
        var owner = CoreHarness("desk")
        owner.start("S1")
        owner.bringsBarriersBack = false
        owner.connect()
        owner.receive(owner.intent("I1"))
        #expect(owner.core.view.register?.status == .running)
        owner.pass(2_000)
        #expect(owner.answers.isEmpty)
        owner.receive(owner.intent("I1"))
        #expect(owner.core.view.register?.status == .paused)
        #expect(owner.answers == ["answer I1"])
    }

    /// A register that leaves before the own subscription has ended would come back to this node.
    @Test mutating func firstRegisterFollowsTheEndOfTheOwnSubscription() {
        let before = owner.core.view.register
        owner.hearsItself = false
        owner.handle(.disconnected(willRetry: true))
        owner.steps = []
        owner.connect()
        #expect(owner.steps.filter { ["unsubscribe", "register"].contains($0) } == ["unsubscribe", "register"])
        #expect(owner.subscriptions.first { $0.topics == owner.core.codec.ownSession }?.isNoLocal == false)
        #expect(owner.subscriptions.count { $0.isNoLocal } > 0)
        #expect(owner.ended == [owner.core.codec.ownSession], "it is subscribed by name until the barrier only")
        #expect(owner.core.view.register == before)
        #expect(!owner.core.hasUnconfirmedRegisters)
    }

    /// Under *no local* only another program can have written it, whatever the broker has confirmed.
    @Test mutating func foreignRegisterIsRepairedBeforeTheOwnIsConfirmed() throws {
        owner.hearsItself = false
        owner.handle(.disconnected(willRetry: true))
        owner.holdsConfirmations = true
        owner.connect()
        let first = try #require(owner.sent.last { $0.kind == "register" }).outgoing
        owner.press(.pause, id: "P1")
        owner.sent = []
        owner.handle(.received(NodeCore.Packet(first, isRetained: false)))
        #expect(owner.sent.contains { $0.kind == "register" })
    }

    @Test mutating func largeRegisterIsReportedUntilOneIsAccepted() {
        owner.confirmation = .refused(isTooLarge: true)
        owner.press(.pause, id: "P1")
        #expect(owner.core.registerRefusal != nil)
        owner.confirmation = .delivered
        owner.press(.resume, id: "P2")
        #expect(owner.core.registerRefusal == nil)
    }

    @Test mutating func unconfirmedSleepCountsAsAnnounced() {
        owner.confirms = false
        owner.handle(.input(.sleeping(true)))
        #expect(!owner.announced.contains(true))
        owner.handle(.disconnected(willRetry: true))
        #expect(owner.announced.last == true)
    }
}
