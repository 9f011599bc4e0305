// SPDX-License-Identifier: Apache-2.0

package import API
package import Session
package import Wire

/// The inputs of a screen besides the session.
package struct ScreenOptions: Sendable {
    package var strings: Strings
    package var node: NodeID?
    package var isReadOnly: Bool
    /// Whether every allowed action has a button, as on a remote control.
    package var hasAllActions = false
    /// Whether the display's node can make the session its own: it is connected and may own one.
    package var canContinue = false
    /// Returns the local offset from UTC in seconds, positive to the east, at a time in milliseconds since 1970.
    package var utcOffset: @Sendable (Int64) -> Int
    /// The action pressed here whose answer has not arrived.
    package var pending: Button.Action?
    package var answer: Localized?
    /// How calm the current session was; `nil` if too little was heard.
    package var calm: CalmFeed?
    package var debtMinutes: Int?
    package var isClockWrong = false
    package var isUnsaved = false
    package var worksAlone = false
    package var idle = Idle.clock
    /// This machine's wall clock, on a display that shows the time of day without a session.
    package var wallClock: WallTime?
    package var week: DebtWeek?
    /// How long before its end a running phase is marked; `nil` for never.
    package var near: EndWarning?

    package init(
        strings: Strings = .english, node: NodeID? = nil, isReadOnly: Bool = false,
        utcOffset: @escaping @Sendable (Int64) -> Int = { _ in 0 }, pending: Button.Action? = nil,
        answer: Localized? = nil, calm: CalmFeed? = nil, debtMinutes: Int? = nil
    ) {
        self.strings = strings
        self.node = node
        self.isReadOnly = isReadOnly
        self.utcOffset = utcOffset
        self.pending = pending
        self.answer = answer
        self.calm = calm
        self.debtMinutes = debtMinutes
    }

    var percentText: Localized { calm.map { strings.text(.percent, count: $0.percent) } ?? Strings.unknown }

    /// Copies the inputs besides the session from a node's view.
    package mutating func take(_ node: NodeView) {
        self.node = node.node ?? self.node
        calm = node.calm?.ifKnown
        debtMinutes = node.debtMinutes
        week = node.week
        isClockWrong = node.isClockWrong
        isUnsaved = node.isUnsaved
        worksAlone = node.worksAlone
        isReadOnly = isReadOnly || node.isReadOnly
        canContinue = node.view.isLinked && node.mayOwn
    }
}

extension Screen {
    package init(_ view: View, at boot: BootTime, face: Face, options: ScreenOptions = ScreenOptions()) {
        self.init(face: face)
        let strings = options.strings
        // A machine that waits for its broker shows its own name.
        idleText =
            view.isLinked || options.worksAlone
            ? strings[.idle] : options.node.map { .userText($0.rawValue) } ?? strings[.idle]
        pendingText = strings[.pending]
        notices = Self.notices(of: view, at: boot, options: options)
        guard let moment = view.moment(at: boot) else {
            addIdle(options)
            return
        }
        let register = moment.register
        status = register.status
        let sign: Localized = face.marksApproximate && moment.isApproximate ? TimeText.approximateSign : ""
        let plus: Localized = moment.isInOvertime ? "+" : ""
        times = Self.times(moment.shownSeconds, face: face, strings: strings).map { "\(sign)\(plus)\($0)" }
        widestTime = "\(sign)\(plus)\(TimeText.text(seconds: moment.widestSeconds, padded: true))"
        stateText = Self.stateText(of: register, options: options)
        label = register.label
        title = .userText(register.title)
        isBreak = register.currentPhase.kind.isBreak
        icon = isBreak ? .cup : register.icon.flatMap(Icon.init(rawValue:)) ?? .hourglass
        emoji = register.icon.flatMap { Icon.isEmoji($0) ? .userText($0) : nil }
        tint = isBreak ? Tint.rest : register.label?.colour ?? Tint.focus
        let position = Self.position(in: register)
        isIndicatorKind = position == nil && register.currentPhase.name == nil
        if face == .phases || !isIndicatorKind {
            phaseIndicator = Self.indicator(of: register, position: position, strings: strings)
        }
        if register.mode == .countdown {
            progress = Double(moment.elapsed.count) / Double(max(register.currentPhase.length.count, 1))
            let near = options.near.map { Milliseconds.seconds(Int64($0.seconds)) } ?? 0
            isNear = face != .boring && status == .running && !isStale && moment.remaining <= near
        }
        endsAt =
            moment.isInOvertime
            ? nil
            : register.endsAt.map { end in
                let now = register.anchor.at + (moment.boot - moment.anchorBoot)
                let end = end.milliseconds
                let time = strings.clock(end, from: now.milliseconds, offset: options.utcOffset(end))
                return strings.text(.endsAt, ["time": time])
            }
        if face == .calm {
            calmText = strings.text(.calmPercent, ["percent": options.percentText])
            calmTrend = options.calm?.trend
        }
        if face == .boring { debtText = options.debtMinutes.flatMap { $0 > 0 ? DebtText.text(minutes: $0) : nil } }
        facts = Facts(of: moment, face: face, options: options)
        if face.hasButtons, !options.isReadOnly { buttons = Self.buttons(of: moment, face: face, options: options) }
    }

    private static func times(_ seconds: Int, face: Face, strings: Strings) -> [Localized] {
        [TimeText.text(seconds: seconds, padded: face.padsMinutes)]
            + TimeText.shorter(seconds: seconds, hourMark: strings[.hourMark])
    }

    private static func buttons(of moment: Moment, face: Face, options: ScreenOptions) -> [Button] {
        let actions =
            options.hasAllActions
            ? Buttons.allActions(of: moment, canContinue: options.canContinue)
            : Buttons.actions(of: moment, face: face, canContinue: options.canContinue)
        return actions.compactMap { action in
            guard let text = Buttons.text(of: action, face: face, strings: options.strings),
                let key = Buttons.key(of: action)
            else { return nil }
            return Button(action: action, key: key, text: text, isPending: action == options.pending)
        }
    }

    private static func stateText(of register: Register, options: ScreenOptions) -> Localized {
        let kind = register.currentPhase.kind
        switch register.status {
        case .running: return options.strings[kind.texts.running]
        case .paused: return options.strings[kind.texts.paused]
        case .ready: return options.strings[kind.texts.next]
        case .completed: return options.strings[.completed]
        case .stopped: return options.strings[.stopped]
        case .superseded:
            guard let by = register.supersededBy else { return options.strings[.eventSuperseded] }
            let at = by.at.milliseconds
            let time = TimeText.clock(at, offset: options.utcOffset(at))
            return options.strings.text(.supersededBy, ["node": .userText(by.node.rawValue), "time": time])
        }
    }

    private static func indicator(
        of register: Register, position: (index: Int, total: Int)?, strings: Strings
    ) -> Localized {
        let current = register.currentPhase
        let name = current.name.map(Localized.userText) ?? strings[current.kind.texts.name]
        guard let position else { return name }
        return strings.text(
            .phaseIndicator, ["phase": name, "index": "\(position.index)", "total": "\(position.total)"])
    }

    /// Returns the position among phases of the same kind, as 3 of 8; `nil` if there is only one.
    static func position(in register: Register) -> (index: Int, total: Int)? {
        let current = register.currentPhase
        let isSame = { (phase: Phase) in phase.kind.countsAs == current.kind.countsAs }
        let total = register.plan.count(where: isSame)
        return total > 1 ? (register.plan[...register.phase].count(where: isSame), total) : nil
    }
}

extension Moment {
    /// The number of seconds with the widest text in this phase. A count-up has no end, so it is the present number.
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

extension Alarm {
    /// When the text of the alarm changes, and when its ringing ends.
    var changes: [BootTime] { [boot + Limits.alarmNewFor, boot + Limits.alarmRings] }
}

extension View {
    /// Returns when a screen of this view next changes by time alone; `nil` if never.
    ///
    /// Beyond ``Moment/nextChange`` these are the instants at which an alarm's text changes or its ringing ends, and at
    /// which a stale text changes.
    package func nextScreenChange(after boot: BootTime) -> BootTime? {
        let moment = moment(at: boot)
        var changes = [moment?.nextChange].compactMap { $0 } + (moment?.alarm?.changes ?? [])
        if let moment, moment.register.status.isLive, let contactLostAt {
            let lost = boot - contactLostAt
            changes.append(contactLostAt + Self.nextStaleText(after: lost))
        }
        return changes.filter { $0 > boot }.min()
    }

    private static func nextStaleText(after lost: Milliseconds) -> Milliseconds {
        if lost < Limits.staleAfter { return Limits.staleAfter }
        let step: Int64 = lost < 60_000 ? 1_000 : lost < 3_600_000 ? 60_000 : 3_600_000
        return Milliseconds((lost.count / step + 1) * step)
    }
}
