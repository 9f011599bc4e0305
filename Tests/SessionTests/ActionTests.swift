// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Session

/// The effects of actions. The vectors of operations have each of them in each state.
@Suite(.timeLimit(.minutes(5))) struct ActionTests {
    @Test func extendHasBounds() {
        var rig = EngineHarness()
        rig.start("focus 25m")
        for bad in [0, -1_500, -86_401, 86_401, .min, .max, 86_400 - 1_499] {
            #expect(outcome(rig.press(.extend(seconds: bad))) == .refused(.invalid), "\(bad)")
        }
        #expect(outcome(rig.press(.extend(seconds: 86_400 - 1_500))) == .applied)
        #expect(outcome(rig.press(.extend(seconds: 1))) == .refused(.invalid))
        #expect(rig.moment?.shownSeconds == 86_400)
    }

    /// The state decides before the arguments, as for every operation.
    @Test(arguments: [0, 60, Int.max]) func extendIsNotAllowedByAnyNumber(seconds: Int) {
        var (ready, counting) = (EngineHarness(), EngineHarness())
        ready.start("focus 25m, shortBreak 5m")
        ready.pass(25 * 60_000)
        counting.start("focus 1m", mode: .countup)
        for var rig in [ready, counting] {
            #expect(outcome(rig.press(.extend(seconds: seconds))) == .refused(.notAllowed))
        }
    }

    @Test func correctionReplacesWhatItNames() {
        var rig = EngineHarness()
        rig.start("focus 25m", title: "Readin")
        let red = Colour(red: 255, green: 0, blue: 0)
        let steps: [(IntentOperation, Outcome, String, Label?)] = [
            (.correct(title: "Reading"), .applied, "Reading", nil),
            (.correct(title: "Reading"), .noop, "Reading", nil),
            (.correct(label: "Studdy", colour: red), .applied, "Reading", Label(name: "Studdy", colour: red)),
            (.correct(label: "Study"), .applied, "Reading", Label(name: "Study", colour: red)),
            (.correct(title: "", colour: .grey), .applied, "", Label(name: "Study")),
            (.correct(label: ""), .applied, "", nil), (.correct(label: ""), .noop, "", nil),
            (.correct(label: "Work"), .applied, "", Label(name: "Work")),
            (.correct(label: " Work "), .noop, "", Label(name: "Work")),
            (.correct(title: " Mail "), .applied, "Mail", Label(name: "Work")),
            (.correct(title: "  "), .applied, "", Label(name: "Work")),
            (.correct(label: "  "), .refused(.invalid), "", Label(name: "Work")),
        ]
        for (operation, expected, title, label) in steps {
            #expect(outcome(rig.press(operation)) == expected, "\(operation)")
            #expect(rig.own?.title == title, "\(operation)")
            #expect(rig.own?.label == label, "\(operation)")
        }
    }

    @Test func correctionHasTheBoundsOfAStart() {
        var rig = EngineHarness()
        rig.start("focus 25m")
        let long = { (bytes: Int) in String(repeating: "x", count: bytes) }
        let bad: [IntentOperation] = [
            .correct(), .correct(title: long(Limits.titleBytes + 1)), .correct(title: "a\u{1B}[2J"),
            .correct(label: long(Limits.nameBytes + 1)), .correct(label: "a\nb"), .correct(colour: .grey),
            .correct(title: "Reading", label: "", colour: .grey), .correct(title: "Reading", label: "\u{202E}"),
        ]
        for operation in bad {
            #expect(outcome(rig.press(operation)) == .refused(.invalid), "\(operation)")
            #expect(rig.own?.rev == 1, "\(operation)")
        }
        let longest = IntentOperation.correct(title: long(Limits.titleBytes), label: long(Limits.nameBytes))
        #expect(outcome(rig.press(longest)) == .applied)
        #expect(rig.own?.invalidField == nil)
    }

    @Test func startBreakUsesTheNextBreakOrInsertsOne() {
        var rig = EngineHarness()
        rig.start("focus 25m, focus 25m, shortBreak 3m")
        rig.press(.startBreak)
        #expect(rig.own?.plan == plan("focus 25m, shortBreak 3m, focus 25m, shortBreak 3m"))
        rig.press(.startFocus)
        #expect(rig.own?.phase == 2)
        rig.press(.startBreak)
        #expect(rig.own?.phase == 3)
        #expect(rig.own?.plan.count == 4)
        rig.press(.startFocus)
        #expect(rig.own?.plan.count == 5)
        #expect(rig.own?.currentPhase == Phase(kind: .focus, seconds: 1_500))
    }

    @Test func insertedPhaseIgnoresEarlierExtensions() {
        var rig = EngineHarness()
        rig.start("focus 30m, shortBreak 4m")
        rig.press(.extend(seconds: 60))
        rig.press(.extend(seconds: 60))
        rig.press(.startBreak)
        rig.press(.extend(seconds: 60))
        rig.press(.startFocus)
        #expect(rig.own?.currentPhase == Phase(kind: .focus, seconds: 1_800))
        rig.press(.startBreak)
        #expect(rig.own?.currentPhase == Phase(kind: .shortBreak, seconds: 240))
        #expect(rig.own?.plan.map(\.seconds) == [1_920, 300, 1_800, 240], "extended phases keep their length")

        var sets = EngineHarness()
        sets.start("work 40s, rest 20s")
        for operation in [.startBreak, .extend(seconds: 60), .startFocus, .startBreak] as [IntentOperation] {
            sets.press(operation)
        }
        #expect(sets.own?.currentPhase == Phase(kind: .rest, seconds: 20))
    }

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

    @Test func everyFourthInsertedBreakIsLong() {
        var rig = EngineHarness()
        rig.start("focus 25m")
        var kinds: [PhaseKind?] = []
        for _ in 0..<8 {
            rig.press(.startBreak)
            kinds.append(rig.own?.currentPhase.kind)
            rig.press(.startFocus)
        }
        let expected: [PhaseKind] = [
            .shortBreak, .shortBreak, .shortBreak, .longBreak, .shortBreak, .shortBreak, .shortBreak, .longBreak,
        ]
        #expect(kinds == expected)
        #expect(rig.own?.plan.first { $0.kind == .longBreak }?.seconds == 900)
    }

    @Test func longBreakFollowsTheSettings() {
        var never = EngineHarness(defaults: PhaseDefaults(longBreakEvery: 0))
        never.start("focus 25m")
        never.press(.startBreak)
        #expect(never.own?.currentPhase.kind == .shortBreak)
        var always = EngineHarness(defaults: PhaseDefaults(longBreak: 1_200, longBreakEvery: 1))
        always.start("focus 25m")
        always.press(.startBreak)
        #expect(always.own?.currentPhase == Phase(kind: .longBreak, seconds: 1_200))
        var bad = EngineHarness(defaults: PhaseDefaults(shortBreak: 0))
        bad.start("focus 25m")
        #expect(outcome(bad.press(.startBreak)) == .refused(.notAllowed))
    }

    @Test func fullPlanRefusesAnInsertedPhase() {
        var rig = EngineHarness()
        rig.start("focus 1m x80")
        #expect(outcome(rig.press(.startBreak)) == .refused(.notAllowed))
        #expect(outcome(rig.press(.skip)) == .applied)
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
