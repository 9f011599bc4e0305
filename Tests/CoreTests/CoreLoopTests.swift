// SPDX-License-Identifier: Apache-2.0

import Core
import Session
import Testing

/// The loop around a core: decisions first, then one rest.
@Suite(.timeLimit(.minutes(15))) struct CoreLoopTests {
    private var owner = CoreHarness("desk")

    init() {
        owner.connect()
        owner.start("S1")
    }

    @Test mutating func viewIsShownOnceAfterTheMessagesOfAPress() {
        owner.holdsConfirmations = true
        owner.steps = []
        owner.receive(owner.intent("I1"))
        #expect(owner.steps == ["write", "register", "show"])
    }

    @Test func coreRestsOnceBehindAllEvents() {
        var loop = CoreLoop(owner.core)
        let now = Instant(boot: 2_000_000, wall: WallTime(CoreHarness.epoch.milliseconds + 1_000_000), wallBound: 5)
        loop.add(.input(.press(Press(.pause), id: token("P1"), ticket: 7)))
        loop.add(.input(.press(Press(.resume), id: token("P2"), ticket: 8)))
        loop.add(.input(.press(Press(.pause), id: token("P3"), ticket: 9)))
        for _ in 1...3 {
            _ = loop.next(at: now)
            #expect(loop.core.view.register?.status == .running, "a view is computed at rest")
        }
        _ = loop.next(at: now)
        #expect(loop.core.view.register?.status == .paused)
        let last = loop.next(at: now)
        #expect(last == nil)
    }
}
