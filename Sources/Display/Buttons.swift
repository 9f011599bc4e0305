// SPDX-License-Identifier: Apache-2.0

public import Session

/// Something that a person can press.
public struct Button: Hashable, Sendable {
    /// What it asks for.
    public var operation: Operation
    /// The key that presses it on a terminal.
    public var key: Character
    /// Its text.
    public var text: String
    /// Whether it was pressed and the answer is still on its way.
    public var isPending: Bool

    /// Makes a button.
    public init(operation: Operation, key: Character, text: String, isPending: Bool = false) {
        self.operation = operation
        self.key = key
        self.text = text
        self.isPending = isPending
    }
}

/// Which buttons a session has, on every surface that has any.
public enum Buttons {
    /// What the `+1 min` button asks for.
    public static let extend = Operation.extend(seconds: 60)

    /// The operations with a button, in their order; none when idle, ended or stale, or on a face without buttons.
    public static func operations(of moment: Moment?, face: Face = .focus) -> [Operation] {
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

    /// What a key of a terminal asks for; `nil` where the session's state does not allow it.
    ///
    /// Keys reach further than buttons: whatever the owner would apply can be pressed.
    public static func operation(for key: Character, of moment: Moment?) -> Operation? {
        guard let moment, moment.staleFor == nil else { return nil }
        let register = moment.register
        guard register.status.isLive, let operation = operation(for: key) else { return nil }
        let isBreak = register.currentPhase.kind.isBreak
        let isReady = register.status == .ready
        let isCountdown = register.mode == .countdown
        let isAllowed =
            switch operation {
            case .pause: register.status == .running
            case .resume: register.status == .paused
            case .stop: true
            case .extend: isCountdown && !isReady
            case .startBreak: isCountdown && isBreak == isReady
            case .startFocus: isCountdown && isBreak != isReady
            case .skip: isCountdown
            }
        return isAllowed ? operation : nil
    }

    /// The key that presses an operation.
    public static func key(of operation: Operation) -> Character {
        switch operation {
        case .pause: "p"
        case .resume: "r"
        case .stop: "s"
        case .extend: "+"
        case .startBreak: "b"
        case .startFocus: "f"
        case .skip: "n"
        }
    }

    private static func operation(for key: Character) -> Operation? {
        let all: [Operation] = [.pause, .resume, .stop, extend, .startBreak, .startFocus, .skip]
        return all.first { Self.key(of: $0) == (key == "e" ? "+" : key) }
    }

    static func text(of operation: Operation, face: Face) -> Strings.Key? {
        switch operation {
        case .pause: .pause
        case .resume: .resume
        case .stop: face == .calm ? .endSession : .stop
        case .extend: .extend
        case .startBreak: .startBreak
        case .startFocus: .startFocus
        case .skip: nil
        }
    }
}
