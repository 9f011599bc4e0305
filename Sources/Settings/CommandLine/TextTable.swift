// SPDX-License-Identifier: Apache-2.0

/// Rows of text in columns.
package enum TextTable {
    /// Returns the lines of a table, with two spaces between columns. `right` is the column to align to the right.
    package static func lines(_ rows: [[String]], right: Int? = nil) -> [String] {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = row.enumerated().map { column, text in
                let space = String(repeating: " ", count: widths[column] - text.count)
                return column == right ? space + text : text + space
            }
            var line = cells.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line
        }
    }
}
