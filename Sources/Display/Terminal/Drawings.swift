// SPDX-License-Identifier: Apache-2.0

import Session

/// The icons as pictures of any size.
enum Drawings {
    /// The smallest recognisable size, in pixels.
    static let smallest = 9

    static func icon(_ icon: Icon, height: Int, progress: Double?) -> Pixmap {
        switch icon {
        case .cup: cup(height: height)
        case .hourglass: hourglass(height: height, progress: progress ?? 0.5)
        case .book, .pen, .leaf, .dumbbell: IconLines(icon.path).pixmap(size: height)
        }
    }

    /// An hourglass whose sand shows the progress.
    private static func hourglass(height: Int, progress: Double) -> Pixmap {
        let width = Int((Double(height) * 0.8).rounded())
        let stroke = max(1, height / 10)
        let middle = Double(width) / 2
        let bulb = Double(height - 2 * stroke) / 2
        let neck = width % 2 == 0 ? Double(stroke) : Double(stroke) + 0.5
        return Pixmap(width: width, height: height) { x, y in
            if y < stroke || y >= height - stroke { return .line }
            let deep = Double(y - stroke) + 0.5
            let fromNeck = abs(deep - bulb) / bulb
            let half = neck + (middle - 1 - neck) * min(1, fromNeck * 1.35)
            let away = abs(Double(x) + 0.5 - middle)
            if away > half { return nil }
            if away > half - Double(stroke) { return .line }
            let isAbove = deep < bulb
            let isSand = isAbove ? 1 - fromNeck > progress * 0.75 + 0.25 : fromNeck > 1 - progress * 0.75
            return isSand ? .filling : nil
        }
    }

    /// A cup on its saucer, with steam.
    private static func cup(height: Int) -> Pixmap {
        let width = height
        let stroke = max(1, height / 10)
        let top = Double(height) * 0.32
        let bottom = Double(height - 2 * stroke)
        let right = Double(width) * 0.74
        let steam = [Int(right * 0.27), Int(right * 0.6)]
        return Pixmap(width: width, height: height) { x, y in
            let (px, py) = (Double(x) + 0.5, Double(y) + 0.5)
            if y >= height - stroke { return px < right + Double(stroke) ? .line : nil }
            if py < top - Double(stroke) {
                return steam.contains { ($0..<$0 + stroke).contains(x) } ? .filling : nil
            }
            guard py >= top, py < bottom else { return nil }
            let deep = max(0, 1 - (bottom - py) / ((bottom - top) * 0.7))
            let round = (1 - (1 - deep * deep).squareRoot()) * right * 0.4
            if px >= 0.5 + round, px < right - round { return .line }
            let reach = (bottom - top) * 0.34
            let away = ((px - right) * (px - right) + (py - top - reach) * (py - top - reach)).squareRoot()
            return px >= right - round && away <= reach && away > reach - Double(stroke) ? .line : nil
        }
    }
}
