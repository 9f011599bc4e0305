// SPDX-License-Identifier: Apache-2.0

import Session

/// Small pictures and lines of text for lock screens, dashboards and e-ink displays.
///
/// The caller must create the screen with the options' ``WidgetOptions/face`` and ``WidgetOptions/strings``.
package enum Widgets {
    /// Returns a circular picture as SVG, by default of 76 × 76 points.
    package static func circular(_ screen: Screen, options: WidgetOptions) -> String {
        var widget = CircularWidget(screen: screen, options: options)
        return widget.svg()
    }

    /// Returns a rectangular picture as SVG, by default of 172 × 76 points.
    package static func rectangular(_ screen: Screen, options: WidgetOptions) -> String {
        var widget = RectangularWidget(screen: screen, options: options)
        return widget.svg()
    }

    /// Returns one line of text with a line feed; the line is empty on the `boring` face when idle.
    package static func inline(_ screen: Screen, options: WidgetOptions) -> String {
        let time: Localized = screen.isIdle ? "" : options.isEInk ? screen.eInkTime(isShort: false) : screen.time
        guard screen.face != .boring else { return "\(time)\n" }
        guard !screen.isIdle else { return "\(options.strings[.noSession])\n" }
        let name = screen.label.map { .userText($0.name) } ?? screen.title
        let parts = [
            sign(of: screen), name.fitted(columns: StatusLine.nameColumns),
            screen.face == .phases ? screen.phaseIndicator ?? "" : "", screen.facts.percentText ?? "", time,
        ]
        return "\(parts.joined(separator: " "))\n"
    }

    /// Returns the icon while the time runs, else the sign of the state.
    private static func sign(of screen: Screen) -> Localized {
        guard screen.status == .running else { return StatusSign.sign(of: screen) }
        return screen.isStale ? "\(screen.iconSign)\(StatusSign.stale)" : screen.iconSign
    }

    /// Returns the week's debt as SVG, by default of 172 × 76 points.
    package static func debt(minutes: Int?, options: WidgetOptions) -> String {
        let defaultSize = RectangularWidget.defaultSize
        let palette = WidgetPalette(boring: options)
        var drawing = SVGDrawing(defaultSize: defaultSize, options: options, isMonospaced: true)
        let (middle, room) = (drawing.height / 2, drawing.width - 20)
        drawing.rectangle(
            x: 0, y: 0, width: drawing.width, height: drawing.height, radius: options.isEInk ? 0 : 12,
            fill: palette.ground)
        drawing.text(
            debtText(minutes: minutes), x: drawing.width / 2, y: middle + 7, room: room, align: .centre,
            style: .init(34, least: 10, colour: minutes == nil ? palette.quiet : palette.text, number: true))
        drawing.text(
            options.strings[(minutes ?? 0) > 0 ? .debtOfWeek : .weeklyDebt], x: drawing.width / 2, y: middle + 26,
            room: room, align: .centre,
            style: .init(12, least: 8, colour: palette.quiet))
        return drawing.file(title: "")
    }

    /// Returns the week's debt as a line with a line feed: `-120m`, or `–` without a debt service.
    package static func debtLine(minutes: Int?) -> String { "\(debtText(minutes: minutes))\n" }

    private static func debtText(minutes: Int?) -> Localized {
        minutes.map { DebtText.text(minutes: $0) } ?? Strings.unknown
    }
}
