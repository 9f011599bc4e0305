// SPDX-License-Identifier: Apache-2.0

import Session

/// Draws a screen for a terminal of any size.
package enum TerminalPicture {
    /// Returns the picture. It omits the time if not even its shortest text fits.
    /// - Parameter depth: With few colours, buttons are marked by brackets.
    package static func canvas(of screen: Screen, columns: Int, rows: Int, depth: ColourDepth) -> Canvas {
        switch screen.face {
        case .boring: return BoringPicture.canvas(of: screen, columns: columns, rows: rows)
        case .focus: return FocusPicture.canvas(of: screen, columns: columns, rows: rows, depth: depth)
        case .calm: return CalmPicture.canvas(of: screen, columns: columns, rows: rows, depth: depth)
        case .phases: return PhasesPicture.canvas(of: screen, columns: columns, rows: rows, depth: depth)
        }
    }
}

extension Screen {
    /// Returns the largest digits for the widest time of the phase, or else for the present time.
    func bigTime(columns: Int, rows: Int) -> BigDigits? {
        BigDigits.fitting(widestTime, columns: columns, rows: rows)
            ?? BigDigits.fitting(time, columns: columns, rows: rows)
    }

    /// Returns the longest text of the time that fits; empty if none does.
    func smallTime(columns: Int) -> Localized {
        times.first { TerminalText.displayWidth($0) <= columns } ?? ""
    }
}

/// The boring face: only the time.
enum BoringPicture {
    static let background = Colour(red: 0x0A, green: 0x0A, blue: 0x0A)
    static let primary = Colour(red: 0x88, green: 0x88, blue: 0x88)
    static let secondary = Colour(red: 0x44, green: 0x44, blue: 0x44)

    static func canvas(of screen: Screen, columns: Int, rows: Int) -> Canvas {
        var canvas = Canvas(columns: columns, rows: rows, background: background)
        guard !screen.isIdle else { return canvas }
        // A time that may be wrong has the darker grey, since this face has no notice.
        let style = Style(screen.isStale ? secondary : primary, faint: screen.isStale)
        let room = (columns: columns - 2 * (columns / 5), rows: rows - 2 * (rows / 4))
        let big =
            screen.bigTime(columns: room.columns, rows: room.rows)
            ?? screen.bigTime(columns: columns - 2, rows: rows)
        let below: Int
        if let big {
            let column = (columns - big.width(of: screen.time)) / 2
            let row = (rows - big.rows) / 2
            canvas.draw(big.pixmap(of: screen.time), column: column, row: row, line: style)
            below = row + big.rows
        } else {
            let text = screen.smallTime(columns: columns)
            canvas.write(text, column: (columns - text.description.count) / 2, row: (rows - 1) / 2, style: style)
            below = (rows - 1) / 2 + 1
        }
        // The debt uses only free rows, so that the time does not move.
        if let debt = screen.debtText, below < rows, debt.description.count <= columns {
            let row = below + (below + 1 < rows ? 1 : 0)
            canvas.write(
                debt, column: (columns - debt.description.count) / 2, row: row, style: Style(secondary, faint: true))
        }
        return canvas
    }
}
