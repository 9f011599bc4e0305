// SPDX-License-Identifier: Apache-2.0

import Session

/// Draws a screen for a terminal of any size.
public enum TerminalPicture {
    /// The whole picture. The time is always complete, or missing where even its shortest text has no room.
    /// - Parameter depth: Where there are few colours, buttons are told from text by brackets.
    public static func canvas(of screen: Screen, columns: Int, rows: Int, depth: ColourDepth) -> Canvas {
        switch screen.face {
        case .boring: return BoringPicture.canvas(of: screen, columns: columns, rows: rows)
        case .focus: return FocusPicture.canvas(of: screen, columns: columns, rows: rows, depth: depth)
        case .calm: return CalmPicture.canvas(of: screen, columns: columns, rows: rows, depth: depth)
        case .phases: return PhasesPicture.canvas(of: screen, columns: columns, rows: rows, depth: depth)
        }
    }
}

extension Screen {
    /// The time in digits as large as fit; the size follows the widest time of the phase where there is room for that.
    func bigTime(columns: Int, rows: Int) -> BigDigits? {
        BigDigits.fitting(widestTime, columns: columns, rows: rows)
            ?? BigDigits.fitting(time, columns: columns, rows: rows)
    }

    /// The longest way to write the time that fits; empty when none does.
    func smallTime(columns: Int) -> String {
        times.first { TerminalText.displayWidth($0) <= columns } ?? ""
    }
}

/// The boring face: the time, and nothing else.
enum BoringPicture {
    static let background = Colour(red: 0x0A, green: 0x0A, blue: 0x0A)
    static let primary = Colour(red: 0x88, green: 0x88, blue: 0x88)
    static let secondary = Colour(red: 0x44, green: 0x44, blue: 0x44)

    static func canvas(of screen: Screen, columns: Int, rows: Int) -> Canvas {
        var canvas = Canvas(columns: columns, rows: rows, background: background)
        guard !screen.isIdle else { return canvas }
        // Without a word, a time that may be wrong is the darker of the two greys.
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
            canvas.write(text, column: (columns - text.count) / 2, row: (rows - 1) / 2, style: style)
            below = (rows - 1) / 2 + 1
        }
        // The debt takes only rows that the time leaves free: the time stands where it stands without it.
        if let debt = screen.debtText, below < rows, debt.count <= columns {
            let row = below + (below + 1 < rows ? 1 : 0)
            canvas.write(
                debt, column: (columns - debt.count) / 2, row: row, style: Style(secondary, faint: true))
        }
        return canvas
    }
}
