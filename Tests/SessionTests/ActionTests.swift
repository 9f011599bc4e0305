// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Session

/// The actions, as far as the vectors of operations do not state them.
@Suite(.timeLimit(.minutes(15))) struct ActionTests {
    @Test func extensionsAreKeptForFourPhasesAtMost() {
        var rig = EngineHarness()
        rig.start("(focus 1m, shortBreak 1m, work 1m, rest 1m, phase 1m, longBreak 1m) x5")
        for _ in 0..<30 {
            #expect(outcome(rig.press(.extend(seconds: 60))) == .applied)
            #expect(rig.own?.invalidField == nil)
            #expect((rig.own?.plan.count { $0.added > 0 } ?? 0) <= Limits.extended)
            rig.press(.skip)
        }
    }

    @Test func invalidStartNamesItsField() {
        var rig = EngineHarness()
        #expect(rig.start("nonsense") == .invalid("plan"))
        #expect(rig.start("focus 1m", title: "a\u{1B}[2J") == .invalid("title"))
        var cap = EngineHarness(defaults: PhaseDefaults(countUpCap: 0))
        #expect(cap.start("focus 1m", mode: .countup) == .invalid("plan"))
        var display = EngineHarness(role: .display)
        #expect(display.start("focus 1m") == .invalid("role"))
        #expect(rig.own == nil)
        #expect(rig.press(.pause) == .noSession)
    }
}
