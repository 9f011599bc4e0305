// SPDX-License-Identifier: Apache-2.0

import Display
import Session

@testable import Terminal

/// Finds the time on a canvas, in digits drawn large or as text.
enum ShownTime {
    static func isComplete(of screen: Screen, on canvas: Canvas) -> Bool {
        let rows = (0..<canvas.rows).map { canvas.text(row: $0) }
        if screen.times.contains(where: { time in rows.contains { $0.contains(time.description) } }) { return true }
        let sizes = BigDigits.sizes.filter {
            $0.rows <= canvas.rows && $0.width(of: screen.time) <= canvas.columns
        }
        let pictures = sizes.map { blocks(of: picture(of: screen.time, $0)) }
        // If no other text has its style, only the blocks of the time remain.
        let bold = trimmed(blocks(of: canvas) { $0.isBold })
        if pictures.contains(where: { trimmed($0) == bold }) { return true }
        let all = blocks(of: canvas)
        return pictures.contains { contains($0, in: all) }
    }

    private static func picture(of time: Localized, _ digits: BigDigits) -> Canvas {
        let pixmap = digits.pixmap(of: time)
        var picture = Canvas(columns: pixmap.width, rows: pixmap.rows, background: nil)
        picture.draw(pixmap, column: 0, row: 0, style: Style(bold: true))
        return picture
    }

    /// The pixels of each cell: 1 for the upper, 2 for the lower, 4 for anything else.
    private static func blocks(of canvas: Canvas, where isMeant: (Style) -> Bool = { _ in true }) -> [[UInt8]] {
        let codes: [String: UInt8] = [" ": 0, "▀": 1, "▄": 2, "█": 3]
        return (0..<canvas.rows).map { row in
            (0..<canvas.columns).map { column in
                let cell = canvas[column, row]
                guard isMeant(cell.style) else { return 0 }
                return codes[cell.text] ?? 4
            }
        }
    }

    /// Removes empty rows and columns at the edges, and text.
    private static func trimmed(_ blocks: [[UInt8]]) -> [[UInt8]] {
        let blocks = blocks.map { $0.map { $0 == 4 ? 0 : $0 } }
        let isFull = { (cells: [UInt8]) in cells.contains { $0 != 0 } }
        let rows = blocks.indices.filter { isFull(blocks[$0]) }
        guard let top = rows.first, let bottom = rows.last else { return [] }
        let columns = blocks[top].indices.filter { column in isFull(blocks.map { $0[column] }) }
        guard let left = columns.first, let right = columns.last else { return [] }
        return blocks[top...bottom].map { Array($0[left...right]) }
    }

    private static func contains(_ part: [[UInt8]], in whole: [[UInt8]]) -> Bool {
        for top in 0...(whole.count - part.count) {
            for left in 0...(whole[0].count - part[0].count) {
                let isThere = part.indices.allSatisfy { row in
                    whole[top + row][left..<left + part[row].count].elementsEqual(part[row])
                }
                if isThere { return true }
            }
        }
        return false
    }
}
