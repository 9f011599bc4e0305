// SPDX-License-Identifier: Apache-2.0

import Session

/// A bar of one row that fills from the left.
struct ProgressBar {
    let columns: Int
    /// 0 to 1.
    let progress: Double

    private static let eighths: [Localized] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]

    func draw(on canvas: inout Canvas, column: Int, row: Int, style: Style, depth: ColourDepth) {
        guard columns > 0 else { return }
        // Fonts without eighth blocks have half blocks.
        let steps = depth.hasFineCharacters ? 8 : 2
        let filled = Int(min(max(progress, 0), 1) * Double(columns * steps))
        let (full, rest) = (filled / steps, filled % steps * (8 / steps))
        var done = style
        var open = Style(Shade.track, faint: true)
        if depth.hasAreas {
            done.background = Shade.button
            open.background = Shade.button
        }
        canvas.write(.symbols(String(repeating: "█", count: full)), column: column, row: row, style: done)
        canvas.write(Self.eighths[rest], column: column + full, row: row, style: done)
        let left = columns - full - (rest > 0 ? 1 : 0)
        let empty = depth.hasAreas ? " " : "░"
        canvas.write(
            .symbols(String(repeating: empty, count: left)), column: column + columns - left, row: row, style: open)
    }
}
