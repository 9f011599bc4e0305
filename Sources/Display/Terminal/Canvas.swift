// SPDX-License-Identifier: Apache-2.0

public import Session

/// How a cell of a terminal looks.
public struct Style: Hashable, Sendable {
    /// The colour of what stands in the cell; `nil` for the terminal's own.
    public var foreground: Colour?
    /// The colour behind it; `nil` for the terminal's own.
    public var background: Colour?
    /// Whether it is bold.
    public var isBold: Bool
    /// Whether it is fainter than the rest; only used where there are no colours to say so.
    public var isFaint: Bool

    /// Makes a style.
    public init(_ foreground: Colour? = nil, on background: Colour? = nil, bold: Bool = false, faint: Bool = false) {
        self.foreground = foreground
        self.background = background
        isBold = bold
        isFaint = faint
    }
}

/// A picture made of the cells of a terminal. Nothing can be drawn outside of it.
public struct Canvas: Hashable, Sendable {
    /// One cell.
    public struct Cell: Hashable, Sendable {
        /// The character; empty in the second cell of a wide one.
        public var text: String
        /// Its columns: 1 or 2, 0 in the second cell of a wide one.
        public var width: Int
        /// How it looks.
        public var style: Style
    }

    /// The number of columns.
    public let columns: Int
    /// The number of rows.
    public let rows: Int
    private var cells: [Cell]
    private var areas: [Area] = []

    private struct Area: Hashable, Sendable {
        var columns: Range<Int>
        var rows: Range<Int>
        var operation: Operation
    }

    /// An empty canvas of one background.
    public init(columns: Int, rows: Int, background: Colour?) {
        self.columns = max(columns, 0)
        self.rows = max(rows, 0)
        let blank = Cell(text: " ", width: 1, style: Style(nil, on: background))
        cells = Array(repeating: blank, count: self.columns * self.rows)
    }

    /// The cell at a place that is on the canvas.
    public subscript(column: Int, row: Int) -> Cell { cells[row * columns + column] }

    /// The characters of one row.
    public func text(row: Int) -> String { cells[row * columns..<(row + 1) * columns].map(\.text).joined() }

    /// What a press at a place asks for; `nil` where there is no button.
    public func operation(column: Int, row: Int) -> Operation? {
        areas.last { $0.columns.contains(column) && $0.rows.contains(row) }?.operation
    }

    /// Says that an area is a button.
    mutating func mark(_ operation: Operation, columns: Range<Int>, rows: Range<Int>) {
        areas.append(Area(columns: columns, rows: rows, operation: operation))
    }

    /// Writes text from a place on; what does not fit is left out. A style without a background keeps that of the canvas.
    /// - Returns: The column behind the text.
    @discardableResult
    public mutating func write(_ text: String, column: Int, row: Int, style: Style) -> Int {
        var column = column
        for cluster in TerminalText.clusters(text) {
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

    /// Half of a wide character cannot stay when the other half goes.
    private mutating func split(at index: Int) {
        let width = cells[index].width
        let other = width == 2 ? index + 1 : width == 0 ? index - 1 : index
        for half in Set([index, other]) where width != 1 {
            cells[half].text = " "
            cells[half].width = 1
        }
    }
}
