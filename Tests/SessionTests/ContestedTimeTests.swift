// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Session

/// Synchronised clocks that contradict each other.
@Suite(.timeLimit(.minutes(5))) struct ContestedTimeTests {
    /// A synchronised clock that reads 2044.
    static let rogue = PeerClock(wallLead: 2_340_000_000_000 - 1_000_000)

    /// A node with a session, whose synchronised clock is wrong by `skew`.
    static func synchronised(skew: Int64 = 0) -> EngineHarness {
        var rig = EngineHarness(wall: EngineHarness.epoch + skew)
        rig.linkUp()
        rig.start("focus 25m")
        return rig
    }

    @Test func oneRogueClockMovesNoHonestNode() {
        var rig = Self.synchronised()
        rig.meet("attic", Self.rogue)
        rig.pass(10_000)
        #expect(rig.groupTime == rig.wall)
        #expect(rig.own?.startedAt == EngineHarness.epoch)
        #expect(rig.own?.rev == 1)
        #expect(rig.engine.isContradicted(by: id("attic")))
        rig.start("focus 10m", id: "S2")
        #expect(rig.own?.stamp.time == EngineHarness.epoch + 10_000)
        #expect(rig.own?.startedAt == EngineHarness.epoch + 10_000)
    }

    /// Its role can change nothing. A service with the same clock has a vote.
    @Test(arguments: [(Role.display, false), (.service, true)])
    func theClockOfADisplayHasNoVote(role: Role, hasVote: Bool) {
        var rig = EngineHarness(wallBound: nil)
        rig.linkUp()
        rig.meet("attic", Self.rogue, role: role)
        rig.pass(10_000)
        #expect((rig.groupTime == rig.wall) != hasVote)
        #expect(rig.pings.isEmpty != hasVote)
        rig.hear(ExchangeTests.pong(of: rig, clock: Self.rogue), from: "attic")
        rig.hear(
            .ping(Ping(connection: token("c-9"), sent: 77, at: Self.rogue.time(at: rig.boot)), to: rig.node),
            from: "attic")
        rig.pass(10_000)
        #expect((rig.groupTime == rig.wall) != hasVote)
        #expect(rig.pings.isEmpty != hasVote)
    }

    /// The ledger learns that the date may be wrong.
    @Test func recordsAreApproximateWhileVouchedClocksContradict() {
        var rig = Self.synchronised()
        #expect(rig.records.last?.isApproximate == false)
        rig.meet("attic", Self.rogue)
        rig.pass(1_000)
        rig.press(.pause)
        #expect(rig.records.last?.isApproximate == true)
        rig.meet("attic", PeerClock(), connection: "attic-2")
        #expect(!rig.engine.isContradicted(by: id("attic")))
        rig.start("focus 10m", id: "S2")
        #expect(rig.records.last?.isApproximate == false)
    }

    /// The node's own clock is one of those that contradict each other.
    @Test func recordOfAStartIsApproximateWhileVouchedClocksContradict() {
        var rig = Self.synchronised()
        rig.meet("attic", Self.rogue)
        rig.pass(1_000)
        rig.start("focus 10m", id: "S2")
        let said = rig.records.filter { $0.id == token("S2") }
        #expect(!said.isEmpty)
        #expect(said.count(where: \.isApproximate) == said.count)
    }

    /// An unsynchronised clock or an offline node does not make a synchronised clock doubtful.
    @Test func unvouchedOrOfflineClockLeavesRecordsExact() {
        var unvouched = Self.rogue
        unvouched.quality = ClockQuality(synced: false)
        var rig = Self.synchronised()
        rig.meet("attic", unvouched)
        rig.pass(1_000)
        rig.start("focus 10m", id: "S2")
        #expect(rig.engine.isContradicted(by: id("attic")))
        #expect(rig.records.last?.isApproximate == false)
        var late = Self.synchronised()
        late.meet("attic", Self.rogue)
        var gone = presence("attic-1")
        gone.online = false
        late.hear(.presence(gone), from: "attic")
        let ping = Ping(connection: token("attic-1"), sent: 5, at: Self.rogue.time(at: late.boot))
        late.hear(.ping(ping, to: late.node), from: "attic")
        late.start("focus 10m", id: "S2")
        #expect(late.engine.isContradicted(by: id("attic")))
        #expect(late.records.last?.isApproximate == false)
    }

    /// An outvoted clock does not tell group time, so its bound does not apply.
    @Test func outvotedClockStatesNoBound() throws {
        var rig = Self.synchronised(skew: 3_600_000)
        for node in ["attic", "cellar", "kitchen"] { rig.meet(node) }
        rig.pass(10_000)
        rig.start("focus 10m", id: "S2")
        #expect(try #require(rig.own).anchor.bound == nil)
        #expect(rig.records.last?.id == token("S2"))
        #expect(rig.records.last?.isApproximate == true)
    }

    @Test func offlineNodeContradictsNoClock() {
        var rig = Self.synchronised()
        rig.meet("attic", Self.rogue)
        var gone = presence("attic-1")
        gone.online = false
        rig.hear(.presence(gone), from: "attic")
        #expect(!rig.engine.isContradicted(by: id("attic")))
    }

    @Test func threeAgreeingClocksOutvoteAVouchedOne() throws {
        let hour: Int64 = 3_600_000
        var rig = Self.synchronised(skew: hour)
        for node in ["attic", "cellar"] { rig.meet(node) }
        rig.pass(10_000)
        #expect(rig.groupTime == rig.wall)
        rig.meet("kitchen")
        rig.pass(10_000)
        #expect(rig.groupTime == EngineHarness.epoch + 20_000)
        #expect(rig.presences.last?.clock == ClockQuality(synced: true, bound: 5, isWrong: true))
        // The date was synchronised and stays; the stamp is renewed, since no node would admit it.
        #expect(rig.own?.startedAt == EngineHarness.epoch + hour)
        #expect(rig.own?.stamp.time == EngineHarness.epoch)
        #expect(rig.own?.rev == 2)
        var gone = presence("cellar-1")
        gone.online = false
        rig.hear(.presence(gone), from: "cellar")
        #expect(rig.groupTime == rig.wall)
        #expect(rig.own?.rev == 2)
        rig.hear(.presence(presence("cellar-2")), from: "cellar", retained: true)
        #expect(rig.groupTime == rig.wall, "an answer from before it went offline has no vote")
    }

    /// Its answer was in flight when it went offline.
    @Test func answerOfAnOfflineNodeHasNoVote() throws {
        let hour: Int64 = 3_600_000
        var rig = Self.synchronised(skew: hour)
        for node in ["attic", "cellar", "kitchen"] { rig.meet(node) }
        rig.pass(10_000)
        #expect(rig.groupTime == rig.wall - hour)
        var gone = presence("cellar-1")
        gone.online = false
        rig.hear(.presence(gone), from: "cellar")
        let ping = Ping(connection: try #require(rig.engine.link.connection), sent: rig.boot - 1, at: rig.wall)
        rig.hear(.pong(PeerClock().pong(to: ping, at: rig.boot), to: rig.node), from: "cellar")
        #expect(rig.groupTime == rig.wall)
    }

    /// Three clocks that contradict each other, and three of which one agrees with the node.
    @Test func disagreeingClocksOutvoteNoClock() {
        let lead = EngineHarness.epoch - 1_000_000
        for leads in [[lead - 100_000, lead - 50_000, lead - 20_000], [lead - 50_000, lead - 50_000, lead]] {
            var rig = Self.synchronised()
            for (node, lead) in zip(["attic", "cellar", "kitchen"], leads) { rig.meet(node, PeerClock(wallLead: lead)) }
            rig.pass(10_000)
            #expect(rig.groupTime == rig.wall)
            #expect(rig.own?.rev == 1)
        }
    }

    /// A node without a plausible clock and two nodes that contradict each other have no majority.
    @Test func dateIsAGuessUntilAMajorityAgrees() throws {
        var rig = EngineHarness(wall: 5_000, wallBound: nil)
        rig.linkUp()
        rig.meet("attic", Self.rogue)
        rig.meet("cellar")
        rig.start("focus 25m")
        #expect(rig.own?.startedAt == EngineHarness.epoch)
        #expect(rig.journal?.isGuess == true, "of two it follows the earlier")
        rig.pass(10_000)
        #expect(rig.journal?.isGuess == true)
        rig.meet("kitchen")
        #expect(rig.own?.startedAt == EngineHarness.epoch)
        #expect(rig.journal?.isGuess == false)
    }

    /// A plausible own clock selects the nearer of two.
    @Test func ownClockDecidesBetweenTwo() {
        for (skew, expected) in [(Int64(3_600_000), EngineHarness.epoch), (500_000_000_000, 2_340_000_000_000)] {
            var rig = EngineHarness(wall: EngineHarness.epoch + skew, wallBound: nil)
            rig.linkUp()
            rig.meet("attic", Self.rogue)
            rig.meet("cellar")
            #expect(rig.groupTime == expected, "\(skew)")
        }
    }

    /// A date from a synchronised clock is final.
    @Test func sessionIsMovedToAVouchedTimeOnce() throws {
        var rig = EngineHarness(wall: 5_000, wallBound: nil)
        rig.linkUp()
        rig.start("focus 25m")
        rig.meet("cellar")
        let dated = try #require(rig.own)
        #expect(dated.startedAt == EngineHarness.epoch)
        #expect(dated.rev == 2)
        #expect(rig.journal?.isGuess == false)
        rig.meet("attic", PeerClock(wallLead: EngineHarness.epoch - 1_000_000 - 60_000))
        rig.meet("kitchen", PeerClock(wallLead: EngineHarness.epoch - 1_000_000 - 60_000))
        rig.pass(10_000)
        #expect(rig.groupTime == EngineHarness.epoch - 50_000)
        #expect(rig.own?.startedAt == EngineHarness.epoch)
        // Its own clock is synchronised to another time.
        rig.wall = EngineHarness.epoch + 30_000
        rig.wallBound = 5
        rig.send(.wake)
        #expect(rig.groupTime == rig.wall)
        #expect(rig.own?.startedAt == EngineHarness.epoch)
    }

    /// A node whose time changes with every message is polled every five seconds at most.
    @Test func lyingClockCausesABoundedNumberOfPings() {
        var rig = Self.synchronised()
        rig.meet("attic", Self.rogue)
        rig.pass(10_000)
        let before = rig.pings.count
        for step in 0..<100 {
            let time = 2_000_000_000_000 + Int64(step) * 1_000_000_000
            rig.hear(.ping(Ping(connection: token("attic-1"), sent: 5, at: time), to: rig.node), from: "attic")
            rig.pass(100)
        }
        #expect(rig.pings.count - before <= 3 * 8)
        #expect(rig.groupTime == rig.wall)
    }
}
