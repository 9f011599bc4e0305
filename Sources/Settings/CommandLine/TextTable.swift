// SPDX-License-Identifier: Apache-2.0

/// Rows of text in columns.
package enum TextTable {
    /// Returns the lines of a table, with two spaces between columns.
    /// - Parameters:
    ///   - right: The column to align to the right.
    ///   - width: Returns the columns of a text on a terminal, for texts that may be wide, as those of people.
    package static func lines(
        _ rows: [[String]], right: Int? = nil, width: (String) -> Int = { $0.count }
    ) -> [String] {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in rows.map { width($0[column]) }.max() ?? 0 }
        return rows.map { row in
            let cells = row.enumerated().map { column, text in
                let space = String(repeating: " ", count: widths[column] - width(text))
                return column == right ? space + text : text + space
            }
            var line = cells.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line
        }
    }
}
