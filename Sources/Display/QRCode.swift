// SPDX-License-Identifier: Apache-2.0

import CQRencode

/// A QR code with error correction level M, drawn by libqrencode.
package struct QRCode: Hashable, Sendable {
    package let size: Int
    /// Whether each module is dark, row by row.
    private let modules: [Bool]

    /// Creates the smallest code for a text; `nil` above 2,331 bytes of UTF-8.
    package init?(_ text: String) {
        guard let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_M) else { return nil }
        defer { QRcode_free(code) }
        size = Int(code.pointee.width)
        modules = UnsafeBufferPointer(start: code.pointee.data, count: size * size).map { $0 & 1 == 1 }
    }

    private subscript(column: Int, row: Int) -> Bool { modules[row * size + column] }

    /// The width of the quiet zone in modules. The standard asks for four; two suffice on a screen.
    private static let margin = 2

    /// The code as an SVG picture, black on white.
    package var svg: String {
        let side = size + 2 * Self.margin
        var path = ""
        for row in 0..<size {
            for column in 0..<size where self[column, row] {
                path += "M\(column + Self.margin) \(row + Self.margin)h1v1h-1z"
            }
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(side) \(side)" shape-rendering="crispEdges">\
            <path fill="#fff" d="M0 0h\(side)v\(side)H0z"/><path fill="#000" d="\(path)"/></svg>

            """
    }

    /// The code as half blocks for a terminal with a dark background: light modules are drawn.
    package var text: String {
        func isLight(_ column: Int, _ row: Int) -> Bool {
            guard (0..<size).contains(column), (0..<size).contains(row) else { return true }
            return !self[column, row]
        }
        let range = -Self.margin..<size + Self.margin
        return stride(from: range.lowerBound, to: range.upperBound, by: 2).map { row in
            range.map { column in
                switch (isLight(column, row), isLight(column, row + 1)) {
                case (true, true): "█"
                case (true, false): "▀"
                case (false, true): "▄"
                case (false, false): " "
                }
            }.joined()
        }.joined(separator: "\n")
    }
}
