// SPDX-License-Identifier: Apache-2.0

import Core
import Testing

@testable import Session

/// Nodes that join, that are gone, and whose presence was deleted.
@Suite(.timeLimit(.minutes(15))) struct MembershipTests {
    /// A node whose kernel does not vouch, and that goes by the rogue clock of `attic`.
    static func misled() -> EngineHarness {
        var rig = EngineHarness(wallBound: nil).linked()
        rig.hear(.presence(presence("conn-desk-1")), from: "desk", retained: true)
        rig.meet("attic", VouchedTimeTests.rogue)
        rig.pass(10_000)
        return rig
    }

    // MARK: A deleted presence

    @Test func deletedPresenceEndsTheVoteOfAClock() {
        var rig = Self.misled()
        #expect(rig.groupTime > rig.told + 365 * 86_400_000)
        #expect(rig.engine.timeOrigin == id("attic"))
        rig.clocks[id("attic")] = nil
        rig.send(.erased(from: id("attic"), isPresence: true))
        #expect(rig.groupTime == rig.told)
        #expect(rig.engine.timeOrigin == nil)
        #expect(!rig.engine.peers[id("attic")].isOnline)
        rig.hear(ExchangeTests.pong(of: rig, clock: VouchedTimeTests.rogue), from: "attic")
        #expect(rig.groupTime == rig.told, "a late pong changes nothing")
    }

    @Test func nodeThatReturnsVotesAgain() {
        var rig = Self.misled()
        rig.send(.erased(from: id("attic"), isPresence: true))
        rig.meet("attic", PeerClock(wallLead: EngineHarness.epoch + 60_000 - 1_000_000), connection: "attic-2")
        rig.pass(1_000)
        #expect(rig.groupTime == rig.told + 60_000)
    }

    // MARK: A node that joins

    @Test func currentRegisterIsRepeatedOnceForNodesThatJoin() {
        var rig = EngineHarness().linked(starting: "focus 25m")
        rig.published = []
        for number in 1...5 { rig.hear(.presence(presence("k\(number)")), from: "k\(number)") }
        rig.pass(999)
        #expect(rig.registers.isEmpty)
        rig.pass(1)
        #expect(rig.registers == [rig.own].compactMap(\.self))
        #expect(rig.presences.isEmpty)
        rig.pass(60_000)
        #expect(rig.registers.count == 1)
    }

    @Test func nodeWhoseSessionIsNotCurrentRepeatsNothing() {
        var rig = EngineHarness().linked(starting: "focus 25m").besideKitchen(peerRegister(at: EngineHarness.epoch + 1))
        rig.published = []
        rig.hear(.presence(presence("z1")), from: "zoo")
        rig.pass(5_000)
        #expect(rig.registers.isEmpty)
    }

    /// Its member of the cluster keeps only a session that another one has superseded.
    @Test func supersededRegisterWithoutTheOneThatWonAsksAllOnce() {
        var rig = EngineHarness()
        rig.barriers = false
        rig.linkUp()
        rig.hear(.presence(presence("conn-desk-1")), from: "desk", retained: true)
        rig.hear(.presence(presence("k1")), from: "kitchen", retained: true)
        var lost = peerRegister(status: .superseded)
        lost.supersededBy = Superseder(session: token("Z1"), node: id("zoo"), at: EngineHarness.epoch)
        rig.hear(.register(lost), from: "kitchen", retained: true)
        #expect(!rig.published.contains(.hello))
        rig.pass(2_000)
        #expect(rig.published.count { $0 == .hello } == 1)
        rig.pass(60_000)
        #expect(rig.published.count { $0 == .hello } == 1)
    }

    @Test(arguments: [false, true]) func liveRegisterOfAnOwnerThatIsNotHereAsksAll(isKnownOffline: Bool) {
        var rig = EngineHarness().linked()
        if isKnownOffline { rig.hear(.presence(presence("k1", online: false)), from: "kitchen", retained: true) }
        rig.published = []
        rig.hear(.register(peerRegister()), from: "kitchen")
        #expect(rig.published.contains(.hello))
    }

    /// Its state is known from an earlier connection, and may have changed since.
    @Test func ownerWhosePresenceTheBrokerHasNotKeptIsAskedAfterEachBarrier() {
        var rig = EngineHarness().linked().besideKitchen(peerRegister())
        rig.send(.linkDown)
        rig.published = []
        rig.linkUp(finding: [("desk", .presence(presence("conn-desk-2")))])
        #expect(rig.published.contains(.hello))
    }

    /// The sender is a member, since a node that was removed sends nothing.
    @Test func pingOfANodeWhosePresenceWasDeletedAsksAll() {
        var rig = EngineHarness().linked().besideKitchen()
        let ping = Ping(connection: token("k1"), sent: 1, at: rig.told)
        rig.hear(.ping(ping, to: id("desk")), from: "kitchen")
        #expect(!rig.published.contains(.hello))
        rig.send(.erased(from: .kitchen, isPresence: true))
        rig.hear(.ping(ping, to: id("desk")), from: "kitchen")
        #expect(rig.published.contains(.hello))
    }

    /// Others do not admit the own stamp, so an older session is shown.
    @Test func ownStampThatIsAheadDoesNotReplaceTheSessionShown() {
        var rig = EngineHarness().linked(starting: "focus 25m")
        rig.told -= 60_000
        rig.pass(1)
        rig.published = []
        rig.hear(.register(peerRegister(at: EngineHarness.epoch - 60_000)), from: "kitchen")
        #expect(rig.engine.view.register?.id == token("P1"))
        #expect(rig.published.contains(.hello))
    }

    @Test func helloComesWithTheOwnPresenceAndRegister() {
        var rig = EngineHarness().linked(starting: "focus 25m")
        rig.published = []
        rig.hear(.ack(.clock(node: id("desk"), session: token("S1"), at: rig.told)), from: "kitchen")
        #expect(rig.published.first == .hello)
        #expect(rig.presences.count == 1)
        #expect(rig.registers == [rig.own].compactMap(\.self))
    }

    @Test func retainedSessionOfAnOwnerThatIsOfflineAsksNobody() {
        var rig = EngineHarness().linked()
        rig.hear(.presence(presence("k1", online: false)), from: "kitchen", retained: true)
        rig.published = []
        rig.hear(.register(peerRegister()), from: "kitchen", retained: true)
        #expect(!rig.published.contains(.hello))
    }

    // MARK: A passing remote

    /// The owner has answered another hello a moment ago, so its answer is the last one.
    @Test func remoteWaitsForTheOwnerThoughOthersAnswerFirst() {
        var rig = EngineHarness("remote", publishesPresence: false).linked()
        #expect(rig.published.contains(.hello))
        rig.pass(100)
        rig.deliver(.presence(presence("z1")), from: "zoo")
        rig.deliver(.register(peerRegister("zoo", session: "Z1", status: .stopped)), from: "zoo")
        rig.pass(1_000)
        #expect(!rig.core.hasCaughtUp)
        rig.deliver(.presence(presence("k1")), from: "kitchen")
        rig.deliver(.register(peerRegister(at: EngineHarness.epoch + 1)), from: "kitchen")
        rig.pass(299)
        #expect(!rig.core.hasCaughtUp)
        rig.pass(1)
        #expect(rig.core.hasCaughtUp)
    }

    // MARK: Names that are gone

    @Test func namesThatAreGoneKeepNoNodeAway() {
        var rig = EngineHarness().linked()
        for index in 0..<Limits.nodes + 88 {
            rig.hear(.presence(presence("c\(index)", online: false)), from: "n\(index)", retained: true)
        }
        rig.hear(.presence(presence("k1")), from: "kitchen")
        rig.hear(.register(peerRegister()), from: "kitchen")
        #expect(rig.engine.peers[.kitchen].isOnline)
        #expect(rig.moment?.register.owner == .kitchen)
        #expect(rig.engine.peers.all.count == Limits.nodes)
    }

    /// The session can be in any of the registers that the broker keeps.
    @Test(arguments: [0, 300, Limits.nodes + 87]) func currentSessionIsKnownAmongAnyNumberOfNames(place: Int) {
        var rig = EngineHarness().linked()
        for index in 0..<Limits.nodes + 88 {
            let ago = index == place ? 1_000 : 1_000_000 + Int64(index * 7 % (Limits.nodes + 88))
            let at = EngineHarness.epoch - Milliseconds(ago)
            let register = peerRegister("n\(index)", session: "P\(index)", plan: "focus 10h", at: at)
            rig.hear(.register(register), from: "n\(index)", retained: true)
        }
        #expect(rig.moment?.register.owner == id("n\(place)"))
    }

    @Test func onlineNodesAreNotForgotten() {
        var rig = EngineHarness().linked()
        for index in 0..<Limits.nodes + 88 { rig.hear(.presence(presence("c\(index)")), from: "n\(index)") }
        rig.pass(60_000)
        rig.hear(.presence(presence("k1")), from: "kitchen")
        #expect(!rig.engine.peers[.kitchen].isOnline)
        #expect(rig.engine.peers.online.count >= Limits.nodes - 1)
    }
}
