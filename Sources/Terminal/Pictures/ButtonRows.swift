// SPDX-License-Identifier: Apache-2.0

import Display

/// The buttons of a face, in as many rows as the width requires.
struct ButtonRows {
    private static let gap = 2

    let buttons: [[Button]]
    /// Whether each button is an area with space above and below its text.
    let isTall: Bool
    /// Whether a button is marked by its background, else by brackets.
    let hasAreas: Bool

    /// - Returns: `nil` if there is no button, or one is wider than `columns`.
    init?(_ buttons: [Button], columns: Int, isTall: Bool, depth: ColourDepth) {
        guard !buttons.isEmpty else { return nil }
        hasAreas = depth.hasAreas
        self.isTall = isTall && hasAreas
        var lines: [[Button]] = []
        for button in buttons {
            guard Self.width(of: button) <= columns else { return nil }
            if let line = lines.last, Self.width(of: line + [button]) <= columns {
                lines[lines.count - 1].append(button)
            } else {
                lines.append([button])
            }
        }
        self.buttons = lines
    }

    private var lineHeight: Int { isTall ? 3 : 1 }
    private var leading: Int { !isTall && hasAreas ? 1 : 0 }
    var height: Int { buttons.count * (lineHeight + leading) - leading }

    /// The width of the text and its key, with two spaces around each.
    private static func width(of button: Button) -> Int { TerminalText.displayWidth(button.text) + 7 }
    private static func width(of line: [Button]) -> Int {
        line.reduce(-gap) { $0 + gap + Self.width(of: $1) }
    }

    /// Draws the rows in the middle of the canvas.
    func draw(on canvas: inout Canvas, row: Int, pending: Localized) {
        var row = row
        for line in buttons {
            var x = (canvas.columns - Self.width(of: line)) / 2
            for button in line {
                draw(button, on: &canvas, column: x, row: row, pending: pending)
                x += Self.width(of: button) + Self.gap
            }
            row += lineHeight + leading
        }
    }

    private func draw(_ button: Button, on canvas: inout Canvas, column: Int, row: Int, pending: Localized) {
        let width = Self.width(of: button)
        canvas.mark(button.action, columns: column..<column + width, rows: row..<row + lineHeight)
        let key = button.isPending ? pending : .symbols(String(button.key))
        let area = hasAreas ? Shade.button : nil
        let text = Style(
            button.isPending ? Shade.quiet : Shade.white, on: area,
            faint: button.isPending)
        let hint = Style(Shade.quiet, on: area, faint: true)
        if isTall {
            let edge = Style(area)
            canvas.write(.symbols(String(repeating: "▄", count: width)), column: column, row: row, style: edge)
            canvas.write(.symbols(String(repeating: "▀", count: width)), column: column, row: row + 2, style: edge)
        }
        let middle = isTall ? row + 1 : row
        if hasAreas {
            canvas.write(.symbols(String(repeating: " ", count: width)), column: column, row: middle, style: text)
            canvas.write(button.text, column: column + 2, row: middle, style: text)
            canvas.write(key, column: column + width - 3, row: middle, style: hint)
        } else {
            canvas.write("[\(key)]", column: column, row: middle, style: hint)
            canvas.write(button.text, column: column + 4, row: middle, style: text)
        }
    }
}
