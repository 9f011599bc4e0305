// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Session

/// What a node does where kernels vouch for clocks that cannot all be right.
@Suite struct ContestedTimeTests {
    /// A clock that is vouched for and says 2044.
    static let rogue = PeerClock(wallLead: 2_340_000_000_000 - 1_000_000)

    /// A node whose kernel vouches for its clock, right or wrong, with its session.
    static func synchronised(skew: Int64 = 0) -> Rig {
        var rig = Rig(wall: Rig.epoch + skew)
        rig.linkUp()
        rig.start("focus 25m")
        return rig
    }

    @Test func oneRogueClockMovesNoHonestNode() {
        var rig = Self.synchronised()
        rig.meet("attic", Self.rogue)
        rig.pass(10_000)
        #expect(rig.groupTime == rig.wall && rig.own?.startedAt == Rig.epoch && rig.own?.rev == 1)
        #expect(rig.engine.isContradicted(by: id("attic")))
        rig.start("focus 10m", id: "S2")
        #expect(rig.own?.stamp.time == Rig.epoch + 10_000 && rig.own?.startedAt == Rig.epoch + 10_000)
    }

    /// The ledger's records say that the date may be wrong.
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

    /// Its own clock is one of those that contradict each other, from its first record on.
    @Test func recordOfAStartIsApproximateWhileVouchedClocksContradict() {
        var rig = Self.synchronised()
        rig.meet("attic", Self.rogue)
        rig.pass(1_000)
        rig.start("focus 10m", id: "S2")
        let said = rig.records.filter { $0.id == token("S2") }
        #expect(!said.isEmpty && said.count(where: \.isApproximate) == said.count)
    }

    /// What nobody vouches for, or whoever is gone, is no reason to doubt a clock that is vouched for.
    @Test func recordIsExactWhereOnlyAnUnvouchedClockOrAGoneOneContradicts() {
        var unvouched = Self.rogue
        unvouched.quality = ClockQuality(synced: false)
        var rig = Self.synchronised()
        rig.meet("attic", unvouched)
        rig.pass(1_000)
        rig.start("focus 10m", id: "S2")
        #expect(rig.engine.isContradicted(by: id("attic")) && rig.records.last?.isApproximate == false)
        var late = Self.synchronised()
        late.meet("attic", Self.rogue)
        var gone = presence("attic-1")
        gone.online = false
        late.hear(.presence(gone), from: "attic")
        let ping = Ping(connection: token("attic-1"), sent: 5, at: Self.rogue.time(at: late.boot))
        late.hear(.ping(ping, to: late.node), from: "attic")
        late.start("focus 10m", id: "S2")
        #expect(late.engine.isContradicted(by: id("attic")) && late.records.last?.isApproximate == false)
    }

    /// Nobody vouches for the own clock's bound where it does not tell the time, and the records say so.
    @Test func outvotedClockTellsNoBound() throws {
        var rig = Self.synchronised(skew: 3_600_000)
        for node in ["attic", "cellar", "kitchen"] { rig.meet(node) }
        rig.pass(10_000)
        rig.start("focus 10m", id: "S2")
        #expect(try #require(rig.own).anchor.bound == nil)
        #expect(rig.records.last?.id == token("S2") && rig.records.last?.isApproximate == true)
    }

    /// A node that is gone is a reason for nobody to look after its clock.
    @Test func nodeThatIsGoneContradictsNobody() {
        var rig = Self.synchronised()
        rig.meet("attic", Self.rogue)
        var gone = presence("attic-1")
        gone.online = false
        rig.hear(.presence(gone), from: "attic")
        #expect(!rig.engine.isContradicted(by: id("attic")))
    }

    @Test func threeThatAgreeOutvoteAVouchedClockUntilTheyAreGone() throws {
        let hour: Int64 = 3_600_000
        var rig = Self.synchronised(skew: hour)
        for node in ["attic", "cellar"] { rig.meet(node) }
        rig.pass(10_000)
        #expect(rig.groupTime == rig.wall)
        rig.meet("kitchen")
        rig.pass(10_000)
        #expect(rig.groupTime == Rig.epoch + 20_000)
        #expect(rig.presences.last?.clock == ClockQuality(synced: true, bound: 5, isWrong: true))
        // The date was vouched for and stays; the stamp is made again, since nobody would admit it.
        #expect(rig.own?.startedAt == Rig.epoch + hour && rig.own?.stamp.time == Rig.epoch && rig.own?.rev == 2)
        var gone = presence("cellar-1")
        gone.online = false
        rig.hear(.presence(gone), from: "cellar")
        #expect(rig.groupTime == rig.wall && rig.own?.rev == 2)
        rig.hear(.presence(presence("cellar-2")), from: "cellar", retained: true)
        #expect(rig.groupTime == rig.wall, "an answer from before it was gone has no voice")
    }

    /// Its answer was on its way when it left.
    @Test func answerOfANodeThatIsGoneHasNoVoice() throws {
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

    /// Three that contradict it, but not each other, and three of which one agrees with it.
    @Test func othersThatDoNotAgreeOutvoteNobody() {
        let lead = Rig.epoch - 1_000_000
        for leads in [[lead - 100_000, lead - 50_000, lead - 20_000], [lead - 50_000, lead - 50_000, lead]] {
            var rig = Self.synchronised()
            for (node, lead) in zip(["attic", "cellar", "kitchen"], leads) { rig.meet(node, PeerClock(wallLead: lead)) }
            rig.pass(10_000)
            #expect(rig.groupTime == rig.wall && rig.own?.rev == 1)
        }
    }

    /// A node with no clock of its own, and two others that contradict each other: nobody is a majority.
    @Test func dateIsAGuessUntilAMajorityAgrees() throws {
        var rig = Rig(wall: 5_000, wallBound: nil)
        rig.linkUp()
        rig.meet("attic", Self.rogue)
        rig.meet("cellar")
        rig.start("focus 25m")
        #expect(rig.own?.startedAt == Rig.epoch && rig.journal?.isGuess == true, "of two it takes the earlier")
        rig.pass(10_000)
        #expect(rig.journal?.isGuess == true)
        rig.meet("kitchen")
        #expect(rig.own?.startedAt == Rig.epoch && rig.journal?.isGuess == false)
    }

    /// Where its own clock tells a time that can be, it says which of two is nearer.
    @Test func ownClockDecidesBetweenTwo() {
        for (skew, expected) in [(Int64(3_600_000), Rig.epoch), (500_000_000_000, 2_340_000_000_000)] {
            var rig = Rig(wall: Rig.epoch + skew, wallBound: nil)
            rig.linkUp()
            rig.meet("attic", Self.rogue)
            rig.meet("cellar")
            #expect(rig.groupTime == expected, "\(skew)")
        }
    }

    /// What is dated stays, whatever is vouched for later.
    @Test func sessionIsMovedToAVouchedTimeOnce() throws {
        var rig = Rig(wall: 5_000, wallBound: nil)
        rig.linkUp()
        rig.start("focus 25m")
        rig.meet("cellar")
        let dated = try #require(rig.own)
        #expect(dated.startedAt == Rig.epoch && dated.rev == 2 && rig.journal?.isGuess == false)
        rig.meet("attic", PeerClock(wallLead: Rig.epoch - 1_000_000 - 60_000))
        rig.meet("kitchen", PeerClock(wallLead: Rig.epoch - 1_000_000 - 60_000))
        rig.pass(10_000)
        #expect(rig.groupTime == Rig.epoch - 50_000 && rig.own?.startedAt == Rig.epoch)
        // Its own kernel vouches for another time.
        rig.wall = Rig.epoch + 30_000
        rig.wallBound = 5
        rig.send(.wake)
        #expect(rig.groupTime == rig.wall && rig.own?.startedAt == Rig.epoch)
    }

    /// A node that says another time with every message is compared with at most every five seconds.
    @Test func liarCausesABoundedNumberOfComparisons() {
        var rig = Self.synchronised()
        rig.meet("attic", Self.rogue)
        rig.pass(10_000)
        let before = rig.pings.count
        for step in 0..<100 {
            let time = 2_000_000_000_000 + Int64(step) * 1_000_000_000
            rig.hear(.ping(Ping(connection: token("attic-1"), sent: 5, at: time), to: rig.node), from: "attic")
            rig.pass(100)
        }
        #expect(rig.pings.count - before <= 3 * 8 && rig.groupTime == rig.wall)
    }
}
