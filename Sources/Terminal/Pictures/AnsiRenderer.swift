// SPDX-License-Identifier: Apache-2.0

/// Writes pictures as escape sequences.
enum AnsiRenderer {
    /// Returns the shortest update from one picture to the next, which writes only cells that differ.
    /// - Parameter previous: The picture on the terminal. If it is `nil` or has another size, every cell is written.
    /// - Returns: An empty text if nothing differs.
    static func text(from previous: Canvas?, to next: Canvas, depth: ColourDepth) -> String {
        let known = previous.flatMap { $0.columns == next.columns && $0.rows == next.rows ? $0 : nil }
        var out = ""
        var style: Style?
        // Unknown after characters whose width differs between terminals.
        var cursor: (column: Int, row: Int)?
        for row in 0..<next.rows {
            for column in 0..<next.columns {
                let cell = next[column, row]
                guard cell.width > 0, known?[column, row] != cell else { continue }
                if cursor?.column != column || cursor?.row != row { out += "\u{1B}[\(row + 1);\(column + 1)H" }
                if style != cell.style { out += change(from: style, to: cell.style, depth: depth) }
                out += cell.text
                style = cell.style
                cursor = isPlain(cell) && column + 1 < next.columns ? (column + 1, row) : nil
            }
        }
        return out
    }

    /// Returns the sequence that changes one style into another. Without an old style it begins with a reset.
    private static func change(from old: Style?, to new: Style, depth: ColourDepth) -> String {
        var codes: [Int] = []
        if old == nil { codes.append(0) }
        let old = old ?? Style()
        let isFaint = { (style: Style) in style.isFaint && depth == .none }
        let mustReset = old.isBold && !new.isBold || isFaint(old) && !isFaint(new)
        if mustReset { codes.append(22) }
        if new.isBold, !old.isBold || mustReset { codes.append(1) }
        if isFaint(new), !isFaint(old) || mustReset { codes.append(2) }
        if old.foreground != new.foreground { codes += depth.codes(new.foreground, isBackground: false) }
        if old.background != new.background { codes += depth.codes(new.background, isBackground: true) }
        return codes.isEmpty ? "" : "\u{1B}[\(codes.map(String.init).joined(separator: ";"))m"
    }

    private static func isPlain(_ cell: Canvas.Cell) -> Bool {
        guard cell.width == 1, let scalar = cell.text.unicodeScalars.first else { return false }
        return scalar.isASCII || (0x2580...0x259F).contains(scalar.value) || (0x2800...0x28FF).contains(scalar.value)
    }
}
