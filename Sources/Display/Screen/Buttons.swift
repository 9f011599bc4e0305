// SPDX-License-Identifier: Apache-2.0

package import Session

/// An action that a display offers, with its key and its text.
package struct Button: Hashable, Sendable {
    /// The action of a button.
    package enum Action: Hashable, Sendable {
        /// Requests an operation of the session's owner.
        case press(IntentOperation)
        /// Moves the session to the display's own node.
        case take
        case acknowledge

        /// The name of the action in requests: that of the operation, `take` or `ok`.
        package var name: String {
            switch self {
            case .press(let operation): operation.name.rawValue
            case .take: "take"
            case .acknowledge: "ok"
            }
        }
    }

    package var action: Action
    package var key: Character
    package var text: Localized
    /// Whether it was pressed and the answer has not arrived.
    package var isPending: Bool
}

/// The rules that decide which actions have buttons and keys, shared by all displays.
package enum Buttons {
    package static let extend = IntentOperation.extend(seconds: 60)
    private static let shorten = IntentOperation.extend(seconds: -60)

    /// Returns the actions with a button, in order; none if idle, ended, or without buttons on the face.
    package static func actions(of moment: Moment?, face: Face = .focus, canContinue: Bool) -> [Button.Action] {
        guard face.hasButtons, let moment else { return [] }
        return ok(moment) + presses(of: moment, face: face, canContinue: canContinue)
    }

    private static func ok(_ moment: Moment) -> [Button.Action] { moment.alarm == nil ? [] : [.acknowledge] }

    private static func presses(of moment: Moment, face: Face, canContinue: Bool) -> [Button.Action] {
        guard moment.register.status.isLive else { return [] }
        guard moment.staleFor == nil else { return canContinue ? ofStale : [] }
        return operations(of: moment.register, face: face).map(Button.Action.press)
    }

    /// The actions on a session whose owner is gone: each makes it the session of the display's own node.
    private static let ofStale: [Button.Action] = [.take, .press(.stop)]

    private static func operations(of register: Register, face: Face) -> [IntentOperation] {
        guard register.mode == .countdown else { return [.stop] }
        let isBreak = register.currentPhase.kind.isBreak
        let isPaused = register.status == .paused
        if register.status == .ready { return [isBreak ? .startBreak : .startFocus, .stop] }
        if isBreak { return isPaused ? [.resume, .stop, .startFocus] : [.stop, extend, .startFocus] }
        if face == .calm { return [isPaused ? .resume : .pause, .stop] }
        return isPaused ? [.resume, .stop, .startBreak] : [.pause, extend, .startBreak]
    }

    /// Returns every action that has an effect, in the order of a remote control.
    ///
    /// They are more than a face has buttons for, unless the session is stale. The last phase cannot
    /// be skipped: that would stop the session, and the remote page can undo only a press of its stop button.
    package static func allActions(of moment: Moment?, canContinue: Bool) -> [Button.Action] {
        guard let moment, moment.register.status.isLive, moment.staleFor == nil else {
            return actions(of: moment, canContinue: canContinue)
        }
        let extensions = [-60, 60, 300, 600].map { IntentOperation.extend(seconds: $0) }
        let isLastPhase = moment.register.phase + 1 >= moment.register.plan.count
        let next: [IntentOperation] = isLastPhase ? [] : [.skip]
        let all = [.pause, .resume, .startBreak, .startFocus] + next + extensions + [.stop]
        let take: [Button.Action] = canContinue && !moment.isOwner ? [.take] : []
        return ok(moment) + all.filter { isAllowed($0, moment) }.map(Button.Action.press) + take
    }

    /// Returns the action of a terminal key; `nil` if the session's state does not allow it.
    ///
    /// There are more keys than buttons: every operation without arguments has one, and a minute more or less.
    package static func action(for key: Character, of moment: Moment?, canContinue: Bool) -> Button.Action? {
        guard let moment else { return nil }
        if key == "o", moment.alarm != nil { return .acknowledge }
        guard moment.register.status.isLive else { return nil }
        guard moment.staleFor == nil else {
            return actions(of: moment, canContinue: canContinue).first { Self.key(of: $0) == key }
        }
        guard let operation = operation(for: key), isAllowed(operation, moment) else { return nil }
        return .press(operation)
    }

    private static func isAllowed(_ operation: IntentOperation, _ moment: Moment) -> Bool {
        let register = moment.register
        let isBreak = register.currentPhase.kind.isBreak
        let isReady = register.status == .ready
        let isCountdown = register.mode == .countdown
        return switch operation {
        case .pause: register.status == .running
        case .resume: register.status == .paused
        case .stop: true
        case .extend(let seconds): isCountdown && !isReady && moment.remaining > .seconds(Int64(-seconds))
        case .startBreak: isCountdown && isBreak == isReady
        case .startFocus: isCountdown && isBreak != isReady
        case .skip: isCountdown
        case .correct: true
        }
    }

    /// Returns the operation that pauses the time, or lets it run.
    package static func toggle(_ register: Register) -> IntentOperation {
        switch register.status {
        case .running: .pause
        case .ready: register.currentPhase.kind.isBreak ? .startBreak : .startFocus
        default: .resume
        }
    }

    package static func key(of action: Button.Action) -> Character? {
        switch action {
        case .take: "c"
        case .acknowledge: "o"
        case .press(.extend(seconds: ..<0)): "-"
        case .press(.pause): "p"
        case .press(.resume): "r"
        case .press(.stop): "s"
        case .press(.extend): "+"
        case .press(.startBreak): "b"
        case .press(.startFocus): "f"
        case .press(.skip): "n"
        case .press(.correct): nil
        }
    }

    private static func operation(for key: Character) -> IntentOperation? {
        let all: [IntentOperation] = [.pause, .resume, .stop, extend, shorten, .startBreak, .startFocus, .skip]
        return all.first { Self.key(of: .press($0)) == key }
    }

    static func text(of action: Button.Action, face: Face, strings: Strings) -> Localized? {
        switch action {
        case .take: strings[.takeHere]
        case .acknowledge: strings[.ok]
        case .press(.pause): strings[.pause]
        case .press(.resume): strings[.resume]
        case .press(.stop): strings[face == .calm ? .endSession : .stop]
        case .press(.extend(let seconds)):
            "\(seconds < 0 ? "−" : "+")\(strings.text(.shortMinutes, count: abs(seconds) / 60))"
        case .press(.startBreak): strings[.startBreak]
        case .press(.startFocus): strings[.startFocus]
        case .press(.skip): strings[.eventPhase]
        case .press(.correct): nil
        }
    }
}
