// SPDX-License-Identifier: Apache-2.0

import Session

/// A line of text with an optional coloured tag sign before it.
struct Line {
    static let separator: Localized = " · "
    static let tagSign: Localized = "#"

    var tag: Colour?
    var text: Localized
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
        canvas.write(text.fitted(columns: room), column: column, row: row, style: style)
    }

    /// Writes the line in the middle of the canvas.
    func writeCentred(on canvas: inout Canvas, row: Int, margin: Int) {
        let columns = max(canvas.columns - 2 * margin, 0)
        write(on: &canvas, column: max((canvas.columns - width) / 2, margin), row: row, columns: columns)
    }
}
