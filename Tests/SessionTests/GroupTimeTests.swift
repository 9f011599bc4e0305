// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Session

/// What a node does when group time turns out to be another one.
@Suite struct GroupTimeTests {
    static let hour: Int64 = 3_600_000

    /// A node whose wall clock is wrong by `skew` and was never set, alone with its session, and then `kitchen` comes.
    static func corrected(skew: Int64, runs: Int64 = 60_000, meeting clock: PeerClock = PeerClock()) -> Rig {
        var rig = Rig(wall: Rig.epoch + skew, wallBound: nil)
        rig.linkUp()
        rig.start("focus 25m, shortBreak 5m", id: "S1")
        rig.pass(runs)
        rig.published = []
        rig.meet("kitchen", clock)
        return rig
    }

    @Test func aClockThatIsAheadIsPutRight() throws {
        let rig = Self.corrected(skew: Self.hour)
        #expect(rig.groupTime == Rig.epoch + 60_000 && rig.notes.contains(.clockCorrected(by: -Self.hour)))
        // Nobody would admit the stamp that it had: the session is stamped with its true start.
        let own = try #require(rig.own)
        #expect(own.stamp == Stamp(time: Rig.epoch, counter: 0, node: id("desk")) && own.rev == 2)
        #expect(own.startedAt == Rig.epoch && own.runs == [Run(phase: 0, from: Rig.epoch)])
        #expect(own.anchor.at == Rig.epoch && own.anchor.boot == 1_000_000)
        #expect(rig.notes.contains(.stampedAnew(own.id, from: Rig.epoch + Self.hour, to: Rig.epoch)))
        #expect(rig.registers == [own] && rig.journal?.own == own)
        #expect(rig.moment?.elapsed == 60_000 && rig.engine.view.isOwner, "no countdown is moved by it")
    }

    /// The mark that the wrong clock left does not hold the next start above everybody's.
    @Test func theMarkComesDownWithIt() {
        var rig = Self.corrected(skew: Self.hour)
        #expect(rig.journal?.mark == HybridClock(time: Rig.epoch))
        rig.start("focus 1m", id: "S2")
        #expect(rig.own?.stamp.time == Rig.epoch + 60_000)
    }

    /// What a kernel has vouched for is not moved by the clocks of two others.
    @Test(arguments: [-hour, -6_000, 0, 6_000, hour]) func aVouchedClockIsKeptAgainstTwo(skew: Int64) {
        var rig = Rig(wall: Rig.epoch + skew)
        rig.linkUp()
        rig.start("focus 25m")
        rig.meet("attic")
        rig.meet("kitchen")
        rig.pass(10_000)
        #expect(rig.groupTime == rig.wall && rig.journal?.isGuess == false)
        #expect(rig.own?.stamp.time == Rig.epoch + skew && rig.own?.rev == 1)
    }

    /// One for whose times nobody vouched is dated when somebody does. Its place among the starts it does not lose.
    @Test(arguments: [-hour, -5_000, 5_000, Limits.stampLead]) func whatNobodyVouchedForIsDated(skew: Int64) throws {
        let rig = Self.corrected(skew: skew)
        let own = try #require(rig.own)
        #expect(own.startedAt == Rig.epoch && own.runs == [Run(phase: 0, from: Rig.epoch)] && own.rev == 2)
        #expect(own.stamp.time == Rig.epoch + max(skew, 0) && rig.registers == [own])
        #expect(rig.journal?.own == own && rig.journal?.isGuess == false)
    }

    /// A node that goes by the clock of `kitchen`, its own being an hour behind, with its session; then its program is
    /// started anew.
    static func restarted() -> Rig {
        var old = Rig(wall: Rig.epoch - hour, wallBound: nil)
        old.linkUp()
        old.meet("kitchen")
        old.start("focus 25m")
        old.pass(60_000)
        return Rig(boot: old.boot, wall: old.wall, wallBound: nil, journal: old.journal)
    }

    static let alsoBehind = PeerClock(wallLead: Rig.epoch - 1_000_000 - hour, quality: ClockQuality(synced: false))

    /// While the only right clock is away, nobody admits its stamp. That is made again, and its dates stay.
    @Test func finalDateStaysWhereTheStampIsNotAdmitted() throws {
        var rig = Self.restarted()
        let began = try #require(rig.own)
        rig.linkUp()
        rig.meet("attic", Self.alsoBehind)
        #expect(rig.own?.startedAt == Rig.epoch && rig.own?.stamp.time == Rig.epoch - Self.hour)
        rig.pass(60_000)
        rig.meet("kitchen")
        #expect(rig.own?.startedAt == Rig.epoch && rig.own?.anchor == began.anchor && rig.own?.runs == began.runs)
        #expect(rig.own?.rev == began.rev + 1 && rig.journal?.isApproximate == true)
    }

    /// A broker that hands out nothing does not say who is there: the first one heard of is not all.
    @Test func whoIsThereIsWaitedForWhereTheBrokerDoesNotSay() throws {
        var rig = Self.restarted()
        let began = rig.own
        rig.echoes = false
        rig.linkUp()
        rig.meet("attic", Self.alsoBehind)
        rig.pass(1_000)
        rig.meet("kitchen")
        rig.pass(10_000)
        #expect(rig.own == began && rig.groupTime == Rig.epoch + 71_000)
        // Where nobody else is there, nobody is waited for without end.
        var lonely = Self.restarted()
        lonely.echoes = false
        lonely.linkUp()
        lonely.meet("attic", Self.alsoBehind)
        lonely.pass(2_999)
        #expect(lonely.own == began)
        lonely.pass(1)
        #expect(lonely.own?.stamp.time == Rig.epoch - Self.hour)
    }

    /// What was told before a reboot is not put right by how wrong the clock is after it.
    @Test(arguments: [-hour, hour], [false, true]) func aRebootWithAnotherClock(skew: Int64, isPaused: Bool) throws {
        var old = Rig(wallBound: nil)
        old.linkUp()
        old.start("focus 5h")
        if isPaused { old.press(.pause) }
        var new = Rig(bootID: "boot-2", boot: 20_000, wall: Rig.epoch + skew, wallBound: nil, journal: old.journal)
        new.linkUp()
        new.meet("kitchen", PeerClock(wallLead: Rig.epoch + 40_000 - new.boot))
        #expect(new.groupTime == Rig.epoch + 40_000 && new.own?.startedAt == Rig.epoch)
        #expect(new.own?.runs.first?.from == Rig.epoch && new.own?.stamp.time == Rig.epoch)
    }

    @Test func whatWasPausedAndRunMovesAsOne() throws {
        var rig = Rig(wall: Rig.epoch + Self.hour, wallBound: nil)
        rig.linkUp()
        rig.start("focus 25m")
        rig.pass(60_000)
        rig.press(.pause)
        rig.pass(30_000)
        rig.press(.resume)
        rig.pass(10_000)
        rig.meet("kitchen")
        let own = try #require(rig.own)
        let first = Run(phase: 0, from: Rig.epoch, to: Rig.epoch + 60_000)
        #expect(own.runs == [first, Run(phase: 0, from: Rig.epoch + 90_000)] && own.flaw == nil)
        #expect(own.startedAt == Rig.epoch && own.stamp.time == Rig.epoch && rig.moment?.elapsed == 70_000)
    }

    /// A continuation is stamped anew with the takeover, not with the start that it inherited: what was started in
    /// between elsewhere was started before it.
    @Test func aTakeoverByAWrongClockKeepsItsPlace() throws {
        var rig = Rig(wall: Rig.epoch + Self.hour, wallBound: nil)
        rig.linkUp()
        rig.hear(.presence(presence("k1", online: false)), from: "kitchen", retained: true)
        rig.hear(.register(peerRegister(plan: "focus 5h")), from: "kitchen", retained: true)
        rig.pass(60_000)
        #expect(outcome(rig.press(.pause)) == .applied)
        #expect(rig.journal?.isApproximate == true, "its minutes are counted by date")
        rig.pass(1_000)
        rig.meet("attic")
        let own = try #require(rig.own)
        #expect(own.flaw == nil && HeldRegister.admits(own.stamp, groupTime: rig.groupTime))
        #expect(own.continues?.at == Rig.epoch + 60_000)
        #expect(own.stamp.time == Rig.epoch + 60_000)
        #expect(own.startedAt == Rig.epoch && own.runs.map(\.to) == [Rig.epoch + 60_000])
    }

    /// The boot clocks were compared, so the minutes are known, whatever the wall clocks say.
    @Test(arguments: [hour, 20_000], [Session.Operation.extend(seconds: 60), .pause])
    func aTakeoverByAWrongClockKeepsItsMinutes(skew: Int64, press: Session.Operation) throws {
        var rig = Rig(wall: Rig.epoch + skew, wallBound: nil)
        rig.linkUp()
        rig.meet("kitchen", PeerClock(quality: ClockQuality(synced: false)))
        rig.hear(.register(peerRegister(plan: "focus 5h")), from: "kitchen")
        rig.pass(60_000)
        rig.hear(.presence(presence("kitchen-1", online: false)), from: "kitchen")
        #expect(outcome(rig.press(press)) == .applied)
        #expect(rig.journal?.isApproximate == false && rig.own?.runs.first?.from == Rig.epoch + skew)
        rig.meet("attic")
        let own = try #require(rig.own)
        #expect(own.flaw == nil && own.continues?.at == Rig.epoch + 60_000 && own.startedAt == Rig.epoch)
        #expect(own.runs == [Run(phase: 0, from: Rig.epoch, to: press == .pause ? Rig.epoch + 60_000 : nil)])
    }

    // MARK: 1970

    /// A Pi without a battery clock starts; it wins with a later start, and loses with an earlier one.
    @Test(arguments: [(Int64(-30_000), Status.running), (30_000, .superseded)])
    func aNodeIn1970HasItsPlaceAmongTheStarts(kitchen: Int64, status: Status) throws {
        var rig = Rig(wall: 5_000, wallBound: nil)
        rig.linkUp()
        rig.start("focus 25m")
        #expect(rig.engine.view.isOwner && rig.own?.stamp.time == Limits.earliestStamp)
        rig.send(.linkDown)
        rig.start("focus 25m", id: "S2")
        rig.pass(60_000)
        rig.clocks[.kitchen] = PeerClock()
        ProvisionalTests.rejoin(&rig, peerRegister(at: Rig.epoch + kitchen))
        #expect(rig.own?.stamp.time == Rig.epoch && rig.own?.status == status)
        #expect(rig.engine.view.isOwner == (status == .running))
        // Whoever starts now, there or here, is the last.
        rig.start("focus 10m", id: "S3")
        #expect(rig.engine.view.register?.id == token("S3") && rig.own?.stamp.time == Rig.epoch + 60_000)
    }

    /// Its times were a guess, so they are put right, whoever has seen them meanwhile, and although everybody would admit
    /// such a stamp.
    @Test func aSessionBegunIn1970IsDated() throws {
        var rig = Rig(wall: 5_000, wallBound: nil)
        rig.linkUp()
        rig.start("focus 25m")
        #expect(rig.own?.startedAt == Limits.earliestStamp && rig.journal?.isGuess == true)
        rig.pass(30_000)
        rig.press(.pause)
        rig.pass(30_000)
        rig.meet("kitchen")
        let own = try #require(rig.own)
        #expect(own.startedAt == Rig.epoch && own.stamp.time == Rig.epoch && own.anchor.at == Rig.epoch + 30_000)
        #expect(own.runs == [Run(phase: 0, from: Rig.epoch, to: Rig.epoch + 30_000)])
        #expect(rig.registers.last == own && rig.journal?.own == own && rig.journal?.isGuess == false)
        #expect(rig.moment?.elapsed == 30_000)
    }

    /// Set by hand first and wrongly, and by the others' clocks then; and by a clock that begins to be right by itself.
    @Test(arguments: [-hour, 0, hour]) func guessIsMovedUntilATimeIsVouchedFor(skew: Int64) throws {
        var rig = Rig(wall: 5_000, wallBound: nil)
        rig.linkUp()
        rig.start("focus 25m")
        rig.pass(60_000)
        rig.wall = Rig.epoch + 60_000 + skew
        rig.send(.wake)
        #expect(rig.own?.startedAt == Rig.epoch + skew && rig.journal?.isGuess == true)
        rig.pass(60_000)
        rig.meet("kitchen")
        #expect(rig.own?.startedAt == Rig.epoch && rig.journal?.isGuess == false)
        rig.start("focus 25m", id: "S2")
        #expect(rig.journal?.isGuess == false)
    }

    /// A restart of the program in between forgets nothing of it.
    @Test func aRestartDoesNotDateIt() throws {
        var old = Rig(wall: 5_000, wallBound: nil)
        old.linkUp()
        old.start("focus 25m")
        old.pass(60_000)
        var new = Rig(boot: old.boot, wall: old.wall, wallBound: nil, journal: old.journal)
        new.linkUp()
        new.pass(60_000)
        new.meet("kitchen", PeerClock(wallLead: Rig.epoch - 1_000_000))
        #expect(new.own?.startedAt == Rig.epoch && new.journal?.isGuess == false)
    }

    /// A session that is gone back to may have begun in a boot before: its times are told anew like those of any other.
    @Test func anEarlierSessionIsDatedAfterAReboot() throws {
        var old = Rig(wall: 5_000, wallBound: nil)
        old.linkUp()
        old.start("focus 25m")
        old.send(.linkDown)
        old.start("focus 25m", id: "S2")
        old.press(.stop)
        old.pass(10_000)
        var rig = Rig(bootID: "boot-2", boot: 20_000, wall: 20_000, wallBound: nil, journal: old.journal)
        rig.linkUp()
        #expect(rig.own?.id == token("S1") && rig.own?.anchor.bootID == token("boot-2"))
        rig.pass(60_000)
        rig.meet("kitchen", PeerClock(wallLead: Rig.epoch + 90_000 - rig.boot))
        let own = try #require(rig.own)
        #expect(abs(own.startedAt - Rig.epoch) < 60_000 && own.flaw == nil && rig.journal?.isGuess == false)
    }

    /// Whoever has ended keeps its place among the starts: an old session does not come back as the latest.
    @Test(arguments: [Session.Operation.stop, .pause]) func whatHasEndedKeepsItsStamp(press: Session.Operation) throws {
        var rig = Rig(wall: 5_000, wallBound: nil)
        rig.linkUp()
        rig.start("focus 25m")
        rig.pass(60_000)
        rig.press(press)
        let before = try #require(rig.own)
        rig.meet("kitchen")
        let own = try #require(rig.own)
        #expect(own.startedAt == Rig.epoch && own.runs.first?.to == Rig.epoch + 60_000)
        #expect((own.stamp == before.stamp) == (press == .stop))
    }

    /// The same two nodes, both as engines: what one says of its start the other admits.
    @Test func theOthersAdmitWhatANodeIn1970Starts() throws {
        var pi = Rig("pi", bootID: "boot-pi", wall: 5_000, wallBound: nil)
        pi.linkUp()
        pi.meet("kitchen")
        pi.start("focus 25m")
        var kitchen = Rig("kitchen", bootID: "boot-p", boot: 5_000_000)
        kitchen.linkUp()
        kitchen.start("focus 10m", id: "K1")
        kitchen.pass(1_000)
        pi.pass(2_000)
        pi.start("focus 5m", id: "S2")
        kitchen.pass(1_000)
        kitchen.hear(.register(try #require(pi.own)), from: "pi")
        #expect(kitchen.engine.view.register?.id == token("S2") && kitchen.own?.status == .superseded)
        #expect(
            kitchen.moment?.elapsed == 0
                && kitchen.notes.contains { if case .clockWrong = $0 { true } else { false } } == false)
    }

    // MARK: Saying so

    @Test func presenceSaysThatTheClockIsWrong() throws {
        var rig = Self.corrected(skew: Self.hour)
        #expect(rig.presences.map(\.clock) == [ClockQuality(synced: false, isWrong: true)])
        #expect(rig.presences.last?.at == rig.groupTime)
        // Somebody sets it.
        rig.published = []
        rig.wall -= Self.hour
        rig.send(.wake)
        #expect(rig.presences.map(\.clock) == [ClockQuality(synced: false)])
        #expect(rig.groupTime == rig.wall && rig.own?.rev == 2, "and nothing else changes")
    }

    @Test func tenSecondsAreNotWrongYet() {
        for (skew, isWrong) in [(Limits.stampLead, false), (Limits.stampLead + 1, true), (-Limits.stampLead - 1, true)]
        {
            let rig = Self.corrected(skew: skew)
            let presence = rig.engine.presence(at: rig.now, connection: token("c"), online: true)
            #expect(presence.clock.isWrong == isWrong, "\(skew)")
        }
    }

    // MARK: Comparing again

    /// A time that contradicts this one is a reason to compare clocks.
    @Test func nodeAsksTheOneThatContradictsIt() {
        for (differs, expected) in [(10_000, 0), (10_001, 8), (-10_001, 8)] as [(Int64, Int)] {
            var rig = Rig()
            rig.linkUp()
            rig.meet("attic")
            rig.pass(1_000)
            var said = presence("k1")
            said.at = rig.groupTime + differs
            rig.hear(.presence(said), from: "kitchen")
            rig.pass(1_000)
            #expect(rig.pings.count { $0.to == .kitchen } == expected, "\(differs)")
        }
    }

    /// Told that its stamp is not admitted, a node compares clocks; it does not simply believe.
    @Test func anObjectionIsLookedInto() {
        let objection = Message.ack(.clock(node: id("desk"), session: token("S1"), at: Rig.epoch - Self.hour))
        var right = Rig()
        right.linkUp()
        right.start("focus 25m")
        right.meet("attic")
        right.meet(
            "kitchen", PeerClock(wallLead: Rig.epoch - 1_000_000 - Self.hour, quality: ClockQuality(synced: false)))
        right.pass(10_000)
        let own = right.own
        right.hear(objection, from: "kitchen")
        right.pass(10_000)
        #expect(right.own == own && right.groupTime == right.wall)
        var wrong = Rig(wall: Rig.epoch + Self.hour, wallBound: nil)
        wrong.linkUp()
        wrong.start("focus 25m")
        wrong.hear(.presence(presence("k1")), from: "kitchen", retained: true)
        wrong.pass(60_000)
        wrong.clocks[.kitchen] = PeerClock()
        wrong.hear(.ack(.clock(node: id("desk"), session: token("S1"), at: Rig.epoch)), from: "kitchen")
        wrong.pass(1_000)
        #expect(wrong.own?.stamp.time == Rig.epoch)
    }

    /// A register of the future that a wrong clock of this node kept out is admitted when the clock is put right.
    @Test func whatAWrongClockKeptOutIsLetIn() {
        var rig = Rig(wall: Rig.epoch - Self.hour, wallBound: nil)
        rig.linkUp()
        rig.hear(.register(peerRegister()), from: "kitchen")
        #expect(rig.engine.view.register == nil)
        rig.meet("kitchen")
        #expect(rig.engine.view.register?.id == token("P1") && rig.moment?.elapsed == 0)
        #expect(rig.journal?.mark == HybridClock(time: Rig.epoch), "and a start here would beat it")
    }

    /// What a reboot has left in the journal is known to be earlier than now, whatever the wall clock says.
    @Test func afterARebootIn1970TimeGoesOnFromTheMark() throws {
        var old = Rig()
        old.linkUp()
        old.hear(.register(peerRegister(at: Rig.epoch + 5_000)), from: "kitchen")
        var new = Rig(bootID: "boot-2", boot: 20_000, wall: 20_000, wallBound: nil, journal: old.journal)
        #expect(new.groupTime == Rig.epoch + 5_000)
        new.pass(60_000)
        new.start("focus 25m")
        #expect(new.own?.stamp.time == Rig.epoch + 65_000)
    }
}
