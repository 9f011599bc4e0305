// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Session

/// Ownership of the session, and the owner's answers.
@Suite(.timeLimit(.minutes(15))) struct OwnerTests {
    /// The yield is journalled, then published, and only then are intents answered.
    @Test func yieldPrecedesAnswers() throws {
        var rig = EngineHarness().linked(starting: "focus 25m")
        rig.pass(60_000)
        rig.disk = .later
        rig.log = []
        let winner = peerRegister("zoo", at: rig.told)
        rig.hear(.register(winner), from: "zoo")
        rig.hear(rig.intent(.stop))
        let own = try #require(rig.own)
        #expect(own.status == .superseded)
        #expect(own.runs == [Run(phase: 0, from: EngineHarness.epoch, to: EngineHarness.epoch + 60_000)])
        #expect(own.supersededBy == Superseder(session: winner.id, node: id("zoo"), at: rig.told))
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
                .ack(.clock(node: .kitchen, session: token("P1"), at: rig.told)))
            #expect(told == !isAdmitted)
            #expect(rig.notes.contains(.clockWrong(.kitchen, stamp: at)) == !isAdmitted)
        }
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

    @Test func answerKeepsItsFirstAsker() {
        var memory = Answers.Memory(limit: 64)
        let answer = Answer(intent: token("I1"), outcome: .noop, session: token("S1"), rev: 1)
        memory.keep(answer, for: id("zoo"))
        memory.keep(answer, for: .kitchen)
        #expect(memory.asker(of: token("I1")) == id("zoo"))
    }

    // MARK: The actions, as far as the vectors of operations do not state them

    @Test func extensionsAreKeptForFourPhasesAtMost() {
        var rig = EngineHarness()
        rig.start("(focus 1m, shortBreak 1m, work 1m, rest 1m, phase 1m, longBreak 1m) x5")
        for _ in 0..<30 {
            #expect(outcome(rig.press(.extend(seconds: 60))) == .applied)
            #expect(rig.own?.invalidField == nil)
            #expect((rig.own?.plan.count { $0.added > 0 } ?? 0) <= Limits.extended)
            rig.press(.skip)
        }
    }

    @Test func invalidStartNamesItsField() {
        var rig = EngineHarness()
        #expect(rig.start("nonsense") == .invalid("plan"))
        #expect(rig.start("focus 1m", title: "a\u{1B}[2J") == .invalid("title"))
        var cap = EngineHarness(defaults: SessionDefaults(countUpCap: 0))
        #expect(cap.start("focus 1m", mode: .countup) == .invalid("plan"))
        var display = EngineHarness(role: .display)
        #expect(display.start("focus 1m") == .notPermitted)
        #expect(rig.own == nil)
        #expect(rig.press(.pause) == .noSession)
    }
}
