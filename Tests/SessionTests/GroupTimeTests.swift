// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Session

/// Corrections of group time, and of the session with it.
@Suite(.timeLimit(.minutes(15))) struct GroupTimeTests {
    static let hour: Milliseconds = 3_600_000

    /// A node with a session and an unsynchronised clock, wrong by `skew`, which then meets `kitchen`.
    static func corrected(skew: Milliseconds, runs: Milliseconds = 60_000, meeting clock: PeerClock = PeerClock())
        -> EngineHarness
    {
        var rig = EngineHarness(telling: EngineHarness.epoch + skew, wallBound: nil).linked()
        rig.start("focus 25m, shortBreak 5m", id: "S1")
        rig.pass(runs)
        rig.published = []
        rig.meet("kitchen", clock)
        return rig
    }

    @Test func clockThatIsAheadIsCorrected() throws {
        let rig = Self.corrected(skew: Self.hour)
        #expect(rig.groupTime == EngineHarness.epoch + 60_000)
        #expect(rig.notes.contains(.clockCorrected(by: -Self.hour)))
        // No node would admit the old stamp: the session is stamped with its true start.
        let own = try #require(rig.own)
        #expect(own.stamp == Stamp(time: EngineHarness.epoch, counter: 0, node: id("desk")))
        #expect(own.rev == 2)
        #expect(own.startedAt == EngineHarness.epoch)
        #expect(own.runs == [Run(phase: 0, from: EngineHarness.epoch)])
        #expect(own.anchor.at == EngineHarness.epoch)
        #expect(own.anchor.boot == 1_000_000)
        #expect(rig.notes.contains(.restamped(own.id, from: EngineHarness.epoch + Self.hour, to: EngineHarness.epoch)))
        #expect(rig.registers == [own])
        #expect(rig.journal?.own == own)
        #expect(rig.moment?.elapsed == 60_000, "no countdown moves")
        #expect(rig.engine.view.isOwner)
    }

    /// A guess is corrected by the first synchronised clock. The session keeps its place among the starts.
    @Test(arguments: [-hour, -5_000, 5_000, Limits.stampLead]) func guessedDateIsCorrectedOnce(skew: Milliseconds)
        throws
    {
        let rig = Self.corrected(skew: skew)
        let own = try #require(rig.own)
        #expect(own.startedAt == EngineHarness.epoch)
        #expect(own.runs == [Run(phase: 0, from: EngineHarness.epoch)])
        #expect(own.rev == 2)
        #expect(own.stamp.time == EngineHarness.epoch + max(skew, 0))
        #expect(rig.registers == [own])
        #expect(rig.journal?.own == own)
        #expect(rig.journal?.isGuess == false)
    }

    /// A restarted node, whose session is dated by `kitchen` and whose clock is an hour behind.
    static func restarted() -> EngineHarness {
        var old = EngineHarness(telling: EngineHarness.epoch - hour, wallBound: nil).linked()
        old.meet("kitchen")
        old.start("focus 25m")
        old.pass(60_000)
        return EngineHarness(boot: old.boot, telling: old.told, wallBound: nil, journal: old.journal)
    }

    static let alsoBehind = PeerClock(wallLead: EngineHarness.epoch - 1_000_000 - hour)

    /// While the right clock is offline, a wrong one is followed. It does not admit the stamp, which so is renewed.
    @Test func finalDateStaysWhenTheStampIsRenewed() throws {
        var rig = Self.restarted()
        let began = try #require(rig.own)
        rig.linkUp()
        rig.meet("attic", Self.alsoBehind)
        #expect(rig.own?.startedAt == EngineHarness.epoch)
        #expect(rig.own?.stamp.time == EngineHarness.epoch - Self.hour)
        rig.pass(60_000)
        rig.meet("kitchen")
        #expect(rig.own?.startedAt == EngineHarness.epoch)
        #expect(rig.own?.anchor == began.anchor)
        #expect(rig.own?.runs == began.runs)
        #expect(rig.own?.rev == began.rev + 1)
        #expect(rig.journal?.isApproximate == true)
    }

    /// Without retained messages the first peer may not be the only one.
    @Test func dateWaitsForPeersWithoutRetainedMessages() throws {
        var rig = Self.restarted()
        let began = rig.own
        rig.echoes = false
        rig.linkUp()
        rig.meet("attic", Self.alsoBehind)
        rig.pass(1_000)
        for node in ["cellar", "kitchen"] { rig.meet(node) }
        rig.pass(10_000)
        #expect(rig.own == began)
        #expect(rig.groupTime == EngineHarness.epoch + 71_000)
        // With a single peer the wait ends.
        var lonely = Self.restarted()
        lonely.echoes = false
        lonely.linkUp()
        lonely.meet("attic", Self.alsoBehind)
        lonely.pass(1_999)
        #expect(lonely.own == began)
        lonely.pass(1)
        #expect(lonely.own?.stamp.time == EngineHarness.epoch - Self.hour)
    }

    /// The error of the clock after a reboot does not apply to times from before it.
    @Test(arguments: [-hour, hour], [false, true]) func rebootWithAWrongClockKeepsTheDate(
        skew: Milliseconds, isPaused: Bool
    )
        throws
    {
        var old = EngineHarness(wallBound: nil).linked(starting: "focus 5h")
        if isPaused { old.press(.pause) }
        var new = EngineHarness(
            bootID: "boot-2", boot: 20_000, telling: EngineHarness.epoch + skew, wallBound: nil, journal: old.journal)
        new.linkUp()
        new.meet("kitchen", PeerClock(wallLead: EngineHarness.epoch + 40_000 - new.boot))
        #expect(new.groupTime == EngineHarness.epoch + 40_000)
        #expect(new.own?.startedAt == EngineHarness.epoch)
        #expect(new.own?.runs.first?.from == EngineHarness.epoch)
        #expect(new.own?.stamp.time == EngineHarness.epoch)
    }

    /// A continuation is stamped with its takeover, so it beats starts before that.
    @Test func takeoverByAWrongClockKeepsItsPlace() throws {
        var rig = EngineHarness(telling: EngineHarness.epoch + Self.hour, wallBound: nil).linked()
        rig.hear(.presence(presence("k1", online: false)), from: "kitchen", retained: true)
        rig.hear(.register(peerRegister(plan: "focus 5h")), from: "kitchen", retained: true)
        rig.pass(60_000)
        #expect(outcome(rig.press(.pause)) == .applied)
        #expect(rig.journal?.isApproximate == true, "its minutes follow from dates")
        rig.pass(1_000)
        rig.meet("attic")
        let own = try #require(rig.own)
        #expect(own.invalidField == nil)
        #expect(rig.engine.context(at: rig.now).admits(own.stamp))
        #expect(own.continues?.at == EngineHarness.epoch + 60_000)
        #expect(own.stamp.time == EngineHarness.epoch + 60_000)
        #expect(own.startedAt == EngineHarness.epoch)
        #expect(own.runs.map(\.to) == [EngineHarness.epoch + 60_000])
    }

    /// The boot clocks were compared, so wall clocks do not matter for the minutes.
    @Test(arguments: [hour, 20_000], [IntentOperation.extend(seconds: 60), .pause])
    func takeoverByAWrongClockKeepsItsMinutes(skew: Milliseconds, press: IntentOperation) throws {
        var rig = EngineHarness(telling: EngineHarness.epoch + skew, wallBound: nil).linked()
        rig.meet("kitchen", PeerClock(quality: ClockQuality(isSynced: false)))
        rig.hear(.register(peerRegister(plan: "focus 5h")), from: "kitchen")
        rig.pass(60_000)
        rig.hear(.presence(presence("kitchen-1", online: false)), from: "kitchen")
        #expect(outcome(rig.press(press)) == .applied)
        #expect(rig.journal?.isApproximate == true, "the times of the two owners do not compare")
        #expect(rig.own?.runs.first?.from == EngineHarness.epoch + skew)
        rig.meet("attic")
        let own = try #require(rig.own)
        #expect(own.invalidField == nil)
        #expect(own.continues?.at == EngineHarness.epoch + 60_000)
        #expect(own.startedAt == EngineHarness.epoch)
        #expect(
            own.runs == [
                Run(phase: 0, from: EngineHarness.epoch, to: press == .pause ? EngineHarness.epoch + 60_000 : nil)
            ])
    }

    // MARK: 1970

    /// A Pi without a battery clock wins with a later start and loses with an earlier one.
    @Test(arguments: [(Milliseconds(-30_000), Status.running), (30_000, .superseded)])
    func startIn1970HasItsPlaceAmongTheStarts(kitchen: Milliseconds, status: Status) throws {
        var rig = EngineHarness(telling: 5_000, wallBound: nil).linked(starting: "focus 25m")
        #expect(rig.engine.view.isOwner)
        #expect(rig.own?.stamp.time == Limits.earliestStamp)
        rig.send(.linkDown)
        rig.start("focus 25m", id: "S2")
        rig.pass(60_000)
        rig.clocks[.kitchen] = PeerClock()
        ProvisionalTests.rejoin(&rig, peerRegister(at: EngineHarness.epoch + kitchen))
        #expect(rig.own?.stamp.time == EngineHarness.epoch)
        #expect(rig.own?.status == status)
        #expect(rig.engine.view.isOwner == (status == .running))
        // The next start is the latest one.
        rig.start("focus 10m", id: "S3")
        #expect(rig.engine.view.register?.id == token("S3"))
        #expect(rig.own?.stamp.time == EngineHarness.epoch + 60_000)
    }

    /// The clock is set by hand first, rightly or wrongly; then a peer's clock is synchronised.
    @Test(arguments: [-hour, 0, hour]) func guessMovesUntilATimeIsVouchedFor(skew: Milliseconds) throws {
        var rig = EngineHarness(telling: 5_000, wallBound: nil).linked(starting: "focus 25m")
        rig.pass(60_000)
        rig.told = EngineHarness.epoch + 60_000 + skew
        rig.send(.wake)
        #expect(rig.own?.startedAt == EngineHarness.epoch + skew)
        #expect(rig.journal?.isGuess == true)
        rig.pass(60_000)
        rig.meet("kitchen")
        #expect(rig.own?.startedAt == EngineHarness.epoch)
        #expect(rig.journal?.isGuess == false)
        rig.start("focus 25m", id: "S2")
        #expect(rig.journal?.isGuess == false)
    }

    /// A session that becomes current again may stem from an earlier boot.
    @Test func anEarlierSessionIsDatedAfterAReboot() throws {
        var old = EngineHarness(telling: 5_000, wallBound: nil).linked(starting: "focus 25m")
        old.send(.linkDown)
        old.start("focus 25m", id: "S2")
        old.press(.stop)
        old.pass(10_000)
        var rig = EngineHarness(bootID: "boot-2", boot: 20_000, telling: 20_000, wallBound: nil, journal: old.journal)
            .linked()
        #expect(rig.own?.id == token("S1"))
        #expect(rig.own?.anchor.bootID == token("boot-2"))
        rig.pass(60_000)
        rig.meet("kitchen", PeerClock(wallLead: EngineHarness.epoch + 90_000 - rig.boot))
        let own = try #require(rig.own)
        #expect((own.startedAt - EngineHarness.epoch).magnitude < 60_000)
        #expect(own.invalidField == nil)
        #expect(rig.journal?.isGuess == false)
    }

    /// A renewed stamp would make an ended session the latest again.
    @Test(arguments: [IntentOperation.stop, .pause]) func endedSessionKeepsItsStamp(press: IntentOperation) throws {
        var rig = EngineHarness(telling: 5_000, wallBound: nil).linked(starting: "focus 25m")
        rig.pass(60_000)
        rig.press(press)
        let before = try #require(rig.own)
        rig.meet("kitchen")
        let own = try #require(rig.own)
        #expect(own.startedAt == EngineHarness.epoch)
        #expect(own.runs.first?.to == EngineHarness.epoch + 60_000)
        #expect((own.stamp == before.stamp) == (press == .stop))
    }

    // MARK: Presence

    @Test func presenceSaysThatTheClockIsWrong() throws {
        var rig = Self.corrected(skew: Self.hour)
        #expect(rig.presences.map(\.clock) == [ClockQuality(isSynced: false, isWrong: true)])
        #expect(rig.presences.last?.at == rig.groupTime)
        // The clock is set.
        rig.published = []
        rig.told -= Self.hour
        rig.pass(1_000)
        #expect(rig.presences.map(\.clock) == [ClockQuality(isSynced: false)])
        #expect(rig.groupTime == rig.told)
        #expect(rig.own?.rev == 2, "the register does not change")
    }

    @Test func clockIsWrongBeyondTenSeconds() {
        for (skew, isWrong) in [(Limits.stampLead, false), (Limits.stampLead + 1, true), (-Limits.stampLead - 1, true)]
        {
            let rig = Self.corrected(skew: skew)
            let presence = rig.engine.presence(at: rig.now, connection: token("c"), online: true)
            #expect(presence.clock.isWrong == isWrong, "\(skew)")
        }
    }

    // MARK: Polling again

    @Test func contradictingNodeIsPolled() {
        for (differs, expected) in [(10_000, 0), (10_001, 8), (-10_001, 8)] as [(Milliseconds, Int)] {
            var rig = EngineHarness().linked()
            rig.meet("attic")
            rig.clocks[.kitchen] = PeerClock()
            rig.pass(1_000)
            var said = presence("k1")
            said.at = rig.groupTime + differs
            rig.hear(.presence(said), from: "kitchen")
            rig.pass(1_000)
            #expect(rig.pings.count { $0.to == .kitchen } == expected, "\(differs)")
        }
    }

    /// A node whose stamp is not admitted polls clocks; it does not trust the objection.
    @Test func objectionCausesAPoll() {
        let objection = Message.ack(.clock(node: id("desk"), session: token("S1"), at: EngineHarness.epoch - Self.hour))
        var right = EngineHarness().linked(starting: "focus 25m")
        right.meet("attic")
        right.meet(
            "kitchen",
            PeerClock(wallLead: EngineHarness.epoch - 1_000_000 - Self.hour, quality: ClockQuality(isSynced: false)))
        right.pass(10_000)
        let own = right.own
        right.hear(objection, from: "kitchen")
        right.pass(10_000)
        #expect(right.own == own)
        #expect(right.groupTime == right.told)
        var wrong = EngineHarness(telling: EngineHarness.epoch + Self.hour, wallBound: nil).linked(
            starting: "focus 25m")
        wrong.hear(.presence(presence("k1")), from: "kitchen", retained: true)
        wrong.pass(60_000)
        wrong.clocks[.kitchen] = PeerClock()
        wrong.hear(.ack(.clock(node: id("desk"), session: token("S1"), at: EngineHarness.epoch)), from: "kitchen")
        wrong.pass(1_000)
        #expect(wrong.own?.stamp.time == EngineHarness.epoch)
    }

    @Test func registerIsAdmittedAfterTheClockIsFixed() {
        var rig = EngineHarness(telling: EngineHarness.epoch - Self.hour, wallBound: nil).linked()
        rig.clocks[.kitchen] = PeerClock(there: 10, back: 10)
        rig.hear(.presence(presence("k1")), from: "kitchen")
        rig.hear(.register(peerRegister()), from: "kitchen")
        #expect(rig.engine.view.register == nil)
        rig.pass(20)
        #expect(rig.engine.view.register?.id == token("P1"))
        #expect(rig.moment?.elapsed == 20)
        #expect(rig.journal?.mark == HybridClock(time: EngineHarness.epoch).reserved, "a start here would beat it")
    }

    /// The mark in the journal is in the past, whatever the wall clock reads.
    @Test func timeContinuesFromTheMarkAfterARebootIn1970() throws {
        var old = EngineHarness().linked()
        old.hear(.register(peerRegister(at: EngineHarness.epoch + 5_000)), from: "kitchen")
        var new = EngineHarness(bootID: "boot-2", boot: 20_000, telling: 20_000, wallBound: nil, journal: old.journal)
        #expect(new.groupTime == EngineHarness.epoch + 5_000 + HybridClock.reserve)
        new.pass(60_000)
        new.start("focus 25m")
        #expect(new.own?.stamp.time == EngineHarness.epoch + 65_000 + HybridClock.reserve)
    }
}
