// SPDX-License-Identifier: Apache-2.0

public import Session

/// A button of a display.
public struct Button: Hashable, Sendable {
    /// The operation that it requests.
    public var operation: IntentOperation
    /// Its key on a terminal.
    public var key: Character
    /// The caption.
    public var text: Localized
    /// Whether it was pressed and the answer has not arrived.
    public var isPending: Bool

    /// Creates a button.
    public init(operation: IntentOperation, key: Character, text: Localized, isPending: Bool = false) {
        self.operation = operation
        self.key = key
        self.text = text
        self.isPending = isPending
    }
}

/// The rules for which operations have buttons and keys, shared by all displays.
public enum Buttons {
    /// The operation of the `+1 min` button.
    public static let extend = IntentOperation.extend(seconds: 60)

    /// Returns the operations with a button, in order; none if idle, ended, stale, or without buttons on the face.
    public static func operations(of moment: Moment?, face: Face = .focus) -> [IntentOperation] {
        guard face.hasButtons, let moment, moment.staleFor == nil else { return [] }
        let register = moment.register
        guard register.status.isLive else { return [] }
        guard register.mode == .countdown else { return [.stop] }
        let isBreak = register.currentPhase.kind.isBreak
        let isPaused = register.status == .paused
        if register.status == .ready { return [isBreak ? .startBreak : .startFocus, .stop] }
        if isBreak { return isPaused ? [.resume, .stop, .startFocus] : [.stop, extend, .startFocus] }
        if face == .calm { return [isPaused ? .resume : .pause, .stop] }
        return isPaused ? [.resume, .stop, .startBreak] : [.pause, extend, .startBreak]
    }

    /// Returns every operation that the owner would apply, in the order of a remote control.
    ///
    /// They are more than a face has buttons for; none if idle, ended or stale. To skip the last phase is to stop, which has a
    /// button that can be undone.
    public static func allOperations(of moment: Moment?) -> [IntentOperation] {
        let extensions = [60, 300, 600].map { IntentOperation.extend(seconds: $0) }
        let isLastPhase = moment.map { $0.register.phase + 1 >= $0.register.plan.count } ?? true
        let next: [IntentOperation] = isLastPhase ? [] : [.skip]
        return ([.pause, .resume, .startBreak, .startFocus] + next + extensions + [.stop]).filter {
            isAllowed($0, moment)
        }
    }

    /// Returns the operation of a terminal key; `nil` if the session's state does not allow it.
    ///
    /// There are more keys than buttons: any operation that the owner would apply has one.
    public static func operation(for key: Character, of moment: Moment?) -> IntentOperation? {
        guard let operation = operation(for: key), isAllowed(operation, moment) else { return nil }
        return operation
    }

    private static func isAllowed(_ operation: IntentOperation, _ moment: Moment?) -> Bool {
        guard let moment, moment.staleFor == nil else { return false }
        let register = moment.register
        guard register.status.isLive else { return false }
        let isBreak = register.currentPhase.kind.isBreak
        let isReady = register.status == .ready
        let isCountdown = register.mode == .countdown
        return switch operation {
        case .pause: register.status == .running
        case .resume: register.status == .paused
        case .stop: true
        case .extend: isCountdown && !isReady
        case .startBreak: isCountdown && isBreak == isReady
        case .startFocus: isCountdown && isBreak != isReady
        case .skip: isCountdown
        case .correct: true
        }
    }

    /// Returns the terminal key of an operation; `nil` for one that needs a text.
    public static func key(of operation: IntentOperation) -> Character? {
        switch operation {
        case .pause: "p"
        case .resume: "r"
        case .stop: "s"
        case .extend: "+"
        case .startBreak: "b"
        case .startFocus: "f"
        case .skip: "n"
        case .correct: nil
        }
    }

    private static func operation(for key: Character) -> IntentOperation? {
        let all: [IntentOperation] = [.pause, .resume, .stop, extend, .startBreak, .startFocus, .skip]
        return all.first { Self.key(of: $0) == (key == "e" ? "+" : key) }
    }

    /// Returns the text of a button; `nil` for an operation that needs a text of the person.
    static func text(of operation: IntentOperation, face: Face, strings: Strings) -> Localized? {
        switch operation {
        case .pause: strings[.pause]
        case .resume: strings[.resume]
        case .stop: strings[face == .calm ? .endSession : .stop]
        case .extend(let seconds): "+\(strings.text(.shortMinutes, count: seconds / 60))"
        case .startBreak: strings[.startBreak]
        case .startFocus: strings[.startFocus]
        case .skip: strings[.eventPhase]
        case .correct: nil
        }
    }
}
