// SPDX-License-Identifier: Apache-2.0

extension FocusPicture {
    mutating func draw(_ layout: FocusLayout) {
        let top = max(rows - layout.height, 0) / 2
        let row = layout.shape == .card ? drawCard(layout, top: top) : drawColumn(layout, top: top)
        drawBelow(layout, row: row)
    }

    private mutating func drawCard(_ layout: FocusLayout, top: Int) -> Int {
        let height = max(layout.digits.rows, layout.texts.count)
        let timeColumns = layout.digits.width(of: screen.time)
        let timeColumn = columns - layout.margin - timeColumns
        var column = layout.margin
        if let icon = layout.icon {
            let picture = Drawings.icon(screen.icon, height: icon, progress: screen.progress)
            let row = top + (height - picture.rows) / 2
            canvas.draw(picture, column: column, row: row, line: iconStyles.line, filling: iconStyles.filling)
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
            let column = (columns - picture.width) / 2
            canvas.draw(picture, column: column, row: row, line: iconStyles.line, filling: iconStyles.filling)
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
        let isCentred = layout.shape == .column
        if layout.hasBar, let progress = screen.progress {
            row += layout.gap
            ProgressBar(columns: inner, progress: progress)
                .draw(on: &canvas, column: layout.margin, row: row, style: tintStyle, depth: depth)
            row += 1
        }
        if let buttons = layout.buttons, buttons.height > 0 {
            row += layout.gap
            buttons.draw(
                on: &canvas, column: layout.margin, row: row, columns: inner, isCentred: isCentred,
                pending: screen.pendingText)
            row += buttons.height
        }
        guard let notice = layout.notice else { return }
        row += layout.gap
        if isCentred {
            notice.writeCentred(on: &canvas, row: row, margin: layout.margin)
        } else {
            notice.write(on: &canvas, column: layout.margin, row: row, columns: inner)
        }
    }
}
