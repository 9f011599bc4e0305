// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Session

/// What a node does where kernels vouch for clocks that cannot all be right, its own among them.
@Suite struct ContestedTimeTests {
    static let hour: Int64 = 3_600_000

    /// Of a node whose pongs take a while.
    static let slow = PeerClock(there: 100, back: 100)

    /// A node with a clock that is an hour behind, on a space where `attic` and `kitchen` have another.
    static func behind(journal: Journal? = nil, boot: Int64 = 1_000_000) -> Rig {
        Rig(boot: boot, wall: Rig.epoch + boot - 1_000_000 - hour, journal: journal)
    }

    /// Somebody has another time, and the clocks are not compared yet.
    @Test func whatIsBegunInDoubtIsDated() throws {
        var rig = Self.behind()
        rig.linkUp()
        rig.meet("attic", Self.slow)
        rig.meet("kitchen", Self.slow)
        rig.start("focus 25m")
        #expect(rig.own?.startedAt == Rig.epoch - Self.hour && rig.journal?.undated == [token("S1")])
        rig.pass(2_000)
        rig.press(.stop)
        rig.pass(60_000)
        #expect(rig.own?.startedAt == Rig.epoch)
        #expect(rig.own?.runs == [Run(phase: 0, from: Rig.epoch, to: Rig.epoch + 2_000)])
    }

    /// Where the clocks turn out to agree, it is a session like all others.
    @Test func aDoubtThatIsSettled() {
        var rig = Rig()
        rig.linkUp()
        rig.meet("attic", PeerClock(groupLead: Rig.epoch - 1_000_000 - Self.hour, there: 100, back: 100))
        rig.start("focus 25m")
        #expect(rig.journal?.undated == [token("S1")])
        rig.pass(1_000)
        #expect(rig.own?.rev == 1 && rig.journal?.undated == [])
    }

    /// Whoever has another time is gone before it is asked, and nobody who is left can tell.
    @Test func aDoubtThatNobodySettles() {
        var rig = Self.behind()
        rig.linkUp()
        var kitchen = presence("kitchen-1")
        kitchen.at = Rig.epoch
        rig.hear(.presence(kitchen), from: "kitchen")
        rig.start("focus 25m")
        kitchen.online = false
        rig.hear(.presence(kitchen), from: "kitchen")
        rig.meet("attic", PeerClock(wallLead: 0, groupLead: rig.groupTime - rig.boot))
        rig.pass(10_000)
        #expect(rig.own?.startedAt == Rig.epoch - Self.hour && rig.journal?.undated == [token("S1")])
        rig.meet("kitchen", PeerClock())
        rig.pass(10_000)
        #expect(rig.own?.startedAt == Rig.epoch && rig.journal?.undated == [token("S1")])
    }

    /// A clock of its own that tells 1970 has it go by the first that answers.
    @Test func whatIsBegunByOneOtherInDoubtIsDated() {
        var rig = Rig(wall: 5_000)
        rig.linkUp()
        rig.meet("kitchen", Self.slow)
        rig.meet("attic", PeerClock(wallLead: Rig.epoch - 1_000_000 - Self.hour))
        rig.start("focus 25m")
        #expect(rig.own?.startedAt == Rig.epoch - Self.hour && rig.journal?.undated == [token("S1")])
        rig.pass(10_000)
        #expect(rig.own?.startedAt == Rig.epoch)
    }

    /// A program that is started anew has forgotten what the others' clocks say. What it stamps by its own alone goes back
    /// to its place when they are heard, and follows them while nobody knows which are right.
    @Test func whatARestartStampsByItsOwnKernelAloneIsPutRight() throws {
        var old = Self.behind()
        old.linkUp()
        old.meet("attic")
        old.meet("kitchen")
        old.start("focus 25m")
        let began = try #require(old.own)
        #expect(began.startedAt == Rig.epoch)
        old.pass(60_000)
        var rig = Self.behind(journal: old.journal, boot: old.boot)
        #expect(rig.own?.startedAt == Rig.epoch - Self.hour && rig.journal?.undated == [began.id])
        rig.linkUp()
        rig.meet("attic")
        rig.meet("kitchen")
        rig.pass(10_000)
        #expect(rig.own?.startedAt == Rig.epoch && rig.own?.runs == began.runs && rig.own?.stamp.time == Rig.epoch)
        #expect(rig.journal?.undated == [began.id])
    }

    /// What the clocks of others have told stays, whoever has another time: it was not the word of one kernel.
    @Test func whatIsBegunByTheClocksOfOthersIsDated() {
        var rig = Self.behind()
        rig.linkUp()
        rig.meet("attic")
        rig.meet("kitchen")
        rig.meet("cellar", PeerClock(groupLead: Rig.epoch - 1_000_000 - Self.hour, there: 100, back: 100))
        rig.start("focus 25m")
        #expect(rig.own?.startedAt == Rig.epoch && rig.journal?.undated == [])
    }

    /// That a kernel vouches for a clock in 1970 says nothing of the one that group time is taken from.
    @Test func anImplausibleClockDoesNotHurryAnything() throws {
        var old = Rig(wall: 5_000)
        old.linkUp()
        old.meet("kitchen")
        old.start("focus 25m")
        let began = try #require(old.own)
        old.pass(60_000)
        var rig = Rig(boot: old.boot, wall: old.wall, journal: old.journal)
        rig.linkUp()
        rig.meet("kitchen", Self.slow)
        rig.meet("attic", PeerClock(wallLead: Rig.epoch - 1_000_000 - Self.hour))
        #expect(rig.groupTime == rig.boot + Rig.epoch - 1_000_000 - Self.hour && rig.own == began)
        rig.pass(10_000)
        #expect(rig.groupTime == rig.boot + Rig.epoch - 1_000_000 && rig.own == began)
    }
}
