// SPDX-License-Identifier: Apache-2.0

import Display

/// Digits of any size, drawn from strokes with rounded corners. All digits have the same width, so that nothing moves
/// when the time changes.
struct BigDigits: Hashable {
    /// All sizes are in pixels, which are a column wide and half a row high.
    let height: Int
    let stroke: Int
    let width: Int

    private init?(height: Int) {
        let stroke = max(1, Int((Double(height) * 0.17).rounded()))
        // Both counters of an eight have the same height.
        guard (height - 3 * stroke) % 2 == 0 else { return nil }
        self.height = height
        self.stroke = stroke
        width = Int((Double(height) * 0.65).rounded())
    }

    static let smallest = 5
    private static let largest = 96

    static let sizes: [BigDigits] = (smallest...largest).reversed().compactMap(BigDigits.init)

    /// Returns the largest size in which `text` fits; `nil` if none does.
    ///
    /// It is also `nil` for other characters than digits, colons and the sign of an approximate time.
    static func fitting(_ text: Localized, columns: Int, rows: Int) -> BigDigits? {
        guard text.description.allSatisfy({ $0 == ":" || isSign($0) || digits[$0] != nil }) else { return nil }
        return sizes.first { $0.rows <= rows && $0.width(of: text) <= columns }
    }

    var rows: Int { (height + 1) / 2 }
    private var dot: Int { stroke > 2 ? stroke + 1 : stroke }

    func width(of text: Localized) -> Int {
        text.description.reduce(-stroke) { $0 + stroke + ($1 == ":" ? dot : width) }
    }

    func pixmap(of text: Localized) -> Pixmap {
        var picture = Pixmap(width: max(width(of: text), 0), height: height)
        var x = 0
        for character in text.description {
            let glyph = self.glyph(character)
            picture.add(glyph, x: x)
            x += glyph.width + stroke
        }
        return picture
    }

    /// The strokes of a digit, as on a seven-segment display.
    private struct Strokes: OptionSet {
        let rawValue: UInt8
        static let top = Strokes(rawValue: 1)
        static let upperRight = Strokes(rawValue: 2)
        static let lowerRight = Strokes(rawValue: 4)
        static let bottom = Strokes(rawValue: 8)
        static let lowerLeft = Strokes(rawValue: 16)
        static let upperLeft = Strokes(rawValue: 32)
        static let middle = Strokes(rawValue: 64)
        static let right: Strokes = [.upperRight, .lowerRight]
        static let left: Strokes = [.upperLeft, .lowerLeft]
        static let lines: Strokes = [.top, .middle, .bottom]
    }

    private static let digits: [Character: Strokes] = [
        "0": [.top, .bottom, .left, .right],
        "1": [],
        "2": [.lines, .upperRight, .lowerLeft],
        "3": [.lines, .right],
        "4": [.upperLeft, .middle, .right],
        "5": [.lines, .upperLeft, .lowerRight],
        "6": [.lines, .left, .lowerRight],
        "7": [.top, .right],
        "8": [.lines, .left, .right],
        "9": [.lines, .upperLeft, .right],
    ]

    private func glyph(_ character: Character) -> Pixmap {
        if character == ":" { return colon }
        if character == "1" { return one }
        if Self.isSign(character) { return waves }
        let strokes = Self.digits[character] ?? []
        var picture = Pixmap(width: width, height: height) { x, y in covers(strokes, x, y) }
        let middle = (height - stroke) / 2
        let bends: [(Int, Int, Bool, Bool, Strokes, Strokes)] = [
            (0, 0, false, false, [.top, .upperLeft], []),
            (width, 0, true, false, [.top, .upperRight], []),
            (0, height, false, true, [.bottom, .lowerLeft], []),
            (width, height, true, true, [.bottom, .lowerRight], []),
            (0, middle, false, false, [.middle, .lowerLeft], .upperLeft),
            (width, middle, true, false, [.middle, .lowerRight], .upperRight),
            (0, middle + stroke, false, true, [.middle, .upperLeft], .lowerLeft),
            (width, middle + stroke, true, true, [.middle, .upperRight], .lowerRight),
        ]
        for (x, y, isRight, isLow, on, off) in bends where strokes.isSuperset(of: on) && strokes.isDisjoint(with: off) {
            bend(&picture, x: x, y: y, isRight: isRight, isLow: isLow)
        }
        return picture
    }

    private func covers(_ strokes: Strokes, _ x: Int, _ y: Int) -> Bool {
        let middle = (height - stroke) / 2
        let isUpper = y < middle + stroke
        let isLower = y >= middle
        return strokes.contains(.top) && y < stroke
            || strokes.contains(.bottom) && y >= height - stroke
            || strokes.contains(.middle) && isUpper && isLower
            || strokes.contains(.upperLeft) && x < stroke && isUpper
            || strokes.contains(.lowerLeft) && x < stroke && isLower
            || strokes.contains(.upperRight) && x >= width - stroke && isUpper
            || strokes.contains(.lowerRight) && x >= width - stroke && isLower
    }

    /// Rounds the corner of two strokes at (x, y) to a quarter of a ring.
    private func bend(_ picture: inout Pixmap, x: Int, y: Int, isRight: Bool, isLow: Bool) {
        guard height > 6 else { return }
        let outer = stroke == 1 ? 1.5 : Double(stroke) * 1.5
        let inner = outer - Double(stroke)
        for deep in 0..<Int(outer.rounded(.up)) {
            for across in 0..<Int(outer.rounded(.up)) {
                let dx = outer - Double(across) - 0.5
                let dy = outer - Double(deep) - 0.5
                guard dx > 0, dy > 0 else { continue }
                let place = (isRight ? x - 1 - across : x + across, isLow ? y - 1 - deep : y + deep)
                let distance = (dx * dx + dy * dy).squareRoot()
                if distance > outer {
                    picture[place.0, place.1] = false
                } else if stroke > 1, distance >= inner {
                    picture[place.0, place.1] = true
                }
            }
        }
    }

    private var one: Pixmap {
        let left = (width - stroke) / 2
        let foot = (width - stroke) / 2 - max(0, stroke - 1) / 2
        return Pixmap(width: width, height: height) { x, y in
            let isStem = (left..<left + stroke).contains(x)
            let isFlag = y < stroke && (max(0, left - stroke)..<left).contains(x)
            let isFoot = y >= height - stroke && (left - foot..<left + stroke + foot).contains(x)
            return isStem || isFlag || isFoot
        }
    }

    private static func isSign(_ character: Character) -> Bool {
        TimeText.approximateSign.description.contains(character)
    }

    /// The sign of an approximate time.
    private var waves: Pixmap {
        let thick = max(1, stroke * 2 / 3)
        let swing = max(0.5, Double(thick) / 2)
        let rise = thick + Int((2 * swing).rounded())
        let upper = (height - 2 * rise - thick) / 2
        return Pixmap(width: width, height: height) { x, y in
            let place = (Double(x) + 0.5) / Double(width) * 2
            let along = place < 1 ? place : place - 1
            let arch = 4 * along * (1 - along) * swing
            let shift = Int((place < 1 ? swing - arch : swing + arch).rounded())
            let top = upper + shift
            let isOn = (top..<top + thick).contains(y) || (top + rise + thick..<top + rise + 2 * thick).contains(y)
            return isOn
        }
    }

    private var colon: Pixmap {
        let upper = stroke + ((height - 3 * stroke) / 2 - dot + 1) / 2
        let lower = height - upper - dot
        return Pixmap(width: dot, height: height) { _, y in
            (upper..<upper + dot).contains(y) || (lower..<lower + dot).contains(y)
        }
    }
}
