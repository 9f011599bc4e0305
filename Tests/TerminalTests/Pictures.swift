// SPDX-License-Identifier: Apache-2.0

import Display
import Support

@testable import Terminal

func canvas(_ screen: Screen, _ columns: Int, _ rows: Int, _ depth: ColourDepth = .full) -> Canvas {
    TerminalPicture.canvas(of: screen, columns: columns, rows: rows, depth: depth)
}

/// Sizes from 5 × 1 to 200 × 60: every small one, then samples.
let sizes: [(columns: Int, rows: Int)] = {
    let columns = Array(5...24) + [27, 30, 33, 40, 47, 54, 60, 72, 79, 80, 81, 100, 133, 200]
    let rows = Array(1...12) + [14, 16, 20, 24, 30, 43, 60]
    return columns.flatMap { column in rows.map { (column, $0) } }
}()

/// Returns every size up to 14 × 6, then random ones up to 200 × 60, mostly small.
func randomSizes(_ count: Int, seed: UInt64 = 5) -> [(columns: Int, rows: Int)] {
    var dice = Random(seed: seed)
    let small = (1...14).flatMap { columns in (1...6).map { (columns, $0) } }
    let random = (0..<count).map { index in
        let isLarge = index % 5 == 0
        return (
            Int.random(in: 5...(isLarge ? 200 : 90), using: &dice),
            Int.random(in: 1...(isLarge ? 60 : 28), using: &dice)
        )
    }
    return small + random
}
