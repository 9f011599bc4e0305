// SPDX-License-Identifier: Apache-2.0

import Session

/// A ring that closes clockwise from the top; the open part is a thin line.
struct Ring {
    /// The number of rows, and half the number of columns.
    let rows: Int

    static let fewestRows = 3

    var columns: Int { 2 * rows }
    /// The height of an icon within the ring, in pixels; `nil` if it would be too small to recognise.
    var iconHeight: Int? { rows * 4 / 5 >= Drawings.smallest ? rows * 4 / 5 : nil }

    /// - Parameter progress: 0 to 1; `nil` for a count-up.
    func draw(
        on canvas: inout Canvas, column: Int, row: Int, progress: Double?, done: Style, open: Style, depth: ColourDepth
    ) {
        guard depth.hasFineCharacters else {
            let pixmap = Pixmap(width: columns, height: columns) { x, y in
                switch part(x, y, size: columns, progress: progress) {
                case .done: .line
                case .open: .filling
                case nil: nil
                }
            }
            return canvas.draw(pixmap, column: column, row: row, line: done, filling: open)
        }
        for y in 0..<rows {
            for x in 0..<columns {
                let dots = dots(x, y, progress: progress)
                let (pattern, style) = dots.done == 0 ? (dots.open, open) : (dots.done, done)
                guard pattern != 0, let scalar = Unicode.Scalar(Self.braille + pattern) else { continue }
                canvas.write(.symbols(String(Character(scalar))), column: column + x, row: row + y, style: style)
            }
        }
    }

    private static let braille: UInt32 = 0x2800
    /// The bits of a braille character's dots, row by row.
    private static let dotBits: [[UInt32]] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]]

    private enum Part {
        case done, open
    }

    private func dots(_ column: Int, _ row: Int, progress: Double?) -> (done: UInt32, open: UInt32) {
        var dots: (done: UInt32, open: UInt32) = (0, 0)
        for (y, bits) in Self.dotBits.enumerated() {
            for (x, bit) in bits.enumerated() {
                switch part(2 * column + x, 4 * row + y, size: 4 * rows, progress: progress) {
                case .done: dots.done |= bit
                case .open: dots.open |= bit
                case nil: break
                }
            }
        }
        return dots
    }

    /// Returns the part of the ring at a pixel of a square of `size`.
    private func part(_ x: Int, _ y: Int, size: Int, progress: Double?) -> Part? {
        let centre = Double(size) / 2
        let (dx, dy) = (Double(x) + 0.5 - centre, Double(y) + 0.5 - centre)
        let distance = (dx * dx + dy * dy).squareRoot()
        let stroke = max(2, Double(size) / 11)
        guard distance <= centre, distance > centre - stroke else { return nil }
        if let progress, progress > 0, Self.turn(dx, dy) <= progress { return .done }
        return abs(distance - centre + stroke / 2) <= 0.75 ? .open : nil
    }

    /// Returns the direction of a point in turns, clockwise from the top; exact to a thousandth.
    static func turn(_ dx: Double, _ dy: Double) -> Double {
        let (across, along) = (abs(dx), abs(dy))
        guard across > 0 || along > 0 else { return 0 }
        let slope = min(across, along) / max(across, along)
        // A common approximation of the arc tangent between 0 and 1.
        let octant = slope * (Double.pi / 4 + 0.273 * (1 - slope))
        let quadrant = across > along ? Double.pi / 2 - octant : octant
        let half = dy > 0 ? Double.pi - quadrant : quadrant
        return (dx < 0 ? 2 * Double.pi - half : half) / (2 * Double.pi)
    }
}

extension ColourDepth {
    /// Whether the terminal's font has braille and eighth blocks, which a bare console lacks.
    var hasFineCharacters: Bool { self != .sixteen }

    /// Whether an area can stand out by its background alone.
    var hasAreas: Bool { self == .full || self == .indexed }
}
