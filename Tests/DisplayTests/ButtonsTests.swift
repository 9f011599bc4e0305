// SPDX-License-Identifier: Apache-2.0

import Control
import Display
import Session
import Testing

@Suite(.timeLimit(.minutes(5))) struct ButtonsTests {
    /// Checks each cell of the product's table.
    @Test(arguments: PhaseKind.allCases, Status.allCases)
    func buttonsFollowTheTable(kind: PhaseKind, status: Status) {
        let session = view(sample([Phase(kind: kind, seconds: 60)], status: status))
        let texts = Screen(session, at: 0, face: .focus).buttons.map(\.text)
        switch status {
        case .completed, .stopped, .superseded: #expect(texts.isEmpty)
        case .ready: #expect(texts == [kind.isBreak ? "Start break" : "Start focus", "Stop"])
        case .running where kind.isBreak: #expect(texts == ["Stop", "+1 min", "Start focus"])
        case .paused where kind.isBreak: #expect(texts == ["Resume", "Stop", "Start focus"])
        case .running: #expect(texts == ["Pause", "+1 min", "Start break"])
        case .paused: #expect(texts == ["Resume", "Stop", "Start break"])
        }
        let operations = Buttons.operations(of: session.moment(at: 0))
        #expect(Buttons.operations(of: session.moment(at: 0), face: .phases) == operations)
        // The calm face has two buttons of its own, except in breaks.
        let calm = Buttons.operations(of: session.moment(at: 0), face: .calm)
        switch status {
        case .running where !kind.isBreak: #expect(calm == [.pause, .stop])
        case .paused where !kind.isBreak: #expect(calm == [.resume, .stop])
        default: #expect(calm == operations)
        }
    }

    @Test(arguments: [Status.running, .paused])
    func countUpHasOnlyStop(status: Status) {
        let screen = Screen(view(sample(status: status, mode: .countup)), at: 0, face: .focus)
        #expect(screen.buttons.map(\.operation) == [.stop])
        #expect(screen.progress == nil)
    }

    @Test func buttonsAreMissingWhenStaleIdleReadOnlyOrBoring() {
        #expect(Screen(view(nil), at: 0, face: .focus).buttons.isEmpty)
        #expect(Screen(view(sample(), lostAt: 0), at: 30_000, face: .focus).buttons.isEmpty)
        #expect(!Screen(view(sample(), lostAt: 0), at: 29_999, face: .focus).buttons.isEmpty)
        #expect(Screen(view(sample()), at: 0, face: .focus, options: ScreenOptions(isReadOnly: true)).buttons.isEmpty)
        var ofReadOnlyNode = ScreenOptions()
        ofReadOnlyNode.take(NodeView(view(sample()), isReadOnly: true))
        #expect(Screen(view(sample()), at: 0, face: .focus, options: ofReadOnlyNode).buttons.isEmpty)
        #expect(Screen(view(sample()), at: 0, face: .boring).buttons.isEmpty)
    }

    @Test func extendButtonAddsAMinute() { #expect(Buttons.extend == .extend(seconds: 60)) }

    @Test(arguments: PhaseKind.allCases, Status.allCases)
    func keyOfAButtonDoesTheSame(kind: PhaseKind, status: Status) {
        for mode in Session.Mode.allCases {
            let register = sample([Phase(kind: kind, seconds: 60)], status: status, mode: mode)
            let moment = view(register).moment(at: 0)
            for button in Screen(view(register), at: 0, face: .focus).buttons {
                #expect(Buttons.operation(for: button.key, of: moment) == button.operation)
            }
        }
    }

    @Test func keysReachOperationsWithoutButtons() {
        let running = view(sample()).moment(at: 0)
        #expect(Buttons.operation(for: "s", of: running) == .stop)
        #expect(Buttons.operation(for: "n", of: running) == .skip)
        #expect(Buttons.operation(for: "e", of: running) == .extend(seconds: 60))
        #expect(Buttons.operation(for: "r", of: running) == nil)
        #expect(Buttons.operation(for: "f", of: running) == nil)
        #expect(Buttons.operation(for: "x", of: running) == nil)
        let countUp = view(sample(mode: .countup)).moment(at: 0)
        #expect(Buttons.operation(for: "p", of: countUp) == .pause)
        #expect(Buttons.operation(for: "n", of: countUp) == nil)
        #expect(Buttons.operation(for: "s", of: view(sample(), lostAt: 0).moment(at: 40_000)) == nil)
        #expect(Buttons.operation(for: "s", of: nil) == nil)
    }

    @Test func aRemoteHasAButtonForEachAllowedOperation() {
        var options = ScreenOptions()
        options.hasAllOperations = true
        let plan = [Phase(kind: .focus, seconds: 1_500), Phase(kind: .focus, seconds: 300)]
        let single = Screen(view(sample()), at: 0, face: .focus, options: options)
        #expect(
            single.buttons.map(\.text) == ["Pause", "Start break", "+1 min", "+5 min", "+10 min", "Stop"],
            "to skip the last phase is to stop")
        let running = Screen(view(sample(plan)), at: 0, face: .focus, options: options)
        #expect(
            running.buttons.map(\.text) == [
                "Pause", "Start break", "Next phase", "+1 min", "+5 min", "+10 min", "Stop",
            ])
        let ready = Screen(view(sample(plan, status: .ready)), at: 0, face: .focus, options: options)
        #expect(ready.buttons.map(\.text) == ["Start focus", "Next phase", "Stop"])
        let countUp = Screen(view(sample(mode: .countup)), at: 0, face: .focus, options: options)
        #expect(countUp.buttons.map(\.text) == ["Pause", "Stop"])
        #expect(Screen(view(nil), at: 0, face: .focus, options: options).buttons.isEmpty)
        #expect(Screen(view(sample(), lostAt: 0), at: 30_000, face: .focus, options: options).buttons.isEmpty)
        options.isReadOnly = true
        #expect(Screen(view(sample()), at: 0, face: .focus, options: options).buttons.isEmpty)
    }

    @Test func pressedButtonIsPending() {
        let screen = Screen(view(sample()), at: 0, face: .focus, options: ScreenOptions(pending: .pause))
        #expect(screen.buttons.map(\.isPending) == [true, false, false])
    }
}
