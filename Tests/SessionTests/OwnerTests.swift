// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Session

/// Ownership of the session, and the owner's answers.
@Suite(.timeLimit(.minutes(15))) struct OwnerTests {
    /// The largest stamp wins, in whatever order three starts arrive.
    @Test func lastStartWinsInEveryOrder() throws {
        let registers = [
            peerRegister("a", session: "A", at: EngineHarness.epoch - 3_000),
            peerRegister("b", session: "B", at: EngineHarness.epoch),
            peerRegister("c", session: "C", at: EngineHarness.epoch, rev: 4),
        ]
        let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
        var views: Set<View> = []
        for order in orders {
            var rig = EngineHarness("display").linked()
            for index in order + order { rig.hear(.register(registers[index]), from: registers[index].owner.rawValue) }
            #expect(rig.moment?.register.id == token("C"))
            views.insert(rig.engine.view)
        }
        #expect(views.count == 1)
    }

    @Test func threeNodesThatStartAtOnceAgree() {
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0], [0, 2, 1], [2, 0, 1], [1, 0, 2]] {
            var rigs = ["a", "b", "c"].map { EngineHarness($0, bootID: "boot-\($0)") }
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

    /// The yield is journalled, then published, and only then are intents answered.
    @Test func yieldPrecedesAnswers() throws {
        var rig = EngineHarness().linked(starting: "focus 25m")
        rig.pass(60_000)
        rig.disk = .later
        rig.log = []
        let winner = peerRegister("zoo", at: rig.wall)
        rig.hear(.register(winner), from: "zoo")
        rig.hear(rig.intent(.stop))
        let own = try #require(rig.own)
        #expect(own.status == .superseded)
        #expect(own.runs == [Run(phase: 0, from: EngineHarness.epoch, to: EngineHarness.epoch + 60_000)])
        #expect(own.supersededBy == Superseder(session: winner.id, node: id("zoo"), at: rig.wall))
        #expect(rig.log.contains { if case .journal(let journal, _) = $0 { journal.own == own } else { false } })
        #expect(rig.registers.last?.status == .running)
        #expect(rig.answers.isEmpty)
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
        #expect(rig.answers.last?.outcome == .refused(.superseded))
        #expect(rig.answers.last?.by?.session == winner.id)
        #expect(rig.engine.view.register == winner)
        #expect(!rig.engine.view.isOwner)
    }

    @Test func stampsFarFromGroupTimeAreHeldButNotAdmitted() {
        for (at, isAdmitted) in [
            (EngineHarness.epoch + 10_000, true), (EngineHarness.epoch + 10_001, false),
            (Limits.time.upperBound, false),
            (Limits.earliestStamp - 1, false), (0, false), (Limits.earliestStamp, true),
        ] {
            var rig = EngineHarness().linked()
            rig.hear(.register(peerRegister(at: at)), from: "kitchen")
            #expect((rig.engine.view.register != nil) == isAdmitted, "\(at)")
            let told = rig.published.contains(
                .ack(.clock(node: .kitchen, session: token("P1"), at: rig.wall)))
            #expect(told == !isAdmitted)
            #expect(rig.notes.contains(.clockWrong(.kitchen, stamp: at)) == !isAdmitted)
        }
    }

    @Test func earlyStampIsAdmittedWhenItsTimeComes() {
        var rig = EngineHarness().linked(starting: "focus 25m")
        rig.hear(.register(peerRegister(at: EngineHarness.epoch + 12_000)), from: "kitchen")
        rig.pass(1_999)
        #expect(rig.own?.status == .running)
        rig.pass(1)
        #expect(rig.own?.status == .superseded)
        #expect(rig.engine.view.register?.id == token("P1"))
        #expect(rig.engine.replicas.nextWake == nil)
    }

    @Test func pastSessionsAreRemembered() {
        var rig = EngineHarness().linked()
        for index in 0...16 { rig.start("focus 25m", id: "S\(index)") }
        rig.hear(rig.intent(.stop, id: "old", session: "S0"))
        #expect(rig.answers.last?.outcome == .refused(.superseded))
        rig.start("focus 25m", id: "S17")
        rig.hear(rig.intent(.stop, id: "older", session: "S0"))
        #expect(rig.answers.count == 1)
    }

    @Test func answersComeOnlyAfterTheDisk() {
        var rig = EngineHarness().linked(starting: "focus 25m")
        rig.disk = .later
        rig.published = []
        let pause = rig.intent(.pause)
        rig.hear(pause)
        rig.hear(pause)
        rig.hear(rig.intent(.pause, id: "I2"))
        #expect(rig.published.isEmpty)
        rig.flush()
        #expect(rig.answers.map(\.outcome) == [.applied, .noop], "one answer is enough for an intent that is repeated")
        #expect(rig.registers.count == 1)
        #expect(rig.published.first == rig.own.map { .register($0) })
    }

    /// Answers do not wait for the write of a peer's mark.
    @Test func peersStartDoesNotDelayPublication() {
        var rig = EngineHarness().linked(starting: "focus 25m")
        rig.disk = .later
        rig.hear(rig.intent(.pause))
        rig.hear(.register(peerRegister(at: EngineHarness.epoch - 1)), from: "kitchen")
        rig.flushOne()
        #expect(rig.answers.map(\.outcome) == [.applied])
    }

    @Test func registerFromAnotherSenderIsDiscarded() {
        var rig = EngineHarness().linked()
        rig.hear(.register(peerRegister("kitchen")), from: "zoo")
        #expect(rig.engine.view.register == nil)
        #expect(rig.engine.peers[id("zoo")].discarded == [.wrongSender: 1])
    }

    /// A node without journal and retained register repeats versions that peers have seen.
    @Test func lowerVersionCausesAnObjection() throws {
        var rig = EngineHarness().linked()
        rig.hear(.register(peerRegister(rev: 8)), from: "kitchen")
        rig.hear(.register(peerRegister(rev: 7)), from: "kitchen")
        #expect(rig.published.last == .ack(.fork(node: .kitchen, version: Version(epoch: 1, rev: 8))))
        rig.published = []
        rig.hear(.register(peerRegister(session: "P2", at: EngineHarness.epoch + 1, rev: 2)), from: "kitchen")
        #expect(rig.published.last == .ack(.fork(node: .kitchen, version: Version(epoch: 1, rev: 8))))
        #expect(rig.engine.view.register?.id == token("P1"))
    }

    @Test func eachForkCausesAnObjection() {
        var rig = EngineHarness().linked()
        var other = peerRegister()
        rig.hear(.register(other), from: "kitchen")
        other.title = "other"
        for _ in 0..<3 { rig.hear(.register(other), from: "kitchen") }
        let objection = Message.ack(.fork(node: .kitchen, version: other.version))
        #expect(rig.published.filter { $0 == objection }.count == 3)
        #expect(rig.engine.view.register?.title == "")
    }

    @Test func answerKeepsItsFirstAsker() {
        var memory = Answers.Memory(kept: 64)
        let answer = Answer(intent: token("I1"), outcome: .noop, session: token("S1"), rev: 1)
        memory.keep(answer, for: id("zoo"))
        memory.keep(answer, for: .kitchen)
        #expect(memory.asker(of: token("I1")) == id("zoo"))
    }
}
