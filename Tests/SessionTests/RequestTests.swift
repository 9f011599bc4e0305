// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Session

/// The asking side of an intent.
@Suite(.timeLimit(.minutes(15))) struct RequestTests {
    static func rig(plan text: String = "focus 25m, shortBreak 5m", role: Role = .node) -> EngineHarness {
        var rig = EngineHarness(role: role).linked().besideKitchen(peerRegister(plan: text))
        rig.published = []
        return rig
    }

    static func answer(_ outcome: IntentOutcome, to intent: String = "I1") -> Message {
        .ack(.answer(Answer(intent: token(intent), outcome: outcome, session: token("P1"), rev: 2)))
    }

    @Test func displayThatMayNotAskRefusesAPress() {
        var rig = EngineHarness(role: .display, mayPress: false)
        #expect(rig.press(.pause) == .notPermitted)
    }

    /// A node would take the session over; displays and services cannot.
    @Test(arguments: [Role.display, .service]) func requestIsRepeatedWithItsIDAndGivenUp(role: Role) {
        var rig = Self.rig(role: role)
        #expect(rig.press(.pause, id: "I1") == nil)
        #expect(rig.intents.count == 1)
        rig.pass(999)
        #expect(rig.intents.count == 1)
        rig.pass(1)
        #expect(rig.intents.count == 2)
        rig.pass(3_999)
        #expect(rig.intents.count == 5)
        #expect(rig.replies.isEmpty)
        rig.pass(1)
        #expect(rig.replies == [1: .noAnswer(token("P1"))])
        #expect(rig.intents.count == 5)
        #expect(Set(rig.intents).count == 1)
        #expect(rig.engine.requests == Requests())
        rig.hear(Self.answer(.applied), from: "kitchen")
        #expect(rig.replies.count == 1)
        let intent = rig.intents[0]
        #expect(intent.id == token("I1"))
        #expect(intent.session == token("P1"))
        #expect(intent.phase == 0)
        #expect(intent.expiresAt == intent.at + 30_000)
        #expect(intent.from == rig.node)
    }

    @Test(arguments: [
        IntentOutcome.applied, .duplicate, .noop, .refused(.superseded), .refused(.stalePhase), .refused(.expired),
        .refused(.notAllowed), .refused(.invalid),
    ]) func ackAnswersTheRequest(expected: IntentOutcome) {
        var rig = Self.rig()
        rig.press(.pause, id: "I1")
        rig.hear(Self.answer(expected, to: "I2"), from: "kitchen")
        rig.hear(Self.answer(expected), from: "desk")
        #expect(rig.replies.isEmpty)
        rig.hear(Self.answer(expected), from: "kitchen")
        rig.hear(Self.answer(expected), from: "kitchen")
        #expect(outcome(rig.replies[1]) == expected)
        rig.pass(10_000)
        #expect(rig.replies.count == 1)
        #expect(rig.intents.count == 1)
    }

    @Test func registerThatHoldsTheIntentAnswersIt() {
        var rig = Self.rig()
        rig.press(.pause, id: "I1")
        var register = peerRegister(plan: "focus 25m, shortBreak 5m", rev: 2, status: .paused)
        register.applied = [token("I0"), token("I1")]
        rig.hear(.register(register), from: "kitchen")
        #expect(outcome(rig.replies[1]) == .applied)
    }

    @Test func hangUpEndsTheRequest() {
        var rig = Self.rig()
        rig.press(.pause, id: "I1")
        rig.send(.hangUp(1))
        rig.hear(Self.answer(.applied), from: "kitchen")
        rig.pass(10_000)
        #expect(rig.replies.isEmpty)
        #expect(rig.intents.count == 1)
        #expect(rig.engine.requests == Requests())
    }

    /// A vouched clock that wavers by hours shows one session after the other.
    @Test func sessionThatIsContinuedAgainAndAgainKeepsAPersonWaitingForTenSeconds() {
        var rig = Self.rig(role: .display)
        rig.press(.pause, id: "I1")
        for index in 1...4 {
            rig.pass(2_000)
            var register = peerRegister("k\(index)", session: "P1-\(index)", at: rig.told)
            register.lineage = token("P1")
            rig.hear(.register(register), from: "k\(index)")
        }
        rig.pass(1_999)
        #expect(rig.replies.isEmpty)
        rig.pass(1)
        #expect(rig.replies == [1: .noAnswer(token("P1-4"))])
    }

    @Test func requestWaitsForTheBarrier() {
        var rig = Self.rig(role: .display)
        rig.send(.linkDown)
        rig.press(.pause, id: "I1")
        rig.pass(1_500)
        rig.barriers = false
        rig.linkUp()
        #expect(rig.intents.isEmpty)
        rig.pass(200)
        rig.send(.barrierPassed(token("conn-desk-2")))
        #expect(rig.intents.count == 1)
        rig.pass(5_000)
        #expect(rig.replies == [1: .noAnswer(token("P1"))])
    }

    /// An intent expires by group time, so a node without it polls clocks first, for 300 ms at most.
    @Test(arguments: [true, false], [Role.node, .display])
    func requestWaitsForGroupTime(answers: Bool, role: Role) {
        var rig = EngineHarness(telling: EngineHarness.epoch - 5_000, wallBound: nil, role: role).linked()
        if answers { rig.clocks[.kitchen] = PeerClock(there: 100, back: 100) }
        rig.hear(.presence(presence("k1")), from: "kitchen", retained: true)
        rig.hear(.register(peerRegister()), from: "kitchen")
        rig.press(.pause)
        rig.pass(199)
        #expect(rig.intents.isEmpty)
        rig.pass(1)
        #expect(rig.intents.map(\.at) == (answers ? [EngineHarness.epoch + 200] : []))
        rig.pass(120)
        #expect(rig.intents.count == 1)
        #expect(rig.intents.allSatisfy { $0.expiresAt == $0.at + 30_000 })
    }

    @Test func requestNamesTheSessionAndPhaseInView() {
        var rig = Self.rig(plan: "focus 25m, shortBreak 5m")
        rig.pass(25 * 60_000)
        rig.press(.startBreak)
        #expect(rig.intents.last?.phase == 1, "by date the break is next")
        #expect(rig.press(.stop, session: "unknown") == .noSession)
        rig.hear(.register(peerRegister("zoo", session: "Z1", at: rig.told)), from: "zoo")
        #expect(outcome(rig.press(.stop, session: "P1")) == .refused(.superseded))
        rig.press(.stop, session: "Z1", phase: 0)
        #expect(rig.intents.last?.session == token("Z1"))
    }

    @Test func pressWithoutASessionIsRefused() {
        var idle = EngineHarness().linked()
        #expect(idle.press(.pause) == .noSession)
        var ended = Self.rig(plan: "focus 10s")
        ended.pass(10_000)
        #expect(ended.press(.pause) == .noSession)
        #expect(ended.intents.isEmpty)
    }
}
