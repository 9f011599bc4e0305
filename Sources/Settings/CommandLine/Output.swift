// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Rows of text in columns.
package enum TextTable {
    /// Two spaces are between columns and none at the end. `right` is the column that is aligned to the right.
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

/// A line on the terminal of stderr that shows progress to a person who waits.
package enum ProgressLine {
    private static let isShown = isatty(STDERR_FILENO) == 1

    /// Replaces the line; an empty text clears it.
    package static func show(_ text: String) {
        let bytes = Array("\r\u{1B}[K\(text)".utf8)
        if isShown { _ = write(STDERR_FILENO, bytes, bytes.count) }
    }
}
