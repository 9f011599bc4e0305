// SPDX-License-Identifier: Apache-2.0

import Support
import Testing

@testable import Session

/// Clock polls: their addressees, their rate, and the use of their answers.
@Suite(.cpuBound) struct ExchangeTests {
    static let minute: Milliseconds = 60_000

    /// A node that shows `kitchen`'s session; `kitchen` answers pings.
    static func displayOfKitchen(_ clock: PeerClock = PeerClock(), wallBound: Milliseconds? = 5) -> EngineHarness {
        var rig = EngineHarness(wallBound: wallBound).linked()
        rig.meet("kitchen", clock)
        rig.hear(.register(peerRegister(plan: "focus 20h")), from: "kitchen")
        return rig
    }

    static func pong(
        of rig: EngineHarness, _ connection: String = "conn-desk-1", sent: BootTime? = nil,
        clock: PeerClock = PeerClock()
    ) -> Message {
        let ping = Ping(connection: token(connection), sent: sent ?? rig.boot, at: rig.told)
        return .pong(clock.pong(to: ping, at: rig.boot), to: rig.node)
    }

    // MARK: Answering

    @Test func pongCarriesTheClocks() throws {
        var rig = EngineHarness(telling: EngineHarness.epoch - 90_000).linked()
        rig.hear(.ping(Ping(connection: token("c-9"), sent: 77, at: rig.told), to: rig.node), from: "kitchen")
        let (pong, to) = try #require(rig.pongs.first)
        #expect(to == .kitchen)
        #expect(pong.connection == token("c-9"))
        #expect(pong.sent == 77)
        #expect(pong.bootID == token("boot-1"))
        #expect(pong.boot == rig.boot)
        #expect(pong.wall.milliseconds == rig.told.milliseconds)
        #expect(pong.at == rig.groupTime)
        #expect(pong.clock == ClockQuality(isSynced: true, bound: 5))
    }

    @Test func foreignPingIsNotAnswered() {
        let ping = Message.ping(Ping(connection: token("c-9"), sent: 77, at: EngineHarness.epoch), to: id("desk"))
        var down = EngineHarness()
        down.hear(ping, from: "kitchen")
        var other = EngineHarness().linked()
        other.hear(
            .ping(Ping(connection: token("c-9"), sent: 77, at: EngineHarness.epoch), to: id("attic")), from: "kitchen")
        other.hear(ping, from: "desk")
        var passing = EngineHarness(publishesPresence: false).linked()
        passing.hear(ping, from: "kitchen")
        var display = EngineHarness(role: .display).linked()
        display.hear(ping, from: "kitchen")
        for rig in [down, other, passing, display] { #expect(rig.pongs.isEmpty) }
    }

    /// A wall clock before 1970 or after 2200 does not fit a payload.
    @Test(arguments: [GroupTime(-5_000), 10_413_792_000_000]) func clockOutOfBoundsIsClampedInThePong(wall: GroupTime)
        throws
    {
        var rig = EngineHarness(telling: wall, wallBound: nil).linked()
        rig.hear(
            .ping(Ping(connection: token("c-9"), sent: 77, at: EngineHarness.epoch), to: rig.node), from: "kitchen")
        let pong = try #require(rig.pongs.first?.pong)
        #expect(Limits.wall.contains(pong.wall))
        #expect(Limits.time.contains(pong.at))
        #expect(pong.clock.isWrong)
    }

    // MARK: Polling

    @Test func newOwnerIsPolledEightTimes() {
        var rig = Self.displayOfKitchen()
        rig.pass(39)
        #expect(rig.pings.count == 1)
        rig.pass(241)
        #expect(rig.pings.count == 8)
        #expect(rig.pings.allSatisfy { $0.to == .kitchen })
        #expect(rig.pings.map(\.ping.sent) == (0..<8).map { 1_000_000 + $0 * 40 })
        rig.pass(Self.minute)
        #expect(rig.pings.count == 8)
    }

    @Test func newOwnerIsPolledAtOnce() {
        var rig = EngineHarness(wallBound: nil).linked()
        for number in 1...7 { rig.meet("m\(number)") }
        rig.meet("kitchen")
        #expect(!rig.pings.contains { $0.to == .kitchen })
        rig.hear(.register(peerRegister(plan: "focus 20h")), from: "kitchen")
        #expect(rig.pings.count { $0.to == .kitchen } == 1)
        rig.pass(280)
        #expect(rig.pings.count { $0.to == .kitchen } == 8)
    }

    /// A wide interval is polled more often, but 64 times at most.
    @Test func slowPeerIsPolledMoreOften() {
        var rig = Self.displayOfKitchen(PeerClock(there: 60, back: 2))
        rig.pass(5_000)
        #expect((20...32).contains(rig.pings.count))
        rig.pass(25_000)
        #expect(rig.pings.count == 64)
        #expect((rig.error ?? .days(1)) < 40)
    }

    @Test func silentOwnerIsPolledWithBackOff() {
        var rig = EngineHarness().linked().besideKitchen(peerRegister(plan: "focus 20h"))
        rig.pass(Self.minute)
        #expect(rig.pings.count == 9, "each wait is twice the one before")
        rig.published = []
        rig.pass(60 * Self.minute)
        #expect((4...12).contains(rig.pings.count), "\(rig.pings.count) in an hour")
    }

    /// Where many nodes ask one, a comparison every five seconds must not make it slower still.
    @Test func silentNodeIsAskedLessOftenThoughClocksAreComparedAgain() {
        var rig = EngineHarness(wallBound: nil).linked().besideKitchen()
        rig.meet(
            "attic",
            PeerClock(wallLead: EngineHarness.epoch + 40_000 - 1_000_000, quality: ClockQuality(isSynced: false))
        )
        for step in 0..<60 {
            rig.pass(1_000)
            var said = presence("z1")
            said.at += Int64(step % 2) * .seconds(3_600)
            rig.hear(.presence(said), from: "zoo")
        }
        #expect(rig.pings.count { $0.to == .kitchen } < 24)
        rig.clocks[.kitchen] = PeerClock()
        rig.hear(.presence(presence("k2")), from: "kitchen")
        rig.published = []
        rig.pass(1_300)
        #expect(rig.pings.count { $0.to == .kitchen } >= 7, "a new connection is asked as at first")
    }

    @Test func ownerIsPolledAgainAfterSleepAndReconnection() {
        let events: [(String, (inout EngineHarness) -> Void)] = [
            (
                "awake",
                {
                    $0.send(.sleeping(true))
                    $0.send(.sleeping(false))
                }
            ),
            (
                "link",
                {
                    $0.send(.linkDown)
                    $0.linkUp()
                }
            ),
            ("owner", { $0.meet("kitchen", connection: "kitchen-2") }),
            // On some machines the boot clock advances in whole seconds after a suspend.
            (
                "owner awake",
                { rig in
                    for isSleeping in [true, false] {
                        var said = presence("kitchen-1", sleeping: isSleeping)
                        said.at = rig.groupTime
                        rig.hear(.presence(said), from: "kitchen")
                    }
                }
            ),
        ]
        for (name, happens) in events {
            var rig = Self.displayOfKitchen()
            rig.pass(Self.minute)
            rig.published = []
            happens(&rig)
            rig.pass(1_000)
            #expect(rig.pings.count == 8, "\(name)")
        }
    }

    /// The boot clock estimate still holds, but the wall clock may have been set meanwhile.
    @Test func clockSetDuringADisconnectionIsFollowed() {
        var rig = EngineHarness(wallBound: nil).linked()
        var clock = PeerClock()
        rig.meet("kitchen", clock)
        rig.pass(1_000)
        #expect((rig.groupTime - clock.time(at: rig.boot)).magnitude <= 2)
        rig.send(.linkDown)
        clock.wallLead = clock.wallLead + Self.minute
        rig.clocks[id("kitchen")] = clock
        rig.linkUp()
        rig.pass(1_000)
        #expect((rig.groupTime - clock.time(at: rig.boot)).magnitude <= 2)
    }

    /// Two minutes of drift never make the time approximate.
    @Test func pollsAreTwoMinutesApart() {
        var rig = Self.displayOfKitchen()
        rig.pass(1_000)
        rig.published = []
        var worst: Milliseconds = 0
        for _ in 0..<3_600 {
            rig.pass(1_000)
            worst = max(worst, rig.error ?? .days(1))
        }
        #expect((29...31).contains(rig.pings.count), "\(rig.pings.count) in an hour")
        #expect(worst <= Limits.exactEnough)
    }

    @Test func approximateTimeIsPolledEveryFiveSeconds() {
        var rig = Self.displayOfKitchen(PeerClock(there: 300, back: 300))
        rig.pass(60_000)
        #expect((rig.error ?? 0) > Limits.exactEnough)
        #expect(rig.moment?.isApproximate == true)
        rig.published = []
        rig.pass(60_000)
        #expect((11...12).contains(rig.pings.count), "every five seconds")
    }

    /// An owner does not poll, nor a display whose session has ended or whose owner is offline.
    @Test func nodeWithoutALiveOwnerPollsNoClock() {
        var own = EngineHarness().linked()
        own.meet("kitchen")
        own.start("focus 25m")
        own.pass(Self.minute)
        #expect(own.pings.isEmpty)
        #expect(own.engine.clockSync.nextWake == nil)
        var gone = Self.displayOfKitchen()
        gone.hear(.presence(presence("kitchen-1", online: false)), from: "kitchen")
        gone.published = []
        gone.pass(20 * Self.minute)
        #expect(gone.pings.isEmpty)
        var over = Self.displayOfKitchen()
        over.hear(.register(peerRegister(rev: 2, status: .stopped)), from: "kitchen")
        over.published = []
        over.pass(20 * Self.minute)
        #expect(over.pings.isEmpty)
    }

    // MARK: Invalid pongs

    @Test func invalidPongIsIgnored() {
        for (name, message, sender) in [
            ("of another connection", Self.pong(of: EngineHarness(), "conn-desk-0"), "kitchen"),
            ("from the past", Self.pong(of: EngineHarness(), sent: 1_000_000 - Limits.pongAge - 1), "kitchen"),
            ("before its ping", Self.pong(of: EngineHarness(), sent: 1_000_001), "kitchen"),
            ("of oneself", Self.pong(of: EngineHarness()), "desk"),
            ("for another", Self.pong(of: EngineHarness("attic")), "kitchen"),
        ] {
            var rig = EngineHarness().linked()
            rig.hear(message, from: sender)
            #expect(rig.engine.clockSync.estimates.isEmpty, "\(name)")
        }
        var rig = EngineHarness().linked()
        rig.hear(Self.pong(of: rig, sent: rig.boot - Limits.pongAge), from: "kitchen")
        #expect(rig.engine.clockSync.estimates.count == 1)
        rig.send(.linkDown)
        rig.hear(Self.pong(of: rig, clock: PeerClock(lead: 9)), from: "kitchen")
        #expect(rig.engine.clockSync.estimates[.kitchen]?.offset != 9, "the connection is gone")
    }

    // MARK: The view

    @Test func ownersBootClockPlacesTheSession() {
        // The owner's wall clock was wrong: by date the session began a minute too early.
        var rig = EngineHarness().linked()
        rig.hear(.register(peerRegister(at: EngineHarness.epoch - 60_000)), from: "kitchen")
        #expect(rig.moment?.elapsed == 60_000)
        #expect(rig.error == nil)
        #expect(rig.moment?.isApproximate == true)
        rig.meet("kitchen", PeerClock(lead: 4_005_000))
        rig.pass(40)
        #expect(rig.moment?.elapsed == 5_040, "an unvouched placement is corrected at once")
        #expect((rig.error ?? .days(1)) <= 3)
        #expect(rig.moment?.isApproximate == false)
    }

    /// The bounds of two synchronised clocks apply before any exchange; an owner has no error.
    @Test func errorIsKnownWithoutAnExchange() {
        var rig = EngineHarness(wallBound: 20).linked().besideKitchen()
        var register = peerRegister()
        register.anchor.bound = 30
        rig.hear(.register(register), from: "kitchen")
        // Both bounds, plus one millisecond for rounding.
        #expect(rig.error == 51)
        rig.start("focus 1m")
        #expect(rig.error == 0)
    }

    @Test func synchronisedClockPlacesTheSessionAgain() {
        var rig = EngineHarness(wallBound: nil)
        var register = peerRegister()
        register.anchor.bound = 30
        rig.hear(.register(register), from: "kitchen")
        #expect(rig.error == nil)
        rig.told += 500
        rig.wallBound = 20
        rig.send(.wake)
        #expect(rig.moment?.elapsed == 500)
        #expect(rig.error == 51)
    }

    @Test func rebootedOwnerIsPolledAgain() {
        var rig = Self.displayOfKitchen()
        rig.pass(Self.minute)
        #expect(rig.moment?.elapsed == Self.minute)
        // It rebooted for ten seconds and placed its session on the new boot clock by date.
        rig.pass(10_000)
        rig.clocks[.kitchen] = PeerClock(bootID: "boot-p2", lead: -1_069_000)
        var again = peerRegister(plan: "focus 20h", boot: 1_000, bootID: "boot-p2", rev: 2, elapsed: 70_000)
        again.anchor.at = EngineHarness.epoch + 70_000
        rig.hear(.register(again), from: "kitchen")
        rig.pass(1_000)
        #expect(rig.engine.clockSync.estimates[.kitchen]?.bootID == token("boot-p2"))
        #expect(rig.moment?.elapsed == 71_000)
        #expect((rig.error ?? .days(1)) <= 3)
    }

    /// An exchange that places the session earlier than shown stops the countdown for a moment.
    @Test func countdownStandsStillUntilTimeCatchesUp() {
        let before = View(register: peerRegister(), anchorBoot: 1_000_000, error: ErrorBound(size: 150))
        #expect(before.moment(at: 1_010_000)?.elapsed == 10_000)
        var view = View(register: peerRegister(), anchorBoot: 1_000_100, error: ErrorBound(size: 1))
        view.keepShownTime(of: before, at: 1_010_000)
        #expect(view.moment(at: 1_010_000)?.elapsed == 10_000)
        #expect(view.moment(at: 1_010_100)?.elapsed == 10_000)
        #expect(view.moment(at: 1_010_101)?.elapsed == 10_001)
        #expect(view.moment(at: 1_010_000)?.error == 101, "the error includes its lead")
        var again = View(register: peerRegister(), anchorBoot: 1_000_101, error: ErrorBound())
        again.keepShownTime(of: view, at: 1_010_000)
        #expect(again.moment(at: 1_010_000)?.elapsed == 10_000, "it still stands")
        // A view that was wrong by more than its error is corrected at once.
        var far = View(register: peerRegister(), anchorBoot: 1_009_000, error: ErrorBound())
        far.keepShownTime(of: before, at: 1_010_000)
        #expect(far.moment(at: 1_010_000)?.elapsed == 1_000)
        // A slow network measures a clock worse than the date of the register told it.
        var worse = View(register: peerRegister(), anchorBoot: 1_000_400, error: ErrorBound(size: 1_500))
        worse.keepShownTime(of: before, at: 1_010_000)
        #expect(worse.moment(at: 1_010_000)?.elapsed == 10_000)
    }
}
