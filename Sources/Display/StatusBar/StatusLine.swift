// SPDX-License-Identifier: Apache-2.0

public import Session

/// What a status bar shows of a session, before it is written in the format of a bar.
public struct StatusLine: Hashable, Sendable {
    /// A piece of the line that has one colour.
    public struct Part: Hashable, Sendable {
        /// Its text.
        public var text: String
        /// Its colour; `nil` for the bar's own.
        public var colour: Colour?
        /// What stands between it and the part before it.
        var gap = " · "
    }

    /// What it was drawn from.
    public var screen: Screen
    /// How much it shows.
    public var style: StatusStyle
    /// The line.
    public var parts: [Part]
    /// The line where there is less room.
    public var shortParts: [Part]
    /// What is said to who asks for more, one thing a line; empty on the `boring` face.
    public var tooltip: String
    /// Whether the line as a whole reads from right to left.
    public var isRightToLeft: Bool

    /// Columns of a title or a label; a bar has no room for the longest ones.
    static let nameColumns = 40
    /// Columns of a state's text, which may have the name of a node in it.
    static let stateColumns = 80

    /// What `style` shows of `screen`.
    public init(_ screen: Screen, style: StatusStyle, strings: Strings = .english) {
        self.screen = screen
        self.style = style
        isRightToLeft = strings.isRightToLeft
        let drawer = StatusParts(screen: screen, strings: strings)
        parts = drawer.parts(style)
        shortParts = drawer.parts(style == .expanded ? .compact : .minimal)
        tooltip = drawer.tooltip
    }

    /// The line without colours.
    public var text: String { Self.text(parts) }

    static func text(_ parts: [Part]) -> String {
        parts.enumerated().map { $0 == 0 ? $1.text : $1.gap + $1.text }.joined()
    }

    /// `idle`, or the session's status.
    public var status: String { screen.status?.rawValue ?? "idle" }

    /// Names for style sheets and scripts: the status, the kind of phase, and what is the matter.
    public var classes: [String] {
        var classes = [status]
        if let kind = screen.facts.kind { classes.append(kind.rawValue) }
        if screen.facts.isApproximate { classes.append("approximate") }
        for notice in screen.notices {
            switch notice.kind {
            case .stale: classes.append("stale")
            case .linkLost: classes.append("unlinked")
            case .clockWrong: classes.append("clockWrong")
            case .unsaved: classes.append("unsaved")
            case .tookOver: classes.append("tookOver")
            case .moved: classes.append("moved")
            case .message: break
            }
        }
        return classes
    }

    /// How much of the phase has passed; `nil` for a count-up and when idle.
    public var percentage: Int? { screen.progress.map { Int(min(max($0, 0), 1) * 100) } }

    /// The one colour of a line that can have only one.
    public var colour: Colour {
        parts.compactMap(\.colour).first ?? Shade.quiet
    }
}

/// Finds the parts of a line.
struct StatusParts {
    let screen: Screen
    let strings: Strings

    func parts(_ style: StatusStyle) -> [StatusLine.Part] {
        guard screen.face != .boring else { return boring(style) }
        guard !screen.isIdle else { return idle(style) }
        switch style {
        case .minimal: return [sign] + phase
        case .compact: return compact
        case .expanded: return expanded
        }
    }

    private var compact: [StatusLine.Part] {
        if screen.face == .calm, screen.facts.calmPercent != Calm.unknown {
            return [sign, part(screen.facts.calmPercent, gap: " ")].compactMap(\.self)
        }
        return [sign] + phase + [emoji, time(gap: " ")].compactMap(\.self)
    }

    private var expanded: [StatusLine.Part] {
        let calm = screen.calmText.map { text in screen.calmTrend.map { "\(text) \($0.sign)" } ?? text }
        let saysState = screen.face == .focus || screen.status != .running
        let found = [
            emoji, part(screen.label?.name, colour: screen.label?.colour.onBlack, gap: " "),
            screen.label == nil ? part(screen.title, gap: " ") : nil,
            part(calm ?? (saysState ? screen.indicatorBesideState : screen.phaseIndicator)),
            part(saysState ? screen.stateText : nil, columns: StatusLine.stateColumns), time(),
        ]
        var parts = [sign] + found.compactMap(\.self) + notices
        // Whatever follows the sign is not held apart from it.
        if parts.count > 1 { parts[1].gap = " " }
        return parts
    }

    /// The time and nothing else.
    private func boring(_ style: StatusStyle) -> [StatusLine.Part] {
        guard !screen.isIdle else { return [] }
        let colour = screen.isStale ? BoringPicture.secondary : BoringPicture.primary
        let debt = style == .expanded ? part(screen.debtText, colour: BoringPicture.secondary, gap: " ") : nil
        return [part(screen.time, colour: colour), debt].compactMap(\.self)
    }

    private func idle(_ style: StatusStyle) -> [StatusLine.Part] {
        guard style == .expanded else { return [sign] }
        return [sign, part(strings[.noSession], gap: " ")].compactMap(\.self) + notices
    }

    private var isDim: Bool { screen.isFrozen || screen.status?.isLive != true }

    private var sign: StatusLine.Part {
        let colour = isDim ? Shade.quiet : screen.tint.onBlack
        return .init(
            text: StatusSign.sign(of: screen), colour: screen.isStale ? Shade.warning : colour)
    }

    /// Which phase it is, on the `phases` face: the kind or the name, and the count.
    private var phase: [StatusLine.Part] {
        guard screen.face == .phases, let phase = part(screen.phaseIndicator, gap: " ") else { return [] }
        return [phase]
    }

    private var emoji: StatusLine.Part? { screen.isBreak ? nil : part(screen.emoji, gap: " ") }

    private func time(gap: String = " · ") -> StatusLine.Part? {
        let isQuiet = isDim || screen.isStale
        return part(screen.time, colour: isQuiet ? Shade.quiet : nil, gap: gap)
    }

    private var notices: [StatusLine.Part] {
        screen.notices.compactMap { notice in
            let isQuiet = notice.kind == .tookOver || notice.kind == .moved
            return part(notice.text, colour: isQuiet ? Shade.quiet : Shade.warning)
        }
    }

    /// `nil` where there is nothing to say.
    private func part(
        _ text: String?, colour: Colour? = nil, gap: String = " · ", columns: Int = StatusLine.nameColumns
    ) -> StatusLine.Part? {
        guard let text, !text.isEmpty else { return nil }
        return .init(
            text: TerminalText.fitted(text, columns: columns), colour: colour, gap: gap)
    }

    /// It has no time in it: it would change each second under the pointer.
    var tooltip: String {
        guard screen.face != .boring else { return "" }
        let heading = [screen.title, screen.label?.name ?? ""].filter { !$0.isEmpty }.joined(separator: Line.separator)
        let lines = [
            screen.isIdle ? screen.idleText : heading, screen.indicatorBesideState ?? "", screen.stateText,
            screen.endsAt ?? "",
        ]
        return (lines + screen.notices.map(\.text)).filter { !$0.isEmpty }.joined(separator: "\n")
    }
}
