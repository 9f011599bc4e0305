// SPDX-License-Identifier: Apache-2.0

import Display
import Session

/// The look of a cell.
struct Style: Hashable, Sendable {
    var foreground: Colour?
    var background: Colour?
    var isBold: Bool
    /// Whether it is faint; used only where there are no colours.
    var isFaint: Bool

    init(_ foreground: Colour? = nil, on background: Colour? = nil, bold: Bool = false, faint: Bool = false) {
        self.foreground = foreground
        self.background = background
        isBold = bold
        isFaint = faint
    }
}

/// A picture of terminal cells. Drawing outside of it has no effect.
struct Canvas: Hashable, Sendable {
    /// One place of the terminal with its character.
    struct Cell: Hashable, Sendable {
        /// The character; empty in the second cell of a wide one.
        var text: String
        /// The columns of the cell: 1 or 2, 0 in the second cell of a wide one.
        var width: Int
        var style: Style
    }

    let columns: Int
    let rows: Int
    private var cells: [Cell]
    private var areas: [Area] = []

    /// A rectangle that can be clicked.
    private struct Area: Hashable, Sendable {
        var columns: Range<Int>
        var rows: Range<Int>
        var action: Button.Action
    }

    init(columns: Int, rows: Int, background: Colour?) {
        self.columns = max(columns, 0)
        self.rows = max(rows, 0)
        let blank = Cell(text: " ", width: 1, style: Style(nil, on: background))
        cells = Array(repeating: blank, count: self.columns * self.rows)
    }

    subscript(column: Int, row: Int) -> Cell { cells[row * columns + column] }

    func text(row: Int) -> String { cells[row * columns..<(row + 1) * columns].map(\.text).joined() }

    func action(column: Int, row: Int) -> Button.Action? {
        areas.last { $0.columns.contains(column) && $0.rows.contains(row) }?.action
    }

    mutating func mark(_ action: Button.Action, columns: Range<Int>, rows: Range<Int>) {
        areas.append(Area(columns: columns, rows: rows, action: action))
    }

    /// Writes text from a position on, as far as it fits. A style without a background keeps that of each cell.
    /// - Returns: The column after the text.
    @discardableResult
    mutating func write(_ text: Localized, column: Int, row: Int, style: Style) -> Int {
        var column = column
        for cluster in TerminalText.clusters(text.description) {
            put(cluster, column: column, row: row, style: style)
            column += cluster.width
        }
        return column
    }

    private mutating func put(_ cluster: TerminalText.Cluster, column: Int, row: Int, style: Style) {
        guard (0..<rows).contains(row), column >= 0, column + cluster.width <= columns else { return }
        let index = row * columns + column
        var style = style
        style.background = style.background ?? cells[index].style.background
        split(at: index)
        cells[index] = Cell(text: cluster.text, width: cluster.width, style: style)
        if cluster.width == 2 {
            split(at: index + 1)
            cells[index + 1] = Cell(text: "", width: 0, style: style)
        }
    }

    /// Replaces both halves of a wide character by spaces, since half of it cannot remain.
    private mutating func split(at index: Int) {
        let width = cells[index].width
        let other = width == 2 ? index + 1 : width == 0 ? index - 1 : index
        for half in Set([index, other]) where width != 1 {
            cells[half].text = " "
            cells[half].width = 1
        }
    }
}
