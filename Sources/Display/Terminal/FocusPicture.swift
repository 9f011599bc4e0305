// SPDX-License-Identifier: Apache-2.0

import Session

/// The focus face on a terminal: a card as on a lock screen, or a column where that is the better use of the room, or
/// lines of text where there is little.
struct FocusPicture {
    let screen: Screen
    let depth: ColourDepth
    var canvas: Canvas

    init(screen: Screen, columns: Int, rows: Int, depth: ColourDepth) {
        self.screen = screen
        self.depth = depth
        canvas = Canvas(columns: columns, rows: rows, background: Palette.black)
    }

    enum Palette {
        static let black = Colour(red: 0, green: 0, blue: 0)
        static let white = Colour(red: 0xFF, green: 0xFF, blue: 0xFF)
        static let state = Colour(red: 0xCC, green: 0xCC, blue: 0xCC)
        static let quiet = Colour(red: 0x8A, green: 0x8A, blue: 0x8A)
        static let frozen = Colour(red: 0x76, green: 0x76, blue: 0x76)
        static let sand = Colour(red: 0x9E, green: 0x9E, blue: 0x9E)
        static let sandFrozen = Colour(red: 0x4A, green: 0x4A, blue: 0x4A)
        static let button = Colour(red: 0x30, green: 0x30, blue: 0x30)
        static let warning = Colour(red: 0xD7, green: 0xAF, blue: 0x5F)
    }

    var columns: Int { canvas.columns }
    var rows: Int { canvas.rows }

    mutating func draw() {
        guard !screen.isIdle else { return drawIdle() }
        let card = cardLayout()
        let column = columnLayout()
        switch (card, column) {
        case (let card?, let column?): draw(isBetter(column, than: card) ? column : card)
        case (let only?, nil), (nil, let only?): draw(only)
        case (nil, nil): drawLines()
        }
    }

    /// The card is what people know; the column must show more, or the time much larger.
    private func isBetter(_ column: FocusLayout, than card: FocusLayout) -> Bool {
        if column.parts != card.parts { return column.parts > card.parts }
        return column.digits.height * 5 > card.digits.height * 8
    }

    private mutating func drawIdle() {
        let notice = screen.notices.map(\.text).joined(separator: Line.separator)
        let lines = [(screen.idleText, Palette.quiet), (notice, Palette.frozen)].filter { !$0.0.isEmpty }
        for (index, line) in lines.prefix(max(rows, 0)).enumerated() {
            let text = TerminalText.fitted(line.0, columns: columns)
            let column = (columns - TerminalText.displayWidth(text)) / 2
            canvas.write(text, column: column, row: (rows - 1) / 2 + index, style: Style(line.1, faint: true))
        }
    }

    var timeStyle: Style {
        let isDim = screen.isFrozen || screen.isStale || screen.status == .stopped || screen.status == .superseded
        return Style(isDim ? Palette.frozen : Palette.white, bold: !isDim, faint: isDim)
    }

    var iconStyles: (line: Style, filling: Style?) {
        let isDim = timeStyle.isFaint
        let sand = Style(isDim ? Palette.sandFrozen : Palette.sand, faint: isDim)
        return (Style(isDim ? Palette.frozen : Palette.white, faint: isDim), depth == .none ? nil : sand)
    }

    /// What stands beside or above the time, most important first.
    var texts: [Line] {
        var lines: [Line] = []
        if let label = screen.label {
            lines.append(Line(tag: label.colour.onBlack, text: label.name, style: Style(Palette.white, bold: true)))
            lines.append(Line(text: screen.stateText, style: Style(Palette.state)))
        } else {
            lines.append(Line(text: screen.stateText, style: Style(Palette.white, bold: true)))
        }
        let details = [screen.phaseIndicator ?? "", screen.title].filter { !$0.isEmpty }
        if !details.isEmpty {
            let style = screen.label == nil ? Style(Palette.state) : Style(Palette.quiet, faint: true)
            lines.append(Line(text: details.joined(separator: Line.separator), style: style))
        }
        return lines
    }

    /// All notices in one line.
    var notice: Line? {
        guard let loudest = screen.notices.first else { return nil }
        let isQuiet = loudest.kind == .tookOver || loudest.kind == .moved
        let text = screen.notices.map(\.text).joined(separator: Line.separator)
        return Line(text: text, style: Style(isQuiet ? Palette.quiet : Palette.warning, faint: isQuiet))
    }
}

/// One line of text, with a tag sign in a colour of its own before it.
struct Line {
    static let separator = " · "
    static let tagSign = "#"

    var tag: Colour?
    var text: String
    var style: Style

    private var tagWidth: Int { tag == nil ? 0 : TerminalText.displayWidth(Self.tagSign) + 1 }
    var width: Int { tagWidth + TerminalText.displayWidth(text) }

    /// Writes as much of the line as fits.
    func write(on canvas: inout Canvas, column: Int, row: Int, columns: Int) {
        var column = column
        if let tag, columns > tagWidth {
            canvas.write(Self.tagSign, column: column, row: row, style: Style(tag, bold: true))
            column += tagWidth
        }
        let room = columns > tagWidth ? columns - tagWidth : columns
        canvas.write(TerminalText.fitted(text, columns: room), column: column, row: row, style: style)
    }

    /// Writes the line in the middle of the canvas.
    func writeCentred(on canvas: inout Canvas, row: Int, margin: Int) {
        let columns = max(canvas.columns - 2 * margin, 0)
        write(on: &canvas, column: max((canvas.columns - width) / 2, margin), row: row, columns: columns)
    }
}
