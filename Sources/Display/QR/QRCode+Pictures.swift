// SPDX-License-Identifier: Apache-2.0

extension QRCode {
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
