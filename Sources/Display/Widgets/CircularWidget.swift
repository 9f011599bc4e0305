// SPDX-License-Identifier: Apache-2.0

import Session

/// The circular widget: a progress ring around the icon, or on the `phases` face around the time.
struct CircularWidget {
    static let defaultSize = (width: 76, height: 76)
    private static let radius = 31.0
    private static let thickness = 6.0

    let screen: Screen
    let options: WidgetOptions
    let palette: WidgetPalette
    private var drawing: SVGDrawing
    private var centre: (x: Double, y: Double) { (drawing.width / 2, drawing.height / 2) }

    init(screen: Screen, options: WidgetOptions) {
        self.screen = screen
        self.options = options
        palette = WidgetPalette(screen: screen, options: options)
        drawing = SVGDrawing(defaultSize: Self.defaultSize, options: options, isMonospaced: screen.face == .boring)
    }

    mutating func svg() -> String {
        if options.isEInk || drawing.width != drawing.height {
            drawing.rectangle(x: 0, y: 0, width: drawing.width, height: drawing.height, fill: palette.ground)
        } else {
            drawing.circle(x: centre.x, y: centre.y, radius: centre.x, fill: palette.ground)
        }
        if screen.face == .boring {
            drawBoring()
        } else {
            options.isEInk ? drawEInkRing() : drawRing()
            drawContent()
        }
        return drawing.file(title: screen.spoken(options))
    }

    private mutating func drawBoring() {
        guard !screen.isIdle else { return }
        let room = 62.0
        let time =
            options.isEInk ? screen.eInkTime(isShort: true) : screen.time(room: room, size: 15, isMonospaced: true)
        let colour = screen.isStale ? palette.quiet : palette.text
        drawing.text(
            time, x: centre.x, y: centre.y + 6.5, room: room, align: .centre,
            style: .init(18, least: 8, colour: colour, number: true))
    }

    /// The start and length of the ring in turns; the `calm` one is open at the bottom.
    private var arc: (from: Double, turns: Double) { screen.face == .calm ? (0.625, 0.75) : (0, 1) }

    private mutating func drawRing() {
        let opacity = screen.isDim ? palette.dimOpacity : 1
        ring(turns: 1, colour: palette.track.colour, opacity: palette.track.opacity)
        switch screen.status {
        case nil, .superseded, .stopped: break
        case .completed: ring(turns: 1, colour: palette.tint)
        case .running, .paused, .ready:
            guard let progress = screen.progress else {
                return drawing.dots(
                    x: centre.x, y: centre.y, radius: Self.radius, thickness: Self.thickness,
                    isOpenBelow: screen.face == .calm, colour: palette.tint, opacity: opacity)
            }
            if progress > 0.002 { ring(turns: min(progress, 1), colour: palette.tint, opacity: opacity) }
        }
    }

    /// Draws a thin ring; progress is drawn only while it does not change.
    private mutating func drawEInkRing() {
        ring(turns: 1, thickness: 1.5, colour: palette.track.colour)
        switch screen.status {
        case .paused, .completed:
            if let progress = screen.progress, progress > 0.002 { ring(turns: min(progress, 1), colour: palette.tint) }
        case .running, .ready, .stopped, .superseded, nil: break
        }
    }

    private mutating func ring(
        turns: Double, thickness: Double = thickness, colour: Colour, opacity: Double = 1
    ) {
        drawing.ring(
            x: centre.x, y: centre.y, radius: Self.radius, thickness: thickness, from: arc.from,
            turns: turns * arc.turns, colour: colour, opacity: opacity)
    }

    private mutating func drawContent() {
        let mark = WidgetMark(screen)
        if screen.isIdle {
            drawIcon(colour: palette.quiet)
        } else if let mark, mark == .completed || mark == .superseded {
            let colour = mark == .completed ? palette.tint : palette.quiet
            drawing.mark(mark, x: centre.x - 16, y: centre.y - 16, size: 32, thickness: 3, colour: colour)
        } else if options.isEInk {
            drawEInkContent(mark)
        } else if screen.face == .phases {
            drawTime()
            if let mark { drawBadge(mark) }
        } else {
            drawIcon(colour: palette.text)
            if screen.face == .calm { drawCalm() }
            if let mark { drawBadge(mark) }
        }
    }

    private mutating func drawIcon(colour: Colour) {
        let opacity = screen.isDim && !screen.isIdle ? palette.dimOpacity + 0.15 : 1
        drawing.icon(
            of: screen, x: centre.x - 15, y: centre.y - 15, size: 30, colour: colour, opacity: min(opacity, 1))
    }

    private mutating func drawTime() {
        let (phase, room) = (phase(room: 40, size: 7), 50.0)
        let time = screen.time(room: room, size: 13)
        let colour = screen.isDim ? palette.quiet : palette.text
        drawing.text(
            time, x: centre.x, y: centre.y + (phase == nil ? 5.5 : 3), room: room, align: .centre,
            style: .init(15.5, least: 8, bold: true, colour: colour, number: true))
        guard let phase else { return }
        drawing.text(
            phase, x: centre.x, y: centre.y + 15, room: 40, align: .centre,
            style: .init(10.5, least: 7, colour: palette.quiet, number: phase == screen.facts.phaseCount))
    }

    /// Returns the phase if it fits at `size`, else only its number.
    private func phase(room: Double, size: Double) -> Localized? {
        guard let phase = screen.phaseIndicator else { return nil }
        return TextMeasure().width(phase) * size <= room ? phase : screen.facts.phaseCount
    }

    /// Draws the calm in the gap of the arc.
    private mutating func drawCalm() {
        guard let percent = screen.facts.percentText, WidgetMark(screen) == nil else { return }
        drawing.text(
            percent, x: centre.x, y: centre.y + 32, room: 34, align: .centre,
            style: .init(11, least: 8, bold: true, colour: palette.state, number: true))
    }

    /// Draws a small sign of the state on the ring.
    private mutating func drawBadge(_ mark: WidgetMark) {
        let (x, y) = (centre.x + 21, centre.y + 21)
        let fill = mark == .stale ? palette.warning : palette.text
        drawing.circle(x: x, y: y, radius: 12, fill: palette.ground)
        drawing.circle(x: x, y: y, radius: 9.5, fill: fill)
        drawing.mark(mark, x: x - 7, y: y - 7, size: 14, colour: palette.ground.opaque)
    }

    /// Draws the icon, or the sign of the state in its place, and the end below it.
    private mutating func drawEInkContent(_ mark: WidgetMark?) {
        let time = screen.eInkTime(isShort: true)
        if let mark {
            drawing.mark(mark, x: centre.x - 9, y: centre.y - 22, size: 18, colour: palette.text)
        } else {
            drawing.icon(of: screen, x: centre.x - 9, y: centre.y - 22, size: 18, colour: palette.text)
        }
        drawing.text(
            time, x: centre.x, y: centre.y + 13, room: 50, align: .centre,
            style: .init(15, least: 8, bold: true, colour: palette.text, number: true))
    }
}
