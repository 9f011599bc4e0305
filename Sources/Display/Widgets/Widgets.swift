// SPDX-License-Identifier: Apache-2.0

import Session

/// Small pictures and lines for lock screens, dashboards and e-ink displays. Each is made of a screen alone, which the
/// caller draws with the options' ``WidgetOptions/face`` and ``WidgetOptions/strings``.
public enum Widgets {
    /// A round picture as SVG, usually of 76 × 76 points.
    public static func circular(_ screen: Screen, options: WidgetOptions) -> String {
        var widget = CircularWidget(screen: screen, options: options)
        return widget.svg()
    }

    /// A wide picture as SVG, usually of 172 × 76 points.
    public static func rectangular(_ screen: Screen, options: WidgetOptions) -> String {
        var widget = RectangularWidget(screen: screen, options: options)
        return widget.svg()
    }

    /// One line of text with a line feed at its end; empty before it on the `boring` face when idle.
    public static func inline(_ screen: Screen, options: WidgetOptions) -> String {
        InlineWidget(screen: screen, options: options).line + "\n"
    }

    /// The week's debt as SVG, usually of 172 × 76 points.
    /// - Parameter minutes: As of ``DebtText/text(minutes:)``; `nil` where nobody counts them.
    public static func debt(minutes: Int?, options: WidgetOptions) -> String {
        let usual = RectangularWidget.usual
        let palette = WidgetPalette(boring: options)
        var drawing = SVGDrawing(usual: usual, options: options, isMonospaced: true)
        let (middle, room) = (drawing.height / 2, drawing.width - 20)
        drawing.rectangle(
            x: 0, y: 0, width: drawing.width, height: drawing.height, radius: options.isEInk ? 0 : 12,
            fill: palette.ground)
        drawing.text(
            debtText(minutes: minutes), x: drawing.width / 2, y: middle + 7, room: room, align: .centre,
            style: .init(34, least: 10, colour: minutes == nil ? palette.quiet : palette.text, number: true))
        drawing.text(
            options.strings[.weeklyDebt], x: drawing.width / 2, y: middle + 26, room: room, align: .centre,
            style: .init(12, least: 8, colour: palette.quiet))
        return drawing.file(title: "")
    }

    /// The week's debt as a line with a line feed at its end: `-120m`, or `–` where nobody counts it.
    public static func debtLine(minutes: Int?) -> String { debtText(minutes: minutes) + "\n" }

    private static func debtText(minutes: Int?) -> String { minutes.map { DebtText.text(minutes: $0) } ?? Calm.unknown }
}

/// One line of text.
struct InlineWidget {
    let screen: Screen
    let options: WidgetOptions

    var line: String {
        guard screen.face != .boring else { return time }
        guard !screen.isIdle else { return options.strings[.noSession] }
        let name = screen.label?.name ?? screen.title
        let parts = [
            sign, TerminalText.fitted(name, columns: StatusLine.nameColumns),
            screen.face == .phases ? screen.phaseIndicator ?? "" : "", screen.facts.calmPercent ?? "", time,
        ]
        return parts.filter { !$0.isEmpty }.joined(separator: " ")
    }

    private var time: String {
        guard !screen.isIdle else { return "" }
        return options.isEInk ? screen.rareTime(isShort: false) : screen.time
    }

    /// The icon while time passes, else the sign of the state.
    private var sign: String {
        guard screen.status == .running else { return StatusSign.sign(of: screen) }
        let icon = screen.isBreak ? screen.icon.sign : screen.emoji ?? screen.icon.sign
        return screen.isStale ? icon + StatusSign.stale : icon
    }
}

extension Icon {
    /// The drawing as a character, for places where there is only text.
    var sign: String {
        switch self {
        case .hourglass: "⏳"
        case .cup: "☕"
        case .book: "📖"
        case .pen: "✏"
        case .leaf: "🌿"
        case .dumbbell: "🏋"
        }
    }
}
