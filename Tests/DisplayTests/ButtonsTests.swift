// SPDX-License-Identifier: Apache-2.0

import API
import Display
import Session
import Support
import Testing

@Suite(.timeLimit(.minutes(15))) struct ButtonsTests {
    /// States which buttons each kind of phase has in each status.
    @Test(arguments: PhaseKind.allCases, Status.allCases)
    func buttonsFollowTheTable(kind: PhaseKind, status: Status) {
        let session = makeView(makeRegister([Phase(kind: kind, seconds: 60)], status: status))
        let texts = Screen(session, at: 0, face: .focus).buttons.map(\.text)
        switch status {
        case .completed, .stopped, .superseded: #expect(texts.isEmpty)
        case .ready: #expect(texts == [kind.isBreak ? "Start break" : "Start focus", "Stop"])
        case .running where kind.isBreak: #expect(texts == ["Stop", "+1 min", "Start focus"])
        case .paused where kind.isBreak: #expect(texts == ["Resume", "Stop", "Start focus"])
        case .running: #expect(texts == ["Pause", "+1 min", "Start break"])
        case .paused: #expect(texts == ["Resume", "Stop", "Start break"])
        }
        let actions = Buttons.actions(of: session.moment(at: 0), canContinue: true)
        #expect(Buttons.actions(of: session.moment(at: 0), face: .phases, canContinue: true) == actions)
        // The calm face has two buttons of its own, except in breaks.
        let calm = Buttons.actions(of: session.moment(at: 0), face: .calm, canContinue: true)
        switch status {
        case .running where !kind.isBreak: #expect(calm == [.press(.pause), .press(.stop)])
        case .paused where !kind.isBreak: #expect(calm == [.press(.resume), .press(.stop)])
        default: #expect(calm == actions)
        }
    }

    @Test(arguments: [Status.running, .paused])
    func countUpHasOnlyStop(status: Status) {
        let screen = Screen(makeView(makeRegister(status: status, mode: .countup)), at: 0, face: .focus)
        #expect(screen.buttons.map(\.action) == [.press(.stop)])
        #expect(screen.progress == nil)
    }

    @Test func buttonsAreMissingWhenStaleIdleReadOnlyOrBoring() {
        #expect(Screen(makeView(nil), at: 0, face: .focus).buttons.isEmpty)
        #expect(Screen(makeView(makeRegister(), lostAt: 0), at: 30_000, face: .focus).buttons.isEmpty)
        #expect(!Screen(makeView(makeRegister(), lostAt: 0), at: 29_999, face: .focus).buttons.isEmpty)
        #expect(
            Screen(makeView(makeRegister()), at: 0, face: .focus, options: ScreenOptions(isReadOnly: true)).buttons
                .isEmpty)
        var ofReadOnlyNode = ScreenOptions()
        ofReadOnlyNode.take(NodeView(makeView(makeRegister()), isReadOnly: true))
        #expect(Screen(makeView(makeRegister()), at: 0, face: .focus, options: ofReadOnlyNode).buttons.isEmpty)
        #expect(Screen(makeView(makeRegister()), at: 0, face: .boring).buttons.isEmpty)
    }

    /// The display's own node continues the session or ends it, if it is connected and may own one.
    @Test(arguments: Status.allCases, Session.Mode.allCases)
    func aStaleSessionCanBeContinuedHereOrStopped(status: Status, mode: Session.Mode) {
        let lost = makeView(makeRegister(status: status, mode: mode), lostAt: 0)
        func options(isLinked: Bool = true, isReadOnly: Bool = false, mayOwn: Bool = true) -> ScreenOptions {
            var (options, seen) = (ScreenOptions(), lost)
            seen.isLinked = isLinked
            options.take(NodeView(seen, isReadOnly: isReadOnly, mayOwn: mayOwn))
            return options
        }
        func texts(_ options: ScreenOptions, face: Face = .focus) -> [String] {
            Screen(lost, at: 40_000, face: face, options: options).buttons.map(\.text.description)
        }
        let wanted: [String] = status.isLive ? ["Continue here", "Stop"] : []
        var remote = options()
        remote.hasAllActions = true
        for options in [options(), remote] { #expect(texts(options) == wanted) }
        #expect(texts(options(), face: .phases) == wanted)
        #expect(texts(options(), face: .calm) == (status.isLive ? ["Continue here", "End session"] : []))
        #expect(texts(options(), face: .boring) == [])
        #expect(texts(options(isLinked: false)) == [])
        #expect(texts(options(isReadOnly: true)) == [])
        #expect(texts(options(mayOwn: false)) == [])
        let moment = lost.moment(at: 40_000)
        #expect(Buttons.action(for: "c", of: moment, canContinue: true) == (status.isLive ? .take : nil))
        #expect(Buttons.action(for: "s", of: moment, canContinue: true) == (status.isLive ? .press(.stop) : nil))
        for key in "prbfn+e" { #expect(Buttons.action(for: key, of: moment, canContinue: true) == nil) }
        #expect(Buttons.action(for: "s", of: moment, canContinue: false) == nil)
        #expect(Buttons.action(for: "c", of: lost.moment(at: 0), canContinue: true) == nil, "its owner is there")
    }

    @Test(arguments: PhaseKind.allCases, Status.allCases)
    func keyOfAButtonDoesTheSame(kind: PhaseKind, status: Status) {
        for mode in Session.Mode.allCases {
            let register = makeRegister([Phase(kind: kind, seconds: 60)], status: status, mode: mode)
            let moment = makeView(register).moment(at: 0)
            for button in Screen(makeView(register), at: 0, face: .focus).buttons {
                #expect(Buttons.action(for: button.key, of: moment, canContinue: true) == button.action)
            }
        }
    }

    @Test func keysReachOperationsWithoutButtons() {
        let running = makeView(makeRegister()).moment(at: 0)
        #expect(Buttons.action(for: "s", of: running, canContinue: true) == .press(.stop))
        #expect(Buttons.action(for: "n", of: running, canContinue: true) == .press(.skip))
        #expect(Buttons.action(for: "+", of: running, canContinue: true) == .press(.extend(seconds: 60)))
        #expect(Buttons.action(for: "r", of: running, canContinue: true) == nil)
        #expect(Buttons.action(for: "f", of: running, canContinue: true) == nil)
        #expect(Buttons.action(for: "x", of: running, canContinue: true) == nil)
        let countUp = makeView(makeRegister(mode: .countup)).moment(at: 0)
        #expect(Buttons.action(for: "p", of: countUp, canContinue: true) == .press(.pause))
        #expect(Buttons.action(for: "n", of: countUp, canContinue: true) == nil)
        #expect(Buttons.action(for: "s", of: nil, canContinue: true) == nil)
    }

    @Test func aRemoteHasAButtonForEachAllowedOperation() {
        var options = ScreenOptions()
        options.hasAllActions = true
        let plan = [Phase(kind: .focus, seconds: 1_500), Phase(kind: .focus, seconds: 300)]
        let single = Screen(makeView(makeRegister()), at: 0, face: .focus, options: options)
        #expect(
            single.buttons.map(\.text) == ["Pause", "Start break", "−1 min", "+1 min", "+5 min", "+10 min", "Stop"],
            "to skip the last phase is to stop")
        let running = Screen(makeView(makeRegister(plan)), at: 0, face: .focus, options: options)
        #expect(
            running.buttons.map(\.text) == [
                "Pause", "Start break", "Next phase", "−1 min", "+1 min", "+5 min", "+10 min", "Stop",
            ])
        let ready = Screen(makeView(makeRegister(plan, status: .ready)), at: 0, face: .focus, options: options)
        #expect(ready.buttons.map(\.text) == ["Start focus", "Next phase", "Stop"])
        let countUp = Screen(makeView(makeRegister(mode: .countup)), at: 0, face: .focus, options: options)
        #expect(countUp.buttons.map(\.text) == ["Pause", "Stop"])
        #expect(Screen(makeView(nil), at: 0, face: .focus, options: options).buttons.isEmpty)
        options.canContinue = true
        #expect(
            Screen(makeView(makeRegister(mode: .countup)), at: 0, face: .focus, options: options).buttons.map(\.text)
                == [
                    "Pause", "Stop", "Continue here",
                ])
        options.isReadOnly = true
        #expect(Screen(makeView(makeRegister()), at: 0, face: .focus, options: options).buttons.isEmpty)
    }

    @Test func pressedButtonIsPending() {
        let screen = Screen(
            makeView(makeRegister()), at: 0, face: .focus, options: ScreenOptions(pending: .press(.pause)))
        #expect(screen.buttons.map(\.isPending) == [true, false, false])
    }
}
