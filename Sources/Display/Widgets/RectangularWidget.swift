// SPDX-License-Identifier: Apache-2.0

import Session

/// The rectangular widget: heading, state, a large time, and progress.
struct RectangularWidget {
    static let defaultSize = (width: 172, height: 76)
    private static let margin = 10.0
    private static let corner = 12.0
    /// The minimum font size of the second line.
    private static let leastDetail = 9.0

    let screen: Screen
    let options: WidgetOptions
    let palette: WidgetPalette
    private var drawing: SVGDrawing
    /// The top of the contents, which are centred vertically.
    private var top: Double { (drawing.height - Double(Self.defaultSize.height)) / 2 }
    private var room: Double { drawing.width - 2 * Self.margin }

    init(screen: Screen, options: WidgetOptions) {
        self.screen = screen
        self.options = options
        palette = WidgetPalette(screen: screen, options: options)
        drawing = SVGDrawing(defaultSize: Self.defaultSize, options: options, isMonospaced: screen.face == .boring)
    }

    mutating func svg() -> String {
        drawing.rectangle(
            x: 0, y: 0, width: drawing.width, height: drawing.height, radius: options.isEInk ? 0 : Self.corner,
            fill: palette.ground)
        switch screen.face {
        case .boring: drawBoring()
        case _ where screen.isIdle: drawIdle()
        case .calm: drawCalm()
        case .focus, .phases: drawCard()
        }
        return drawing.file(title: screen.spoken(options))
    }

    private mutating func drawBoring() {
        guard !screen.isIdle else { return }
        let time =
            options.isEInk ? screen.eInkTime(isShort: true) : screen.time(room: room, size: 24, isMonospaced: true)
        let middle = drawing.height / 2 + (screen.debtText == nil ? 12 : 6)
        drawing.text(
            time, x: drawing.width / 2, y: middle, room: room, align: .centre,
            style: .init(34, least: 10, colour: screen.isStale ? palette.quiet : palette.text, number: true))
        guard let debt = screen.debtText else { return }
        drawing.text(
            debt, x: drawing.width / 2, y: middle + 19, room: room, align: .centre,
            style: .init(12, least: 8, colour: palette.quiet, number: true))
    }

    private mutating func drawIdle() {
        drawing.icon(of: screen, x: drawing.width / 2 - 11, y: top + 15, size: 22, colour: palette.quiet)
        drawing.text(
            options.strings[.noSession], x: drawing.width / 2, y: top + 53, room: room, align: .centre,
            style: .init(12, least: 8.5, colour: palette.quiet))
        guard let notice = screen.loudestNotice(options) else { return }
        drawing.text(
            notice.text, x: drawing.width / 2, y: top + 67, room: room, align: .centre,
            style: .init(10, least: 8, colour: palette.warning))
    }

    // MARK: The focus and the phases face

    private mutating func drawCard() {
        let iconSize = screen.face == .focus ? 24.0 : 0
        if iconSize > 0 {
            let opacity = screen.isDim ? palette.dimOpacity + 0.15 : 1
            drawing.icon(
                of: screen, x: leading(0, width: iconSize), y: top + 11, size: iconSize, colour: palette.text,
                opacity: min(opacity, 1))
        }
        let indent = iconSize > 0 ? iconSize + 8 : 0
        let details = details(room: room - indent)
        drawHeading(indent: indent, y: details == nil ? 27 : 21)
        if let details {
            line(
                details.text, indent: indent, y: 35,
                style: .init(11, least: Self.leastDetail, colour: details.isWarning ? palette.warning : palette.state))
        }
        drawTimeRow()
        drawBar()
    }

    private mutating func drawHeading(indent: Double, y: Double) {
        var indent = indent
        if screen.label != nil {
            drawing.path(
                WidgetMark.tag, x: leading(indent, width: 12), y: top + y - 10.5, size: 12, thickness: 2.5,
                colour: palette.tag)
            indent += 15
        }
        line(screen.heading, indent: indent, y: y, style: .init(13, least: 10, bold: true, colour: palette.text))
    }

    /// Returns the second line: a notice, else the state, with the phase if there is room.
    private func details(room: Double) -> (text: Localized, isWarning: Bool)? {
        if let notice = screen.loudestNotice(options) {
            return (notice.text, notice.kind != .tookOver && notice.kind != .moved)
        }
        if options.isEInk, screen.status?.isLive != true { return nil }
        // The phases face shows the phase instead of the state, which is visible anyway.
        let indicator = screen.indicatorBelowHeading
        let isState = screen.heading != screen.stateText && (screen.face == .focus || indicator == nil)
        let parts = [isState ? screen.stateText : "", indicator ?? ""].filter { !$0.isEmpty }
        let all = parts.joined(separator: Localized.separator)
        let isTooLong = TextMeasure().width(all) * Self.leastDetail > room
        return parts.first.map { (isTooLong ? $0 : all, false) }
    }

    private mutating func drawTimeRow() {
        let colour = screen.isDim ? palette.quiet : palette.text
        var free = room
        if let mark = WidgetMark(screen) {
            let x = leading(room - 22, width: 22)
            drawing.mark(mark, x: x, y: top + 41, size: 22, colour: palette.colour(of: mark))
            free -= 28
        }
        let text = options.isEInk ? eInkText : screen.time(room: free, size: 20)
        let style = SVGDrawing.TextStyle(25, least: 10, bold: true, colour: colour, number: isNumber(text))
        line(text, indent: 0, y: 61, room: free, style: style)
        let taken = TextMeasure(isBold: true).width(text) * 25 + 8
        guard !options.isEInk, free == room, let end = screen.endsAt else { return }
        let least = 8.5
        guard TextMeasure().width(end) * least <= free - taken else { return }
        let endStyle = SVGDrawing.TextStyle(10.5, least: least, colour: palette.quiet)
        drawing.text(
            end, x: options.strings.isRightToLeft ? Self.margin : drawing.width - Self.margin, y: top + 60,
            room: free - taken, align: options.strings.isRightToLeft ? .left : .right, style: endStyle)
    }

    /// The text in place of the time on displays that change rarely; an ended session has words.
    private var eInkText: Localized {
        let text = screen.eInkTime(isShort: false)
        return text.isEmpty && screen.heading != screen.stateText ? screen.stateText : text
    }

    private func isNumber(_ text: Localized) -> Bool {
        !text.description.contains { $0.isLetter && $0 != "m" && $0 != "h" }
    }

    private mutating func drawBar() {
        guard let progress = screen.progress, !options.isEInk || screen.status == .paused else { return }
        let bar = (height: 3.5, y: top + 67.0)
        drawing.rectangle(
            x: Self.margin, y: options.isEInk ? bar.y + 1.25 : bar.y, width: room,
            height: options.isEInk ? 1 : bar.height, radius: options.isEInk ? 0 : bar.height / 2,
            fill: palette.track.colour, opacity: palette.track.opacity)
        let passed = room * min(max(progress, 0), 1)
        guard passed >= bar.height else { return }
        drawing.rectangle(
            x: leading(0, width: passed), y: bar.y, width: passed, height: bar.height, radius: bar.height / 2,
            fill: palette.tint, opacity: screen.isDim && screen.status != .completed ? palette.dimOpacity : 1)
    }

    // MARK: The calm face

    private mutating func drawCalm() {
        let ring = (size: 56.0, radius: 24.0, thickness: 5.5)
        let (x, y) = (leading(0, width: ring.size) + ring.size / 2, top + 38)
        let isRare = options.isEInk && screen.status == .running
        drawing.ring(
            x: x, y: y, radius: ring.radius, thickness: options.isEInk ? 1.5 : ring.thickness,
            colour: palette.track.colour, opacity: palette.track.opacity)
        let opacity = screen.isDim && screen.status != .completed ? palette.dimOpacity : 1
        if let progress = screen.progress, progress > 0.002, !isRare, screen.status != .superseded {
            drawing.ring(
                x: x, y: y, radius: ring.radius, thickness: ring.thickness, turns: min(progress, 1),
                colour: palette.tint, opacity: opacity)
        } else if screen.progress == nil, !isRare {
            drawing.dots(
                x: x, y: y, radius: ring.radius, thickness: ring.thickness, isOpenBelow: false, colour: palette.tint,
                opacity: opacity)
        }
        if let mark = WidgetMark(screen) {
            drawing.mark(mark, x: x - 12, y: y - 12, size: 24, colour: palette.colour(of: mark))
        } else {
            drawing.icon(of: screen, x: x - 12, y: y - 12, size: 24, colour: palette.text)
        }
        let indent = ring.size + 10
        line(screen.heading, indent: indent, y: 22, style: .init(13, least: 10, bold: true, colour: palette.text))
        let text = options.isEInk ? eInkText : screen.time(room: room - indent, size: 18)
        line(
            text, indent: indent, y: 47,
            style: .init(
                24, least: 9, bold: true, colour: screen.isDim ? palette.quiet : palette.text, number: isNumber(text)))
        if let notice = screen.loudestNotice(options) {
            line(notice.text, indent: indent, y: 63, style: .init(11, least: 7, colour: palette.warning))
        } else if screen.status?.isLive != true {
            guard !options.isEInk else { return }
            line(screen.stateText, indent: indent, y: 63, style: .init(11.5, least: 8.5, colour: palette.state))
        } else if let calm = screen.calmText {
            let text = screen.calmTrend.map { "\(calm) \($0.sign)" } ?? calm
            line(text, indent: indent, y: 63, style: .init(11.5, least: 9, colour: palette.state))
        }
    }

    // MARK: Layout by the direction of the language

    /// Returns the left edge of an element `indent` from the side at which lines begin.
    private func leading(_ indent: Double, width: Double) -> Double {
        options.strings.isRightToLeft ? drawing.width - Self.margin - indent - width : Self.margin + indent
    }

    private mutating func line(
        _ text: Localized, indent: Double, y: Double, room: Double? = nil, style: SVGDrawing.TextStyle
    ) {
        drawing.text(
            text, x: leading(indent, width: 0), y: top + y, room: (room ?? self.room) - indent,
            align: options.strings.isRightToLeft ? .right : .left, style: style)
    }
}
