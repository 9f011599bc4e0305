// SPDX-License-Identifier: Apache-2.0

import Session

/// A picture of square pixels, two to a cell, one above the other.
struct Pixmap: Hashable {
    enum Ink: Hashable {
        case line, filling
    }

    let width: Int
    let height: Int
    private var pixels: [Ink?]

    init(width: Int, height: Int, pixel: (_ x: Int, _ y: Int) -> Ink? = { _, _ in nil }) {
        self.width = width
        self.height = height
        pixels = []
        for y in 0..<height {
            for x in 0..<width { pixels.append(pixel(x, y)) }
        }
    }

    /// The number of rows of cells.
    var rows: Int { (height + 1) / 2 }

    subscript(x: Int, y: Int) -> Ink? {
        get { (0..<width).contains(x) && (0..<height).contains(y) ? pixels[y * width + x] : nil }
        set { pixels[y * width + x] = newValue }
    }

    mutating func add(_ other: Pixmap, x offset: Int) {
        for y in 0..<min(other.height, height) {
            for x in 0..<other.width where offset + x < width { self[offset + x, y] = other[x, y] }
        }
    }
}

extension Canvas {
    /// Draws with half and full blocks, which even the font of a bare console has. Without `filling`, filled pixels stay
    /// empty.
    mutating func draw(_ pixmap: Pixmap, column: Int, row: Int, line: Style, filling: Style? = nil) {
        let style = { (ink: Pixmap.Ink) in ink == .line ? line : filling ?? line }
        let shown = { (ink: Pixmap.Ink?) in ink == .filling && filling == nil ? nil : ink }
        for y in 0..<pixmap.rows {
            for x in 0..<pixmap.width {
                let place = (column + x, row + y)
                switch (shown(pixmap[x, 2 * y]), shown(pixmap[x, 2 * y + 1])) {
                case (nil, nil): continue
                case (let upper?, nil): write("▀", column: place.0, row: place.1, style: style(upper))
                case (nil, let lower?): write("▄", column: place.0, row: place.1, style: style(lower))
                case (let upper?, let lower?) where upper == lower:
                    write("█", column: place.0, row: place.1, style: style(upper))
                case (let upper?, let lower?):
                    var mixed = style(upper)
                    mixed.background = style(lower).foreground
                    write("▀", column: place.0, row: place.1, style: mixed)
                }
            }
        }
    }
}
