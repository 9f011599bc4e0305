// SPDX-License-Identifier: Apache-2.0

import Display

/// A line of text in one or more styles.
struct Line {
    private var spans: [(text: Localized, style: Style)]

    init(_ text: Localized, _ style: Style) { spans = text.isEmpty ? [] : [(text, style)] }

    var isEmpty: Bool { spans.isEmpty }
    var width: Int { spans.reduce(0) { $0 + TerminalText.displayWidth($1.text) } }

    static func + (first: Line, second: Line) -> Line {
        var line = first
        line.spans += second.spans
        return line
    }

    /// Writes as much of the line as fits, with an ellipsis if it is cut.
    func write(on canvas: inout Canvas, column: Int, row: Int, columns: Int) {
        let end = column + columns
        var column = column
        for span in spans {
            let text = span.text.fitted(columns: end - column)
            column = canvas.write(text, column: column, row: row, style: span.style)
            guard text == span.text else { return }
        }
    }
}
