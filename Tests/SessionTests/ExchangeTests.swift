// SPDX-License-Identifier: Apache-2.0

import Support
import Testing

@testable import Session

/// Whom a node asks for its clocks, how often, and what a display makes of the answers.
@Suite(.computing) struct ExchangeTests {
    static let minute: Int64 = 60_000

    /// A mirror of `kitchen`'s session, whose clocks answer.
    static func mirror(_ clock: PeerClock = PeerClock(), wallBound: Int64? = 5) -> Rig {
        var rig = Rig(wallBound: wallBound)
        rig.linkUp()
        rig.meet("kitchen", clock)
        rig.hear(.register(peerRegister(plan: "focus 20h")), from: "kitchen")
        return rig
    }

    static func pong(
        of rig: Rig, _ connection: String = "conn-desk-1", sent: Int64? = nil, clock: PeerClock = PeerClock()
    ) -> Message {
        let ping = Ping(connection: token(connection), sent: sent ?? rig.boot, at: rig.wall)
        return .pong(clock.pong(to: ping, at: rig.boot), to: rig.node)
    }

    // MARK: Answering

    @Test func whoeverAsksGetsTheClocksAsTheyStand() throws {
        var rig = Rig(wall: Rig.epoch - 90_000)
        rig.linkUp()
        rig.hear(.ping(Ping(connection: token("c-9"), sent: 77, at: rig.wall), to: rig.node), from: "kitchen")
        let (pong, to) = try #require(rig.pongs.first)
        #expect(to == .kitchen && pong.connection == token("c-9") && pong.sent == 77)
        #expect(pong.bootID == token("boot-1") && pong.boot == rig.boot && pong.wall == rig.wall)
        #expect(pong.at == rig.groupTime && pong.clock == ClockQuality(synced: true, bound: 5))
    }

    @Test func whatAnswersNoPing() {
        let ping = Message.ping(Ping(connection: token("c-9"), sent: 77, at: Rig.epoch), to: id("desk"))
        var down = Rig()
        down.hear(ping, from: "kitchen")
        var other = Rig()
        other.linkUp()
        other.hear(.ping(Ping(connection: token("c-9"), sent: 77, at: Rig.epoch), to: id("attic")), from: "kitchen")
        other.hear(ping, from: "desk")
        other.hear(ping, from: "kitchen", retained: true)
        var passing = Rig(isAnnounced: false)
        passing.linkUp()
        passing.hear(ping, from: "kitchen")
        for rig in [down, other, passing] { #expect(rig.pongs.isEmpty) }
    }

    /// A wall clock from before 1970 or after 2200 is said as far as a payload can say it.
    @Test(arguments: [Int64(-5_000), 10_413_792_000_000]) func aClockOutOfAllBoundsIsSaidWithinThem(wall: Int64) throws
    {
        var rig = Rig(wall: wall, wallBound: nil)
        rig.linkUp()
        rig.hear(.ping(Ping(connection: token("c-9"), sent: 77, at: Rig.epoch), to: rig.node), from: "kitchen")
        let pong = try #require(rig.pongs.first?.pong)
        #expect(Limits.time.contains(pong.wall) && Limits.time.contains(pong.at) && pong.clock.isWrong)
    }

    // MARK: Asking

    @Test func eightPingsOnMeetingAnOwner() {
        var rig = Self.mirror()
        rig.pass(39)
        #expect(rig.pings.count == 1)
        rig.pass(241)
        #expect(rig.pings.count == 8 && rig.pings.allSatisfy { $0.to == .kitchen })
        #expect(rig.pings.map(\.ping.sent) == (0..<8).map { 1_000_000 + $0 * 40 })
        rig.pass(Self.minute)
        #expect(rig.pings.count == 8)
    }

    /// Each is the first by name for a moment: to ask every one of them would be to ask everybody.
    @Test func ofManyThatComeAtOnceThoseAreAskedThatStay() {
        var rig = Rig(wallBound: nil)
        rig.linkUp()
        for number in (10...60).reversed() {
            rig.meet("n\(number)")
            rig.pass(10)
        }
        rig.pass(5_000)
        let asked = Dictionary(grouping: rig.pings, by: \.to).mapValues(\.count)
        // The node itself is one of the seven.
        #expect(asked.keys.map(\.rawValue).sorted() == [10...15, 55...60].joined().map { "n\($0)" })
        #expect((10...15).allSatisfy { asked[id("n\($0)")] == 8 }, "\(asked)")
    }

    @Test func whoWaitsToBeAskedIsAskedAtOnceAsAnOwner() {
        var rig = Rig(wallBound: nil)
        rig.linkUp()
        for number in 1...7 { rig.meet("m\(number)") }
        rig.meet("kitchen")
        #expect(!rig.pings.contains { $0.to == .kitchen })
        rig.hear(.register(peerRegister(plan: "focus 20h")), from: "kitchen")
        #expect(rig.pings.count { $0.to == .kitchen } == 1)
        rig.pass(280)
        #expect(rig.pings.count { $0.to == .kitchen } == 8)
    }

    /// A wide interval is worth more pings, gently; after so many it is as good as it gets.
    @Test func aSlowNetworkIsAskedMoreOften() {
        var rig = Self.mirror(PeerClock(there: 60, back: 2))
        rig.pass(5_000)
        #expect((20...32).contains(rig.pings.count))
        rig.pass(25_000)
        #expect(rig.pings.count == 64 && (rig.error ?? .max) < 40)
    }

    @Test func anOwnerThatDoesNotAnswerIsAskedLessAndLess() {
        var rig = Rig()
        rig.linkUp()
        rig.hear(.presence(presence("k1")), from: "kitchen")
        rig.hear(.register(peerRegister(plan: "focus 20h")), from: "kitchen")
        rig.pass(Self.minute)
        #expect(rig.pings.count == 8 + 5, "after one second, two, four, eight and sixteen more")
        rig.published = []
        rig.pass(60 * Self.minute)
        #expect((4...12).contains(rig.pings.count), "\(rig.pings.count) in an hour")
    }

    @Test func aBurstAfterSleepAndAfterEachConnection() {
        let events: [(String, (inout Rig) -> Void)] = [
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
        ]
        for (name, happens) in events {
            var rig = Self.mirror()
            rig.pass(Self.minute)
            rig.published = []
            happens(&rig)
            rig.pass(1_000)
            #expect(rig.pings.count == 8, "\(name)")
        }
    }

    /// The other boot clock is known well still, but the wall clock may have been set while there was no connection.
    @Test func nodeFollowsAClockThatWasSetWhileItHadNoConnection() {
        var rig = Rig(wallBound: nil)
        rig.linkUp()
        var clock = PeerClock()
        rig.meet("kitchen", clock)
        rig.pass(1_000)
        #expect(abs(rig.groupTime - clock.time(at: rig.boot)) <= 2)
        rig.send(.linkDown)
        clock.wallLead += Self.minute
        rig.clocks[id("kitchen")] = clock
        rig.linkUp()
        rig.pass(1_000)
        #expect(abs(rig.groupTime - clock.time(at: rig.boot)) <= 2)
    }

    /// In suspend a boot clock goes by the battery clock, on some machines by whole seconds: what was known is doubtful.
    @Test func aShortSuspendIsASuspend() {
        var mine = Self.mirror()
        mine.pass(1_000)
        mine.published = []
        mine.send(.sleeping(true))
        mine.send(.sleeping(false))
        mine.pass(1_000)
        var theirs = Self.mirror()
        theirs.pass(Self.minute / 2)
        theirs.published = []
        for isSleeping in [true, false] {
            var said = presence("kitchen-1", sleeping: isSleeping)
            said.at = theirs.groupTime
            theirs.hear(.presence(said), from: "kitchen")
        }
        theirs.pass(1_000)
        #expect(mine.pings.count == 8)
        #expect(theirs.pings.count == 8)
    }

    /// Then rarely: about every two minutes, so that drift never makes the time approximate.
    @Test func itRestsBetweenExchanges() {
        var rig = Self.mirror()
        rig.pass(1_000)
        rig.published = []
        var worst: Int64 = 0
        for _ in 0..<3_600 {
            rig.pass(1_000)
            worst = max(worst, rig.error ?? .max)
        }
        #expect((29...31).contains(rig.pings.count), "\(rig.pings.count) in an hour")
        #expect(worst <= Limits.exactEnough)
    }

    @Test func anApproximateTimeIsNotLeftAlone() {
        var rig = Self.mirror(PeerClock(there: 300, back: 300))
        rig.pass(60_000)
        #expect((rig.error ?? 0) > Limits.exactEnough && rig.moment?.isApproximate == true)
        rig.published = []
        rig.pass(60_000)
        #expect((11...12).contains(rig.pings.count), "every five seconds")
    }

    /// An owner asks nobody; nor does a mirror when what it showed is over, or its owner gone.
    @Test func whoHasNothingToCompareAsksNobody() {
        var own = Rig()
        own.linkUp()
        own.meet("kitchen")
        own.start("focus 25m")
        own.pass(Self.minute)
        #expect(own.pings.isEmpty && own.engine.exchange.nextWake == nil)
        var gone = Self.mirror()
        gone.hear(.presence(presence("kitchen-1", online: false)), from: "kitchen")
        gone.published = []
        gone.pass(20 * Self.minute)
        #expect(gone.pings.isEmpty)
        var over = Self.mirror()
        over.hear(.register(peerRegister(rev: 2, status: .stopped)), from: "kitchen")
        over.published = []
        over.pass(20 * Self.minute)
        #expect(over.pings.isEmpty)
    }

    // MARK: What is of no use

    @Test func pongsThatAreNotUsed() {
        for (name, message, sender, retained) in [
            ("of another connection", Self.pong(of: Rig(), "conn-desk-0"), "kitchen", false),
            ("from the past", Self.pong(of: Rig(), sent: 1_000_000 - Limits.pongAge - 1), "kitchen", false),
            ("before its ping", Self.pong(of: Rig(), sent: 1_000_001), "kitchen", false),
            ("retained", Self.pong(of: Rig()), "kitchen", true), ("of oneself", Self.pong(of: Rig()), "desk", false),
            ("for another", Self.pong(of: Rig("attic")), "kitchen", false),
        ] {
            var rig = Rig()
            rig.linkUp()
            rig.hear(message, from: sender, retained: retained)
            #expect(rig.engine.exchange.estimates.isEmpty, "\(name)")
        }
        var rig = Rig()
        rig.linkUp()
        rig.hear(Self.pong(of: rig, sent: rig.boot - Limits.pongAge), from: "kitchen")
        #expect(rig.engine.exchange.estimates.count == 1)
        rig.send(.linkDown)
        rig.hear(Self.pong(of: rig, clock: PeerClock(lead: 9)), from: "kitchen")
        #expect(rig.engine.exchange.estimates[.kitchen]?.offset != 9, "the connection is gone")
    }

    // MARK: What is shown

    @Test func theOwnersBootClockDecides() {
        // By its date the session began a minute before it did: the owner's wall clock was wrong then.
        var rig = Rig()
        rig.linkUp()
        rig.hear(.register(peerRegister(at: Rig.epoch - 60_000)), from: "kitchen")
        #expect(rig.moment?.elapsed == 60_000 && rig.error == nil && rig.moment?.isApproximate == true)
        rig.meet("kitchen", PeerClock(lead: 4_005_000))
        #expect(rig.moment?.elapsed == 5_000, "what nobody vouched for is corrected at once")
        #expect((rig.error ?? .max) <= 3 && rig.moment?.isApproximate == false)
    }

    /// Two synchronised clocks vouch for the time before any exchange; an owner vouches for its own.
    @Test func whatIsKnownWithoutAnExchange() {
        var rig = Rig(wallBound: 20)
        rig.linkUp()
        rig.hear(.presence(presence("k1")), from: "kitchen")
        var register = peerRegister()
        register.anchor.bound = 30
        rig.hear(.register(register), from: "kitchen")
        // The two kernels', and the millisecond that has begun.
        #expect(rig.error == 51)
        rig.start("focus 1m")
        #expect(rig.error == 0)
    }

    /// Somebody sets a display's clock before the owner could be asked: what it has shown was right, and stays.
    @Test func aClockThatNobodyVouchesForMovesNothing() {
        var rig = Rig(wallBound: 20)
        var register = peerRegister()
        register.anchor.bound = 30
        rig.hear(.register(register), from: "kitchen")
        rig.pass(10_000)
        rig.wall -= 3_600_000
        rig.wallBound = nil
        rig.send(.wake)
        #expect(rig.moment?.elapsed == 10_000 && (rig.error ?? .max) <= 60)
    }

    @Test func aKernelThatBeginsToVouchForAClockPlacesAnew() {
        var rig = Rig(wallBound: nil)
        var register = peerRegister()
        register.anchor.bound = 30
        rig.hear(.register(register), from: "kitchen")
        #expect(rig.error == nil)
        rig.wall += 500
        rig.wallBound = 20
        rig.send(.wake)
        #expect(rig.moment?.elapsed == 500 && rig.error == 51)
    }

    @Test func anotherBootOfTheOwnerIsMeasuredAnew() {
        var rig = Self.mirror()
        rig.pass(Self.minute)
        #expect(rig.moment?.elapsed == Self.minute)
        // It rebooted for ten seconds, and settled its session on the new clock by date.
        rig.pass(10_000)
        rig.clocks[.kitchen] = PeerClock(bootID: "boot-p2", lead: -1_069_000)
        var again = peerRegister(plan: "focus 20h", boot: 1_000, bootID: "boot-p2", rev: 2, elapsed: 70_000)
        again.anchor.at = Rig.epoch + 70_000
        rig.hear(.register(again), from: "kitchen")
        rig.pass(1_000)
        #expect(rig.engine.exchange.estimates[.kitchen]?.bootID == token("boot-p2"))
        #expect(rig.moment?.elapsed == 71_000 && (rig.error ?? .max) <= 3)
    }

    /// Delays as they come, a clock that drifts, presses at the owner: what is shown is never further from the truth
    /// than the error says, and a countdown never goes up.
    @Test(arguments: UInt64(1)...30) func theErrorHoldsAndACountdownNeverRises(seed: UInt64) {
        var random = Random(seed: seed)
        let start = Int64.random(in: 3_900_000...4_100_000, using: &random)
        let drift = Int64.random(in: -1...1, using: &random)
        let skew = Int64.random(in: -4...4, using: &random)
        // What its wall clock is wrong by is within what it says.
        var clock = PeerClock(lead: start, wallLead: Rig.epoch - 1_000_000 + skew)
        let register = peerRegister(plan: "focus 20h", at: Rig.epoch + skew, boot: 1_000_000 + start)
        var rig = Rig(wallBound: seed % 2 == 0 ? 5 : nil)
        rig.linkUp()
        rig.meet("kitchen", clock)
        rig.hear(.register(register), from: "kitchen")
        var shown = Int.max
        for step in 0..<300 {
            let pause = [40, 40, 200, 200, 5_000][Int.random(in: 0...4, using: &random)]
            for _ in 0..<(pause / 40) {
                clock.there = Int64.random(in: 0...(step % 7 == 0 ? 900 : 30), using: &random)
                clock.back = Int64.random(in: 0...(step % 11 == 0 ? 900 : 30), using: &random)
                clock.lead = start + drift * (rig.boot - 1_000_000) / 5_500
                rig.clocks[.kitchen] = clock
                rig.pass(40)
            }
            guard let error = rig.error, let moment = rig.moment else { continue }
            let truth = rig.boot + start + drift * (rig.boot - 1_000_000) / 5_500 - register.anchor.boot
            #expect(abs(moment.elapsed - truth) <= error, "seed \(seed), step \(step)")
            #expect(moment.shownSeconds <= shown, "seed \(seed), step \(step): a countdown went up")
            shown = moment.shownSeconds
        }
        #expect(shown < Int.max)
    }

    /// The same without a rig: a comparison that says less than was shown makes the countdown stand still.
    @Test func aCountdownStandsStillUntilTimeHasCaughtUp() {
        let before = View(register: peerRegister(), anchorBoot: 1_000_000, error: ErrorBound(milliseconds: 150))
        #expect(before.moment(at: 1_010_000)?.elapsed == 10_000)
        var view = View(register: peerRegister(), anchorBoot: 1_000_100, error: ErrorBound(milliseconds: 1))
        view.stand(still: before, at: 1_010_000)
        #expect(view.moment(at: 1_010_000)?.elapsed == 10_000 && view.moment(at: 1_010_100)?.elapsed == 10_000)
        #expect(view.moment(at: 1_010_101)?.elapsed == 10_001)
        #expect(view.moment(at: 1_010_000)?.error == 101, "and says by how much it is ahead")
        var again = View(register: peerRegister(), anchorBoot: 1_000_101, error: ErrorBound())
        again.stand(still: view, at: 1_010_000)
        #expect(again.moment(at: 1_010_000)?.elapsed == 10_000, "it still stands")
        // Beyond what was said to be possible it was a mistake, which is put right at once.
        var far = View(register: peerRegister(), anchorBoot: 1_009_000, error: ErrorBound())
        far.stand(still: before, at: 1_010_000)
        #expect(far.moment(at: 1_010_000)?.elapsed == 1_000)
    }
}
