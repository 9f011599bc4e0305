// SPDX-License-Identifier: Apache-2.0

/// The lines of an icon's SVG path, in its square of 24.
struct IconLines {
    private struct Point {
        var x = 0.0
        var y = 0.0

        static func + (a: Point, b: Point) -> Point { Point(x: a.x + b.x, y: a.y + b.y) }
        static func - (a: Point, b: Point) -> Point { Point(x: a.x - b.x, y: a.y - b.y) }
        static func * (a: Point, factor: Double) -> Point { Point(x: a.x * factor, y: a.y * factor) }
        func dot(_ other: Point) -> Double { x * other.x + y * other.y }
    }

    private static let side = 24.0
    private static let stepsOfCurve = 8
    private var lines: [(from: Point, to: Point)] = []
    private var start = Point()
    private var pen = Point()

    /// - Parameter path: Moves, lines and cubic curves, as in ``Icon/path``; arcs become straight lines.
    init(_ path: String) {
        var command: Character = "M"
        var numbers: [Double] = []
        for token in Self.tokens(path) {
            if let number = Double(token) {
                numbers.append(number)
            } else {
                command = token.first ?? command
                numbers = []
                if command == "z" || command == "Z" { draw(to: start) }
            }
            guard let count = Self.counts[Character(command.lowercased())], count > 0, numbers.count == count else {
                continue
            }
            carryOut(Character(command.lowercased()), numbers, from: command.isLowercase ? pen : Point())
            numbers = []
        }
    }

    /// Returns a picture of `size` by `size` pixels.
    func pixmap(size: Int) -> Pixmap {
        let pixel = Self.side / Double(size)
        // Half the pen's width; more than half a pixel, so that no line has gaps.
        let reach = max(1, pixel * 0.55)
        return Pixmap(width: size, height: size) { x, y in
            let point = Point(x: (Double(x) + 0.5) * pixel, y: (Double(y) + 0.5) * pixel)
            return lines.contains { Self.distance(point, from: $0.from, to: $0.to) <= reach } ? .line : nil
        }
    }

    private static let counts: [Character: Int] = ["m": 2, "l": 2, "h": 1, "v": 1, "c": 6, "a": 7]

    private mutating func carryOut(_ command: Character, _ numbers: [Double], from origin: Point) {
        let point = { (index: Int) in origin + Point(x: numbers[index], y: numbers[index + 1]) }
        switch command {
        case "m":
            pen = point(0)
            start = pen
        case "l": draw(to: point(0))
        case "h": draw(to: Point(x: origin.x + numbers[0], y: pen.y))
        case "v": draw(to: Point(x: pen.x, y: origin.y + numbers[0]))
        case "c": curve(point(0), point(2), point(4))
        case "a": draw(to: point(5))
        default: break
        }
    }

    private mutating func draw(to point: Point) {
        lines.append((pen, point))
        pen = point
    }

    private mutating func curve(_ first: Point, _ second: Point, _ end: Point) {
        let begin = pen
        for step in 1...Self.stepsOfCurve {
            let t = Double(step) / Double(Self.stepsOfCurve)
            let s = 1 - t
            let near = begin * (s * s * s) + first * (3 * s * s * t)
            draw(to: near + second * (3 * s * t * t) + end * (t * t * t))
        }
    }

    private static func distance(_ point: Point, from start: Point, to end: Point) -> Double {
        let along = end - start
        let length = along.dot(along)
        let place = length == 0 ? 0 : min(max((point - start).dot(along) / length, 0), 1)
        let away = point - start - along * place
        return away.dot(away).squareRoot()
    }

    /// Splits a path into letters and numbers; a minus sign or a second point begins a number.
    private static func tokens(_ path: String) -> [String] {
        var tokens: [String] = []
        var number = ""
        for character in path {
            let isDigit = character.isNumber || character == "-" || character == "."
            if !number.isEmpty, !isDigit || character == "-" || character == "." && number.contains(".") {
                tokens.append(number)
                number = ""
            }
            if isDigit { number.append(character) } else if character.isLetter { tokens.append(String(character)) }
        }
        return number.isEmpty ? tokens : tokens + [number]
    }
}
