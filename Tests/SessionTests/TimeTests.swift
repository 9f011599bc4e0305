// SPDX-License-Identifier: Apache-2.0

import Support
import Testing

@testable import Session

/// Changes of a session by time alone.
@Suite(.timeLimit(.minutes(15))) struct TimeTests {
    static let minute: Milliseconds = 60_000

    static func register(_ text: String, mode: Mode = .countdown, autoAdvance: Bool = false) -> Register {
        peerRegister(plan: text, mode: mode, autoAdvance: autoAdvance)
    }

    /// Plan, autoAdvance, minutes since the anchor, status, phase, minutes of the phase that have passed.
    static let boundaries: [(String, Bool, Milliseconds, Status, Int, Milliseconds)] = [
        ("focus 25m, shortBreak 5m", false, 25 * minute - 1, .running, 0, 25 * minute - 1),
        ("focus 25m, shortBreak 5m", false, 25 * minute, .ready, 1, 0),
        ("focus 25m, shortBreak 5m", false, 500 * minute, .ready, 1, 0),
        ("focus 25m, shortBreak 5m", true, 25 * minute, .running, 1, 0),
        ("focus 25m, shortBreak 5m", true, 30 * minute - 1, .running, 1, 5 * minute - 1),
        ("focus 25m, shortBreak 5m", true, 30 * minute, .completed, 1, 5 * minute),
        ("focus 25m, shortBreak 5m", true, 55 * minute, .completed, 1, 5 * minute),
        ("focus 25m, shortBreak 5m", true, 55 * minute + 1, .completed, 1, 5 * minute),
        ("focus 25m, shortBreak 1h", true, 55 * minute, .running, 1, 30 * minute),
        ("focus 25m", true, 25 * minute, .completed, 0, 25 * minute),
        ("focus 25m", false, 900 * minute, .completed, 0, 25 * minute),
        ("work 40s x8 / rest 20s", true, 7 * minute + 59_999, .running, 15, 19_999),
        ("work 40s x8 / rest 20s", true, 8 * minute, .completed, 15, 20_000),
        ("focus 1m x3 / shortBreak 1m", true, 150_000, .running, 2, 30_000),
    ]

    @Test(arguments: boundaries) func stateFollowsFromElapsedTime(
        row: (String, Bool, Milliseconds, Status, Int, Milliseconds)
    ) {
        let register = Self.register(row.0, autoAdvance: row.1)
        let moment = View(register: register, anchorBoot: 1_000).moment(at: 1_000 + row.2)
        let last = View(register: register, anchorBoot: 1_000).lastMoment(at: 1_000 + row.2)
        #expect(last?.register.status == row.3)
        #expect(last?.register.phase == row.4)
        #expect(last?.elapsed == row.5)
        #expect(moment == nil || moment == last)
        #expect(last?.register.invalidField == nil)
    }

    /// The owner wakes at each boundary, the display computes once.
    @Test(
        arguments: [
            "focus 25m, shortBreak 5m, focus 25m", "work 40s x8 / rest 20s", "focus 1s x80", "focus 10m x2",
        ], [true, false])
    func ownerAndDisplayAgree(text: String, autoAdvance: Bool) throws {
        var rig = EngineHarness()
        rig.start(text, autoAdvance: autoAdvance)
        let first = try #require(rig.own)
        let at = rig.boot
        for step in [0, 1, 999, 1_000, 1_001, 39_999, 40_000, 60_000, 480_000, 599_999, 600_000, 1_200_000] {
            rig.pass(at + Milliseconds(Int64(step)) - rig.boot)
            var derived = first.advanced(since: rig.boot - at)
            let own = try #require(rig.own)
            derived.rev = own.rev
            #expect(derived == own, "\(step)")
        }
    }

    /// The view does not depend on earlier looks.
    @Test func advanceIsAssociative() {
        var random = Random(seed: 7)
        for _ in 0..<3_000 {
            let text = random.pick(["focus 20m x4 / shortBreak 5m", "work 40s x8 / rest 20s", "focus 29m, focus 1m"])
            let register = Self.register(text, autoAdvance: Bool.random(using: &random))
            let total = Milliseconds(.random(in: 0...200 * Self.minute.count, using: &random))
            let once = register.advanced(since: total)
            #expect(once.advanced(since: total - (once.anchor.at - register.anchor.at)) == once)
            let part = Milliseconds(.random(in: 0...total.count, using: &random))
            let first = register.advanced(since: part)
            let twice = first.advanced(since: total - (first.anchor.at - register.anchor.at))
            #expect(twice == once)
        }
    }

    @Test func completionIsShownForFiveSeconds() {
        var rig = EngineHarness()
        rig.start("focus 2s")
        rig.pass(2_000)
        #expect(rig.moment?.shownSeconds == 0)
        #expect(rig.moment?.nextChange == rig.boot + 5_000)
        rig.pass(4_999)
        #expect(rig.moment?.register.status == .completed)
        rig.pass(1)
        #expect(rig.moment == nil)
        #expect(rig.press(.pause) == .noSession)
    }

    @Test func secondsChangeAtNextChange() {
        let down = View(register: Self.register("focus 5s"), anchorBoot: 100)
        let up = View(register: Self.register("focus 5s", mode: .countup), anchorBoot: 100)
        for (view, atStart) in [(down, 5), (up, 0)] {
            var boot: BootTime = 100
            var shown: [Int] = []
            while let moment = view.moment(at: boot), moment.register.status == .running {
                shown.append(moment.shownSeconds)
                let change = moment.nextChange ?? 0
                #expect(view.lastMoment(at: change - 1)?.shownSeconds == moment.shownSeconds)
                #expect(view.lastMoment(at: change)?.shownSeconds != moment.shownSeconds)
                boot = change
            }
            #expect(shown.first == atStart)
            #expect(shown.count == 5)
        }
    }

    @Test func wallClockStepsMoveNoRemoteCountdown() {
        var rig = EngineHarness().linked()
        rig.meet("kitchen", PeerClock(lead: 4_060_000))
        rig.hear(.register(peerRegister(at: rig.told - 60_000)), from: "kitchen")
        #expect(rig.moment?.elapsed == 60_000)
        // A clock that was just set is not synchronised.
        rig.told -= 86_400_000
        rig.wallBound = nil
        rig.pass(1_000)
        #expect(rig.moment?.elapsed == 61_000)
        // The owner pauses at 70 s on its boot clock; its wall clock was stepped too.
        var paused = peerRegister(at: EngineHarness.epoch - 60_000, rev: 2, status: .paused, elapsed: 70_000)
        paused.anchor.at = 99
        paused.anchor.boot += 70_000
        rig.pass(9_000)
        rig.hear(.register(paused), from: "kitchen")
        #expect(rig.moment?.elapsed == 70_000, "an admitted session stays: peers tell the time")
        #expect(rig.moment?.anchorBoot == rig.boot)
    }

    @Test func runningSessionEmitsNothing() {
        for text in ["focus 3h", "focus 1h, shortBreak 2h"] {
            var rig = EngineHarness().linked().besideKitchen()
            rig.start(text)
            let wake = rig.engine.nextWake
            rig.log = []
            for _ in 0..<3_500 {
                rig.move(to: rig.boot + 1_000)
                rig.send(.wake)
            }
            #expect(rig.log.isEmpty)
            #expect(rig.engine.nextWake == wake)
        }
    }

    /// A node that shows another one's session wakes every minute or two to compare clocks, and for nothing else.
    @Test func displayWakesOnlyToPoll() {
        var rig = EngineHarness().linked()
        rig.meet("kitchen")
        rig.hear(.register(peerRegister(plan: "focus 5h")), from: "kitchen")
        rig.pass(1_000)
        rig.log = []
        for _ in 0..<20 {
            let wake = rig.engine.nextWake ?? 0
            #expect(wake - rig.boot > 58_000)
            rig.pass(wake - rig.boot)
        }
        let isOnlyPings = rig.log.allSatisfy { if case .publish(.ping) = $0 { true } else { false } }
        #expect(isOnlyPings)
        #expect(rig.log.count == 20)
    }

    @Test func aRebootDoesNotMoveTheTimeSinceWhichASessionIsReady() {
        var register = peerRegister(plan: "focus 25m, shortBreak 5m", status: .ready)
        register.anchor.at = register.anchor.at + 3_600_000
        #expect(register.statusBeganAt == EngineHarness.epoch)
    }
}
