// SPDX-License-Identifier: Apache-2.0

import Session

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
