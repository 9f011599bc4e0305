// SPDX-License-Identifier: Apache-2.0

public import Session

/// What a screen depends on besides the session.
public struct ScreenOptions: Sendable {
    /// The language.
    public var strings: Strings
    /// The node that the display belongs to; `nil` for none.
    public var node: NodeID?
    /// Whether nothing can be pressed on this display.
    public var isReadOnly: Bool
    /// Seconds that this place is ahead of UTC at a time given in milliseconds since 1970.
    public var utcOffset: @Sendable (Int64) -> Int
    /// What was pressed here and is not answered yet.
    public var pending: Operation?
    /// An answer that the person should read.
    public var message: String?
    /// What the calm feed says of the current session; `nil` where there is none.
    public var calm: Calm?
    /// Minutes of this week's debt, negative where more than the goal was done; `nil` where nobody counts them.
    public var debtMinutes: Int?
    /// Whether the clock of this display's machine is wrong.
    public var isClockWrong: Bool
    /// Whether the last change is not on the disk of this display's machine.
    public var isUnsaved: Bool
    /// Whether the display's node was given no broker: then it has no connection that could be lost.
    public var worksAlone: Bool

    /// Makes options.
    public init(
        strings: Strings = .english, node: NodeID? = nil, isReadOnly: Bool = false,
        utcOffset: @escaping @Sendable (Int64) -> Int = { _ in 0 }, pending: Operation? = nil, message: String? = nil,
        calm: Calm? = nil, debtMinutes: Int? = nil, isClockWrong: Bool = false, isUnsaved: Bool = false,
        worksAlone: Bool = false
    ) {
        self.strings = strings
        self.node = node
        self.isReadOnly = isReadOnly
        self.utcOffset = utcOffset
        self.pending = pending
        self.message = message
        self.calm = calm
        self.debtMinutes = debtMinutes
        self.isClockWrong = isClockWrong
        self.isUnsaved = isUnsaved
        self.worksAlone = worksAlone
    }
}

extension Screen {
    /// What `face` shows of `view` when this node's boot clock reads `boot`.
    public init(_ view: View, at boot: Int64, face: Face, options: ScreenOptions = ScreenOptions()) {
        self.init(face: face)
        let strings = options.strings
        idleText = strings[.idle]
        pendingText = strings[.pending]
        notices = Self.notices(of: view, at: boot, options: options)
        guard let moment = view.moment(at: boot) else { return }
        let register = moment.register
        status = register.status
        let sign = face.marksApproximate && moment.isApproximate ? TimeText.approximateSign : ""
        times = Self.times(moment.shownSeconds, face: face, strings: strings).map { sign + $0 }
        widestTime = sign + TimeText.text(seconds: moment.widestSeconds, padded: true)
        stateText = Self.stateText(of: register, options: options)
        label = register.label
        title = register.title
        isBreak = register.currentPhase.kind.isBreak
        icon = isBreak ? .cup : register.icon.flatMap(Icon.init(rawValue:)) ?? .hourglass
        emoji = register.icon.flatMap { Icon.isEmoji($0) ? $0 : nil }
        tint = isBreak ? Tint.rest : register.label?.colour ?? Tint.focus
        let position = Self.position(in: register)
        isIndicatorKind = position == nil && register.currentPhase.name == nil
        if face == .phases || !isIndicatorKind {
            phaseIndicator = Self.indicator(of: register, position: position, strings: strings)
        }
        if register.mode == .countdown {
            progress = Double(moment.elapsed) / Double(max(register.currentPhase.length, 1))
        }
        endsAt = register.endsAt.map { end in
            strings.text(.endsAt, ["time": TimeText.clock(end, offset: options.utcOffset(end))])
        }
        if face == .calm {
            let percent = options.calm?.percent.map { strings.text(.percent, ["count": String($0)]) }
            calmText = strings.text(.calmPercent, ["percent": percent ?? Calm.unknown])
            calmTrend = percent == nil ? nil : options.calm?.trend
        }
        if face == .boring { debtText = options.debtMinutes.flatMap { $0 > 0 ? DebtText.text(minutes: $0) : nil } }
        facts = Facts(of: moment, face: face, options: options)
        if face.hasButtons, !options.isReadOnly { buttons = Self.buttons(of: moment, face: face, options: options) }
    }

    private static func times(_ seconds: Int, face: Face, strings: Strings) -> [String] {
        [TimeText.text(seconds: seconds, padded: face.padsMinutes)]
            + TimeText.shorter(seconds: seconds, hourMark: strings[.hourMark])
    }

    private static func buttons(of moment: Moment, face: Face, options: ScreenOptions) -> [Button] {
        Buttons.operations(of: moment, face: face).compactMap { operation in
            guard let text = Buttons.text(of: operation, face: face) else { return nil }
            return Button(
                operation: operation, key: Buttons.key(of: operation), text: options.strings[text],
                isPending: operation == options.pending)
        }
    }

    private static func stateText(of register: Register, options: ScreenOptions) -> String {
        let kind = register.currentPhase.kind
        switch register.status {
        case .running: return options.strings[kind.texts.running]
        case .paused: return options.strings[kind.texts.paused]
        case .ready: return options.strings[kind.texts.next]
        case .completed: return options.strings[.completed]
        case .stopped: return options.strings[.stopped]
        case .superseded:
            guard let by = register.supersededBy else { return options.strings[.eventSuperseded] }
            let time = TimeText.clock(by.at, offset: options.utcOffset(by.at))
            return options.strings.text(.supersededBy, ["node": by.node.rawValue, "time": time])
        }
    }

    private static func indicator(
        of register: Register, position: (index: Int, total: Int)?, strings: Strings
    ) -> String {
        let current = register.currentPhase
        let name = current.name ?? strings[current.kind.texts.name]
        guard let position else { return name }
        return strings.text(
            .phaseIndicator, ["phase": name, "index": "\(position.index)", "total": "\(position.total)"])
    }

    /// Counts phases of the same kind, as people do: the third of eight sets of work. `nil` where there is only one.
    static func position(in register: Register) -> (index: Int, total: Int)? {
        let current = register.currentPhase
        let isSame = { (phase: Phase) in phase.kind.countsAs == current.kind.countsAs }
        let total = register.plan.count(where: isSame)
        return total > 1 ? (register.plan[...register.phase].count(where: isSame), total) : nil
    }
}

extension Moment {
    /// The largest number of seconds that this phase shows.
    fileprivate var widestSeconds: Int {
        switch register.mode {
        case .countdown: max(register.currentPhase.seconds, shownSeconds)
        case .countup: shownSeconds
        }
    }
}

extension PhaseKind {
    fileprivate var countsAs: PhaseKind { self == .longBreak ? .shortBreak : self }

    var texts: (name: Strings.Key, running: Strings.Key, paused: Strings.Key, next: Strings.Key) {
        switch self {
        case .focus: (.focus, .focusInProgress, .focusPaused, .focusNext)
        case .shortBreak: (.shortBreak, .breakInProgress, .breakPaused, .breakNext)
        case .longBreak: (.longBreak, .breakInProgress, .breakPaused, .breakNext)
        case .work: (.work, .workInProgress, .workPaused, .workNext)
        case .rest: (.rest, .restInProgress, .restPaused, .restNext)
        case .phase: (.phase, .phaseInProgress, .phasePaused, .phaseNext)
        }
    }
}
