// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Session

/// Who owns the session, and what an owner answers.
@Suite struct OwnerTests {
    /// Three starts, heard in every order: the same view everywhere, the largest stamp wins.
    @Test func lastStartWinsInEveryOrder() throws {
        let registers = [
            peerRegister("a", session: "A", at: Rig.epoch - 3_000), peerRegister("b", session: "B", at: Rig.epoch),
            peerRegister("c", session: "C", at: Rig.epoch, rev: 4),
        ]
        let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
        var views: Set<View> = []
        for order in orders {
            var rig = Rig("display")
            rig.linkUp()
            for index in order + order { rig.hear(.register(registers[index]), from: registers[index].owner.rawValue) }
            #expect(rig.moment?.register.id == token("C"))
            views.insert(rig.engine.view)
        }
        #expect(views.count == 1)
    }

    @Test func threeNodesThatStartAtOnceAgree() {
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0], [0, 2, 1], [2, 0, 1], [1, 0, 2]] {
            var rigs = ["a", "b", "c"].map { Rig($0, bootID: "boot-\($0)") }
            for index in rigs.indices {
                rigs[index].linkUp()
                rigs[index].start("focus 25m", id: "S\(index)")
            }
            var delivered = [0, 0, 0]
            for _ in 0..<4 {
                for sender in order {
                    for register in rigs[sender].registers.dropFirst(delivered[sender]) {
                        for receiver in rigs.indices where receiver != sender {
                            rigs[receiver].hear(.register(register), from: rigs[sender].node.rawValue)
                        }
                    }
                    delivered[sender] = rigs[sender].registers.count
                }
            }
            #expect(rigs.map { $0.engine.view.register?.id } == Array(repeating: token("S2"), count: 3))
            #expect(rigs.map { $0.own?.status } == [.superseded, .superseded, .running])
        }
    }

    @Test func aStartWhileLookingAtASessionBeatsIt() {
        var rig = Rig(wall: Rig.epoch - 9_000)
        rig.linkUp()
        rig.hear(.register(peerRegister(at: Rig.epoch, counter: 3)), from: "kitchen")
        rig.start("focus 1m")
        #expect(rig.own?.stamp == Stamp(time: Rig.epoch, counter: 4, node: id("desk")))
        #expect(rig.engine.view.isOwner)
    }

    /// The loss is written down, then published, and only then is anything else answered.
    @Test func yieldComesFirst() throws {
        var rig = Rig()
        rig.linkUp()
        rig.start("focus 25m")
        rig.pass(60_000)
        rig.disk = .later
        rig.log = []
        let winner = peerRegister("zoo", at: rig.wall)
        rig.hear(.register(winner), from: "zoo")
        rig.hear(rig.intent(.stop))
        let own = try #require(rig.own)
        #expect(own.status == .superseded && own.runs == [Run(phase: 0, from: Rig.epoch, to: Rig.epoch + 60_000)])
        #expect(own.supersededBy == Superseder(session: winner.id, node: id("zoo"), at: rig.wall))
        #expect(rig.log.contains { if case .journal(let journal, _) = $0 { journal.own == own } else { false } })
        #expect(rig.registers.last?.status == .running && rig.answers.isEmpty)
        rig.flush()
        let order = rig.log.compactMap { effect -> String? in
            switch effect {
            case .journal: "journal"
            case .publish(.register): "register"
            case .publish(.ack): "ack"
            default: nil
            }
        }
        #expect(order == ["journal", "register", "ack"])
        #expect(rig.answers.last?.outcome == .refused(.superseded) && rig.answers.last?.by?.session == winner.id)
        #expect(rig.engine.view.register == winner && !rig.engine.view.isOwner)
    }

    @Test func aLowerStampChangesNothing() {
        var rig = Rig()
        rig.linkUp()
        rig.start("focus 25m")
        let before = rig.own
        rig.hear(.register(peerRegister("zoo", at: Rig.epoch - 1)), from: "zoo")
        #expect(rig.own == before && rig.engine.view.isOwner)
    }

    @Test func aContinuationCutsTheRuns() {
        var rig = Rig()
        rig.linkUp()
        rig.start("focus 25m")
        rig.pass(90_000)
        var winner = peerRegister(at: rig.wall)
        winner.lineage = token("S1")
        winner.continues = Continuation(node: id("desk"), epoch: 1, rev: 1, at: Rig.epoch + 60_000)
        rig.hear(.register(winner), from: "kitchen")
        #expect(rig.own?.runs == [Run(phase: 0, from: Rig.epoch, to: Rig.epoch + 60_000)])
    }

    @Test func stampsFarFromGroupTimeAreHeldButNotAdmitted() {
        for (at, isAdmitted) in [
            (Rig.epoch + 10_000, true), (Rig.epoch + 10_001, false), (Limits.time.upperBound, false),
            (Limits.earliestStamp - 1, false), (0, false), (Limits.earliestStamp, true),
        ] {
            var rig = Rig()
            rig.linkUp()
            rig.hear(.register(peerRegister(at: at)), from: "kitchen")
            #expect((rig.engine.view.register != nil) == isAdmitted, "\(at)")
            let told = rig.published.contains(
                .ack(.clock(node: .kitchen, session: token("P1"), at: rig.wall)))
            #expect(told == !isAdmitted)
            #expect(rig.notes.contains(.clockWrong(.kitchen, stamp: at)) == !isAdmitted)
        }
    }

    @Test func anEarlyStampIsAdmittedWhenItsTimeComes() {
        var rig = Rig()
        rig.linkUp()
        rig.start("focus 25m")
        rig.hear(.register(peerRegister(at: Rig.epoch + 12_000)), from: "kitchen")
        rig.pass(1_999)
        #expect(rig.own?.status == .running)
        rig.pass(1)
        #expect(rig.own?.status == .superseded && rig.engine.view.register?.id == token("P1"))
        #expect(rig.engine.registers.nextWake == nil)
    }

    @Test func anIntentTakesEffectOnce() {
        var rig = Rig()
        rig.linkUp()
        rig.start("focus 25m")
        let extend = rig.intent(.extend(seconds: 60))
        for _ in 0..<3 { rig.hear(extend) }
        #expect(rig.answers.map(\.outcome) == [.applied, .duplicate, .duplicate])
        #expect(rig.own?.currentPhase.seconds == 1_560)
        #expect(rig.own?.applied == [token("I1")])
    }

    @Test func aRefusalIsRepeatedWordForWord() {
        var rig = Rig()
        rig.linkUp()
        rig.start("focus 25m, shortBreak 5m")
        let stale = rig.intent(.skip, phase: 1)
        let resume = rig.intent(.resume, id: "I2")
        rig.hear(stale)
        rig.hear(resume)
        rig.press(.skip)
        rig.press(.pause)
        rig.hear(stale)
        rig.hear(resume)
        #expect(rig.answers.map(\.outcome) == [.refused(.stalePhase), .noop, .refused(.stalePhase), .noop])
        #expect(rig.answers[0] == rig.answers[2] && rig.answers[1] == rig.answers[3])
    }

    @Test func fences() {
        var rig = Rig()
        rig.linkUp()
        rig.start("focus 25m, shortBreak 5m")
        rig.hear(rig.intent(.stop, id: "1", session: "other"))
        #expect(rig.answers.isEmpty, "an intent for another node's session is for somebody else")
        rig.hear(rig.intent(.pause, id: "2", life: 0))
        rig.hear(rig.intent(.pause, id: "3", life: -1))
        #expect(rig.answers.map(\.outcome) == [.refused(.expired), .refused(.expired)])
        var unfenced = rig.intent(.startBreak, id: "4")
        unfenced.phase = nil
        rig.hear(unfenced)
        rig.hear(rig.intent(.pause, id: "5", phase: 7))
        #expect(rig.answers.suffix(2).map(\.outcome) == [.refused(.invalid), .applied])
        let stop = rig.intent(.stop, id: "6")
        rig.start("focus 10m", id: "S2")
        rig.hear(stop)
        #expect(rig.answers.last?.outcome == .refused(.superseded) && rig.answers.last?.by?.session == token("S2"))
        #expect(rig.own?.status == .running, "a stop never hits a later session")
        rig.hear(stop, retained: true)
        #expect(rig.engine.peers[.kitchen].discarded == [.retained: 1])
    }

    @Test func pastSessionsAreRemembered() {
        var rig = Rig()
        rig.linkUp()
        for index in 0...16 { rig.start("focus 25m", id: "S\(index)") }
        rig.hear(rig.intent(.stop, id: "old", session: "S0"))
        #expect(rig.answers.last?.outcome == .refused(.superseded))
        rig.start("focus 25m", id: "S17")
        rig.hear(rig.intent(.stop, id: "older", session: "S0"))
        #expect(rig.answers.count == 1)
    }

    @Test func answersComeOnlyAfterTheDisk() {
        var rig = Rig()
        rig.linkUp()
        rig.start("focus 25m")
        rig.disk = .later
        rig.published = []
        let pause = rig.intent(.pause)
        rig.hear(pause)
        rig.hear(pause)
        rig.hear(rig.intent(.pause, id: "I2"))
        #expect(rig.published.isEmpty)
        rig.flush()
        #expect(rig.answers.map(\.outcome) == [.applied, .duplicate, .noop])
        #expect(rig.registers.count == 1 && rig.published.first == rig.own.map { .register($0) })
    }

    /// The mark of a peer's start needs no disk before this node's own answers may leave.
    @Test func aPeersStartDoesNotHoldThePublicationBack() {
        var rig = Rig()
        rig.linkUp()
        rig.start("focus 25m")
        rig.disk = .later
        rig.hear(rig.intent(.pause))
        rig.hear(.register(peerRegister(at: Rig.epoch - 1)), from: "kitchen")
        let (journal, write) = rig.pendingWrites.removeFirst()
        rig.journal = journal
        rig.send(.journalled(write))
        #expect(rig.answers.map(\.outcome) == [.applied])
    }

    @Test func aPeerCannotSpeakForAnother() {
        var rig = Rig()
        rig.linkUp()
        rig.hear(.register(peerRegister("kitchen")), from: "zoo")
        #expect(rig.engine.view.register == nil)
        #expect(rig.engine.peers[id("zoo")].discarded == [.wrongSender: 1])
    }

    /// A node that lost its journal, or the end of it, and found nothing at the broker, goes on under versions that
    /// others have seen.
    @Test func aForgottenVersionIsObjectedTo() throws {
        var rig = Rig()
        rig.linkUp()
        rig.hear(.register(peerRegister(rev: 8)), from: "kitchen")
        rig.hear(.register(peerRegister(rev: 7)), from: "kitchen")
        #expect(rig.published.last == .ack(.fork(node: .kitchen, version: Version(epoch: 1, rev: 8))))
        rig.published = []
        rig.hear(.register(peerRegister(session: "P2", at: Rig.epoch + 1, rev: 2)), from: "kitchen")
        #expect(rig.published.last == .ack(.fork(node: .kitchen, version: Version(epoch: 1, rev: 8))))
        #expect(rig.engine.view.register?.id == token("P1"))
    }

    @Test func aForkIsObjectedToEachTime() {
        var rig = Rig()
        rig.linkUp()
        var other = peerRegister()
        rig.hear(.register(other), from: "kitchen")
        other.title = "other"
        for _ in 0..<3 { rig.hear(.register(other), from: "kitchen") }
        let objection = Message.ack(.fork(node: .kitchen, version: other.version))
        #expect(rig.published.filter { $0 == objection }.count == 3)
        #expect(rig.engine.view.register?.title == "")
    }

    /// Whatever else is wrong with it, what is asked of an ended session is told that it has ended.
    @Test func whatIsAskedOfAnEndedSessionIsAnsweredByItsEnd() {
        var rig = Rig()
        rig.linkUp()
        rig.start("focus 25m, shortBreak 5m")
        rig.press(.stop)
        rig.hear(rig.intent(.skip, id: "I1", phase: 1))
        rig.hear(rig.intent(.stop, id: "I2", life: 0))
        #expect(rig.answers.map(\.outcome) == [.refused(.notAllowed), .noop])
    }

    @Test func whoAskedFirstIsRemembered() {
        var memory = Answers.Memory()
        let answer = Answer(intent: token("I1"), outcome: .noop, session: token("S1"), rev: 1)
        memory.keep(answer, for: id("zoo"))
        memory.keep(answer, for: .kitchen)
        #expect(memory.asker(of: token("I1")) == id("zoo"))
    }
}
