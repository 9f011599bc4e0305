// SPDX-License-Identifier: Apache-2.0

package import Session

/// One line for a status bar.
package struct StatusLine: Hashable, Sendable {
    /// A piece of the line in one colour.
    package struct Part: Hashable, Sendable {
        package var text: Localized
        /// The colour of the part; `nil` for the bar's own.
        package var colour: Colour?
        /// The text between this part and the one before it.
        var gap: Localized = " · "
    }

    package var screen: Screen
    package var style: StatusStyle
    package var parts: [Part]
    /// The line for bars with less room.
    package var shortParts: [Part]
    /// The tooltip's lines; empty on the `boring` face.
    package var tooltip: Localized
    /// Whether the line as a whole reads from right to left.
    package var isRightToLeft: Bool

    /// The maximum columns of a title or a label.
    static let nameColumns = 40
    /// The maximum columns of a state's text, which may contain the name of a node.
    static let stateColumns = 80

    package init(_ screen: Screen, style: StatusStyle, strings: Strings = .english) {
        self.screen = screen
        self.style = style
        isRightToLeft = strings.isRightToLeft
        let drawer = StatusParts(screen: screen, strings: strings)
        parts = drawer.parts(style)
        shortParts = drawer.parts(style == .expanded ? .compact : .minimal)
        tooltip = drawer.tooltip
    }

    package var text: String { Self.text(parts).description }

    static func text(_ parts: [Part]) -> Localized {
        parts.enumerated().map { $0 == 0 ? $1.text : "\($1.gap)\($1.text)" }.joined()
    }

    package var status: String { screen.status?.rawValue ?? "idle" }

    /// Names for style sheets and scripts: the status, the kind of phase, `approximate`, and the notices.
    package var classes: [String] {
        var classes = [status]
        if let kind = screen.facts.kind { classes.append(kind.rawValue) }
        if screen.facts.isApproximate { classes.append("approximate") }
        return classes + screen.notices.map(\.kind).filter { $0 != .answer }.map(\.rawValue)
    }

    /// The part of the phase that has passed; `nil` for a count-up and when idle.
    package var percentage: Int? { screen.progress.map { Int(min(max($0, 0), 1) * 100) } }

    /// The colour for bars with one colour per line.
    package var colour: Colour {
        parts.compactMap(\.colour).first ?? Shade.quiet
    }
}

/// A screen from which the parts of a status line are made.
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
        if screen.face == .calm, screen.facts.percentText != Strings.unknown {
            return [sign, part(screen.facts.percentText, gap: " ")].compactMap(\.self)
        }
        return [sign] + phase + [emoji, time(gap: " ")].compactMap(\.self) + loudNotices
    }

    private var expanded: [StatusLine.Part] {
        let calm = screen.calmText.map { text in screen.calmTrend.map { "\(text) \($0.sign)" } ?? text }
        let saysState = screen.face == .focus || screen.status != .running
        let found = [
            emoji, part(screen.label.map { .userText($0.name) }, colour: screen.label?.colour.onBlack, gap: " "),
            screen.label == nil ? part(screen.title, gap: " ") : nil,
            part(calm ?? (saysState ? screen.indicatorBesideState : screen.phaseIndicator)),
            part(saysState ? screen.stateText : nil, columns: StatusLine.stateColumns), time(),
        ]
        var parts = [sign] + found.compactMap(\.self) + notices
        // A space, not a dot, follows the sign.
        if parts.count > 1 { parts[1].gap = " " }
        return parts
    }

    private func boring(_ style: StatusStyle) -> [StatusLine.Part] {
        guard !screen.isIdle else { return [] }
        let colour = screen.isStale ? Shade.boringQuiet : Shade.boring
        let debt = style == .expanded ? part(screen.debtText, colour: Shade.boringQuiet, gap: " ") : nil
        return [part(screen.time, colour: colour), debt].compactMap(\.self)
    }

    private func idle(_ style: StatusStyle) -> [StatusLine.Part] {
        if style == .compact { return [sign] + loudNotices }
        guard style == .expanded else { return [sign] }
        return [sign, part(strings[.noSession], gap: " ")].compactMap(\.self) + notices
    }

    private var isDim: Bool { screen.isFrozen || screen.status?.isLive != true }

    private var sign: StatusLine.Part {
        let colour = isDim ? Shade.quiet : screen.tint.onBlack
        return .init(
            text: StatusSign.sign(of: screen), colour: screen.isStale ? Shade.warning : colour)
    }

    /// The phase on the `phases` face: its kind or name, and the count.
    private var phase: [StatusLine.Part] {
        guard screen.face == .phases, let phase = part(screen.phaseIndicator, gap: " ") else { return [] }
        return [phase]
    }

    private var emoji: StatusLine.Part? { screen.isBreak ? nil : part(screen.emoji, gap: " ") }

    private func time(gap: Localized = " · ") -> StatusLine.Part? {
        let isQuiet = isDim || screen.isStale
        return part(screen.time, colour: isQuiet ? Shade.quiet : nil, gap: gap)
    }

    private var notices: [StatusLine.Part] { parts(of: screen.notices) }
    /// The notices that people must see in a short line too.
    private var loudNotices: [StatusLine.Part] {
        parts(of: screen.notices.filter { $0.kind == .alarm || $0.kind == .message })
    }

    private func parts(of notices: [Screen.Notice]) -> [StatusLine.Part] {
        notices.compactMap { notice in
            let isQuiet = notice.kind == .tookOver || notice.kind == .moved
            return part(notice.text, colour: isQuiet ? Shade.quiet : Shade.warning)
        }
    }

    /// Returns `nil` for an empty text.
    private func part(
        _ text: Localized?, colour: Colour? = nil, gap: Localized = " · ", columns: Int = StatusLine.nameColumns
    ) -> StatusLine.Part? {
        guard let text, !text.isEmpty else { return nil }
        return .init(
            text: text.fitted(columns: columns), colour: colour, gap: gap)
    }

    /// The tooltip contains no time, which would change each second under the pointer.
    var tooltip: Localized {
        guard screen.face != .boring else { return "" }
        let heading = [screen.title, .userText(screen.label?.name ?? "")].joined(separator: Localized.separator)
        let lines = [
            screen.isIdle ? screen.idleText : heading, screen.indicatorBesideState ?? "", screen.stateText,
            screen.endsAt ?? "",
        ]
        return (lines + screen.notices.map(\.text) + [screen.continueHint ?? ""]).joined(separator: "\n")
    }
}

/// State and progress as one character of one column that almost every font has.
enum StatusSign {
    /// Follows the sign of a session whose owner has not been heard for a while.
    static let stale: Localized = "!"
    private static let quarters: [Localized] = ["○", "◔", "◑", "◕", "●"]

    static func sign(of screen: Screen) -> Localized {
        let sign: Localized =
            switch screen.status {
            case .running: screen.progress.map(quarter) ?? "↑"
            case .paused: "‖"
            case .ready: "▷"
            case .completed: "✓"
            case .superseded: "⇢"
            case .stopped, nil: "◌"
            }
        return screen.isStale ? "\(sign)\(stale)" : sign
    }

    private static func quarter(_ progress: Double) -> Localized {
        quarters[Int((min(max(progress, 0), 1) * 4).rounded())]
    }
}
