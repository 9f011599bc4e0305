// SPDX-License-Identifier: Apache-2.0

import Session

/// A face that is being drawn on black.
protocol Picture {
    var screen: Screen { get }
    var depth: ColourDepth { get }
    var canvas: Canvas { get set }
    /// The lines beside or above the time, most important first.
    var texts: [Line] { get }
    init(screen: Screen, depth: ColourDepth, canvas: Canvas)
    mutating func draw()
}

extension Picture {
    static func canvas(of screen: Screen, columns: Int, rows: Int, depth: ColourDepth) -> Canvas {
        let canvas = Canvas(columns: columns, rows: rows, background: Shade.black)
        var picture = Self(screen: screen, depth: depth, canvas: canvas)
        if screen.isIdle { picture.drawIdle() } else { picture.draw() }
        return picture.canvas
    }

    var columns: Int { canvas.columns }
    var rows: Int { canvas.rows }

    /// The empty columns at either side.
    var sideMargin: Int { min(max(columns / 20, 1), 10) }

    var isDim: Bool {
        screen.isFrozen || screen.isStale || screen.status == .stopped || screen.status == .superseded
    }

    var timeStyle: Style { Style(isDim ? Shade.frozen : Shade.white, bold: !isDim, faint: isDim) }

    /// The style of parts in the label's colour.
    var tintStyle: Style {
        let tint = screen.tint.onBlack
        return Style(isDim ? tint.dimmed : tint, faint: isDim)
    }

    var notice: Line? {
        guard let loudest = screen.notices.first else { return nil }
        let isQuiet = loudest.kind == .tookOver || loudest.kind == .moved
        let text = screen.notices.map(\.text).joined(separator: Line.separator)
        return Line(text: text, style: Style(isQuiet ? Shade.quiet : Shade.warning, faint: isQuiet))
    }

    /// The title, else the label, else the state.
    var heading: Line {
        let names = [screen.title, .userText(screen.label?.name ?? ""), screen.stateText]
        return Line(text: names.first { !$0.isEmpty } ?? "", style: Style(Shade.white, bold: true))
    }

    private mutating func drawIdle() {
        let notice = screen.notices.map(\.text).joined(separator: Line.separator)
        let lines = [(screen.idleText, Shade.quiet), (notice, Shade.frozen)].filter { !$0.0.isEmpty }
        for (index, line) in lines.prefix(max(rows, 0)).enumerated() {
            let text = line.0.fitted(columns: columns)
            let column = (columns - TerminalText.displayWidth(text)) / 2
            canvas.write(text, column: column, row: (rows - 1) / 2 + index, style: Style(line.1, faint: true))
        }
    }

    /// Draws text only, with the time at the right of the first line, or alone in the middle.
    mutating func drawLines() {
        let time = screen.smallTime(columns: columns)
        let fewestColumns = 6
        var left = rows
        let lines = texts + (notice.map { [$0] } ?? [])
        let room = columns - time.description.count - 2
        guard rows > 0 else { return }
        if room < fewestColumns {
            let fitting = Array(lines.prefix(max(rows - 1, 0)))
            let top = (rows - 1 - fitting.count) / 2
            canvas.write(time, column: (columns - time.description.count) / 2, row: top, style: timeStyle)
            guard columns >= fewestColumns else { return }
            for (index, line) in fitting.enumerated() {
                line.writeCentred(on: &canvas, row: top + 1 + index, margin: 0)
            }
            return
        }
        let buttons = ButtonRows(screen.buttons, columns: columns, isTall: false, depth: depth)
        let below = rows > 2 && buttons.map { $0.height < rows - 1 } == true ? buttons : nil
        left -= below?.height ?? 0
        let shown = orderedLines(count: left)
        let top = (left - shown.count) / 2
        for (index, line) in shown.enumerated() {
            line.write(on: &canvas, column: 0, row: top + index, columns: index == 0 ? room : columns)
        }
        canvas.write(time, column: columns - time.description.count, row: top, style: timeStyle)
        below?.draw(
            on: &canvas, column: 0, row: top + shown.count, columns: columns, isCentred: false,
            pending: screen.pendingText)
    }

    /// A notice comes after the first line and before all others.
    private func orderedLines(count: Int) -> [Line] {
        let notices = notice.map { [$0] } ?? []
        guard count > 1 else { return screen.isStale ? notices : Array(texts.prefix(1)) }
        return Array(texts.prefix(count - notices.count)) + notices
    }
}

extension Colour {
    fileprivate var dimmed: Colour { Colour(red: red / 2, green: green / 2, blue: blue / 2) }
}
