// SPDX-License-Identifier: Apache-2.0

import Session

/// The focus face on a terminal: a card, a column, or lines of text if there is little room.
struct FocusPicture: Picture {
    let screen: Screen
    let depth: ColourDepth
    var canvas: Canvas

    mutating func draw() {
        let card = cardLayout()
        let column = columnLayout()
        switch (card, column) {
        case (let card?, let column?): draw(isBetter(column, than: card) ? column : card)
        case (let only?, nil), (nil, let only?): draw(only)
        case (nil, nil): drawLines()
        }
    }

    /// The card is the familiar shape; the column must show more, or the time much larger.
    private func isBetter(_ column: FocusLayout, than card: FocusLayout) -> Bool {
        if column.parts != card.parts { return column.parts > card.parts }
        return column.digits.height * 5 > card.digits.height * 8
    }

    var texts: [Line] {
        var lines: [Line] = []
        if let label = screen.label {
            lines.append(
                Line(tag: label.colour.onBlack, text: .userText(label.name), style: Style(Shade.white, bold: true)))
            lines.append(Line(text: screen.stateText, style: Style(Shade.state)))
        } else {
            lines.append(Line(text: screen.stateText, style: Style(Shade.white, bold: true)))
        }
        let details = [screen.phaseIndicator ?? "", screen.title].filter { !$0.isEmpty }
        if !details.isEmpty {
            let style = screen.label == nil ? Style(Shade.state) : Style(Shade.quiet, faint: true)
            lines.append(Line(text: details.joined(separator: Line.separator), style: style))
        }
        return lines
    }
}

extension FocusPicture {
    mutating func draw(_ layout: FocusLayout) {
        let top = max(rows - layout.height, 0) / 2
        let row = layout.shape == .card ? drawCard(layout, top: top) : drawColumn(layout, top: top)
        drawBelow(layout, row: row)
    }

    private mutating func draw(icon: Pixmap, column: Int, row: Int) {
        let isDim = timeStyle.isFaint
        let sand = Style(isDim ? Shade.sandFrozen : Shade.sand, faint: isDim)
        let line = Style(isDim ? Shade.frozen : Shade.white, faint: isDim)
        canvas.draw(icon, column: column, row: row, line: line, filling: depth == .none ? nil : sand)
    }

    private mutating func drawCard(_ layout: FocusLayout, top: Int) -> Int {
        let height = max(layout.digits.rows, layout.texts.count)
        let timeColumns = layout.digits.width(of: screen.time)
        let timeColumn = columns - layout.margin - timeColumns
        var column = layout.margin
        if let icon = layout.icon {
            let picture = Drawings.icon(screen.icon, height: icon, progress: screen.progress)
            draw(icon: picture, column: column, row: top + (height - picture.rows) / 2)
            column += picture.width + Self.textGap
        }
        for (index, line) in layout.texts.enumerated() {
            let row = top + (height - layout.texts.count) / 2 + index
            line.write(on: &canvas, column: column, row: row, columns: timeColumn - 2 - column)
        }
        let row = top + (height - layout.digits.rows) / 2
        canvas.draw(layout.digits.pixmap(of: screen.time), column: timeColumn, row: row, line: timeStyle)
        return top + height
    }

    private mutating func drawColumn(_ layout: FocusLayout, top: Int) -> Int {
        var row = top
        if let icon = layout.icon {
            let picture = Drawings.icon(screen.icon, height: icon, progress: screen.progress)
            draw(icon: picture, column: (columns - picture.width) / 2, row: row)
            row += picture.rows + layout.gap
        }
        for line in layout.texts {
            line.writeCentred(on: &canvas, row: row, margin: layout.margin)
            row += 1
        }
        row += layout.gap
        let column = (columns - layout.digits.width(of: screen.time)) / 2
        canvas.draw(layout.digits.pixmap(of: screen.time), column: column, row: row, line: timeStyle)
        return row + layout.digits.rows
    }

    private mutating func drawBelow(_ layout: FocusLayout, row: Int) {
        var row = row
        let inner = columns - 2 * layout.margin
        if layout.hasBar, let progress = screen.progress {
            row += layout.gap
            ProgressBar(columns: inner, progress: progress)
                .draw(on: &canvas, column: layout.margin, row: row, style: tintStyle, depth: depth)
            row += 1
        }
        if let buttons = layout.buttons, buttons.height > 0 {
            row += layout.gap
            buttons.draw(
                on: &canvas, column: layout.margin, row: row, columns: inner, isCentred: true,
                pending: screen.pendingText)
            row += buttons.height
        }
        guard let notice = layout.notice else { return }
        row += layout.gap
        notice.writeCentred(on: &canvas, row: row, margin: layout.margin)
    }
}
