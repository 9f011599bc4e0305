// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Session

/// Messages that a broker has lost, or that a member of a cluster keeps for itself.
@Suite(.timeLimit(.minutes(15))) struct LostMessageTests {
    private static let earlier: GroupTime = EngineHarness.epoch - .seconds(60)

    private static func owner() -> EngineHarness {
        var rig = EngineHarness().linked(starting: "focus 25m").besideKitchen()
        rig.pass(1_000)
        rig.published = []
        return rig
    }

    /// A node that shows no session, beside one that is online.
    private static func idle() -> EngineHarness {
        var rig = EngineHarness().linked().besideKitchen()
        rig.pass(6_000)
        rig.published = []
        return rig
    }

    private static func hellos(of rig: EngineHarness) -> Int { rig.published.count { $0 == .hello } }

    // MARK: The owner repeats

    @Test func olderSessionThatEndsIsRemindedOfTheCurrentOne() {
        var rig = Self.owner()
        rig.hear(.register(peerRegister(at: Self.earlier, rev: 2, status: .completed)), from: "kitchen")
        rig.pass(60_000)
        #expect(rig.registers == [rig.own].compactMap(\.self))
    }

    @Test func olderSessionThatTheCurrentOneEndedNeedsNoReminder() throws {
        var rig = Self.owner()
        var lost = peerRegister(at: Self.earlier, rev: 2, status: .superseded)
        let own = try #require(rig.own)
        lost.supersededBy = Superseder(session: own.id, node: rig.node, at: own.startedAt)
        rig.hear(.register(lost), from: "kitchen")
        rig.pass(60_000)
        #expect(rig.registers.isEmpty)
    }

    private static func ping(_ rig: EngineHarness, held: Version?) -> Message {
        .ping(Ping(connection: token("k1"), sent: 1, at: rig.groupTime, held: held), to: rig.node)
    }

    @Test func pingOfANodeThatHoldsAnOlderRevisionCausesARepair() throws {
        var rig = Self.owner()
        let version = try #require(rig.own).version
        rig.hear(Self.ping(rig, held: version), from: "kitchen")
        rig.hear(Self.ping(rig, held: nil), from: "kitchen")
        rig.pass(2_000)
        #expect(rig.registers.isEmpty)
        rig.hear(Self.ping(rig, held: Version(epoch: 0, rev: 0)), from: "kitchen")
        #expect(rig.registers.map(\.version) == [version])
    }

    @Test func registerThatWasJustPublishedIsNotRepeatedForAPing() throws {
        var rig = Self.owner()
        let version = try #require(rig.own).version
        _ = rig.press(.pause)
        rig.published = []
        rig.hear(Self.ping(rig, held: version), from: "kitchen")
        rig.pass(500)
        #expect(rig.registers.isEmpty)
    }

    @Test func pingStatesTheRevisionThatIsHeld() {
        var rig = EngineHarness(wallBound: nil).linked()
        rig.hear(.register(peerRegister(rev: 3)), from: "kitchen")
        rig.meet("kitchen", PeerClock(wallLead: EngineHarness.epoch - 1_000_000))
        let held = rig.published.compactMap { if case .ping(let ping, .kitchen) = $0 { ping.held } else { nil } }
        #expect(held.first == Version(epoch: 1, rev: 3))
    }

    // MARK: A node asks

    @Test func sessionThatTheCalmServiceNamesIsAskedForOnce() {
        var rig = Self.idle()
        rig.send(.named(token("Z1")))
        #expect(Self.hellos(of: rig) == 0, "each node waits for another time")
        rig.pass(200)
        #expect(Self.hellos(of: rig) == 1)
        rig.pass(10_000)
        rig.send(.named(token("Z1")))
        rig.pass(10_000)
        #expect(Self.hellos(of: rig) == 1, "its owner may be gone")
    }

    @Test func helloOfAnotherNodeServesThisOneToo() {
        var rig = Self.idle()
        rig.send(.named(token("Z1")))
        rig.hear(.hello, from: "kitchen")
        rig.pass(10_000)
        #expect(Self.hellos(of: rig) == 0)
    }

    @Test func sessionThatAnIntentNamesIsAskedFor() {
        var rig = Self.idle()
        rig.hear(rig.intent(.pause, id: "I1", session: "Z1"))
        rig.pass(200)
        #expect(Self.hellos(of: rig) == 1)
    }

    /// A cluster may lose the first messages after a partition.
    @Test func helloIsRepeatedWhileANodeThatWasOnlineIsMissing() {
        var rig = Self.idle()
        rig.send(.linkDown)
        rig.linkUp()
        rig.published = []
        rig.pass(60_000)
        #expect(Self.hellos(of: rig) == 3)
        rig.send(.linkDown)
        rig.linkUp()
        rig.published = []
        rig.pass(2_000)
        rig.hear(.presence(presence("k1")), from: "kitchen")
        rig.pass(60_000)
        #expect(Self.hellos(of: rig) == 1)
    }

    @Test func sessionThatIsHereIsNotAskedFor() {
        var rig = Self.idle()
        rig.hear(.register(peerRegister(status: .completed)), from: "kitchen")
        rig.send(.named(token("P1")))
        rig.pass(10_000)
        #expect(Self.hellos(of: rig) == 0)
    }

    @Test func revisionThatAnAnswerStatesIsAskedForWhenItsRegisterIsMissing() {
        var rig = Self.idle()
        rig.hear(.register(peerRegister(rev: 2)), from: "kitchen")
        func answer(rev: Int) -> Message {
            .ack(.answer(Answer(intent: token("I1"), outcome: .applied, session: token("P1"), rev: rev)))
        }
        rig.hear(answer(rev: 2), from: "kitchen")
        rig.hear(answer(rev: 9), from: "attic")
        rig.pass(10_000)
        #expect(Self.hellos(of: rig) == 0, "the register is here, and attic is not its owner")
        rig.hear(answer(rev: 3), from: "kitchen")
        rig.pass(200)
        #expect(Self.hellos(of: rig) == 1)
    }
}
