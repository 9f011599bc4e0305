// SPDX-License-Identifier: Apache-2.0

import Display

/// A picture of square pixels, two to a cell, one above the other.
struct Pixmap: Hashable {
    let width: Int
    let height: Int
    private var pixels: [Bool] = []

    init(width: Int, height: Int, pixel: (_ x: Int, _ y: Int) -> Bool = { _, _ in false }) {
        self.width = width
        self.height = height
        for y in 0..<height {
            for x in 0..<width { pixels.append(pixel(x, y)) }
        }
    }

    var rows: Int { (height + 1) / 2 }

    /// Outside of the picture, pixels are off and cannot be set.
    subscript(x: Int, y: Int) -> Bool {
        get { (0..<width).contains(x) && (0..<height).contains(y) && pixels[y * width + x] }
        set { if (0..<width).contains(x), (0..<height).contains(y) { pixels[y * width + x] = newValue } }
    }

    mutating func add(_ other: Pixmap, x offset: Int) {
        for y in 0..<min(other.height, height) {
            for x in 0..<other.width { self[offset + x, y] = other[x, y] }
        }
    }
}

extension Canvas {
    /// Draws with half and full blocks, which even the font of a bare console has.
    mutating func draw(_ pixmap: Pixmap, column: Int, row: Int, style: Style) {
        for y in 0..<pixmap.rows {
            for x in 0..<pixmap.width {
                let (upper, lower) = (pixmap[x, 2 * y], pixmap[x, 2 * y + 1])
                guard upper || lower else { continue }
                write(upper && lower ? "█" : upper ? "▀" : "▄", column: column + x, row: row + y, style: style)
            }
        }
    }
}
