// SPDX-License-Identifier: Apache-2.0

/// A chart as SVG, for a page whose style sheet knows its classes. Lengths are in units of its own box, from the side that
/// the language begins at: where that is the right one, the picture is mirrored and its texts are not.
struct ChartDrawing {
    /// Where a text stands to its point, in the direction of the language.
    enum Alignment {
        case start, middle, end
    }

    let width: Double
    let height: Double
    private let strings: Strings
    private var body = ""

    init(width: Double, height: Double, strings: Strings) {
        self.width = width
        self.height = height
        self.strings = strings
    }

    /// The whole element.
    /// - Parameters:
    ///   - name: Its class, and how the ids of its title and description begin.
    ///   - title: What it shows.
    ///   - description: The numbers, for those who do not see it.
    func svg(name: String, title: String, description: String) -> String {
        """
        <svg class="\(name)" viewBox="0 0 \(Self.number(width)) \(Self.number(height))" role="img" \
        aria-labelledby="\(name)-title \(name)-desc">
        <title id="\(name)-title">\(Markup.escaped(title))</title>
        <desc id="\(name)-desc">\(Markup.escaped(description))</desc>
        \(body)</svg>
        """
    }

    /// - Parameter fill: Where the style sheet does not know the colour.
    mutating func rectangle(
        _ kind: String, x: Double, y: Double, width: Double, height: Double, radius: Double = 0, fill: String? = nil
    ) {
        let left = strings.isRightToLeft ? self.width - x - width : x
        let lengths =
            [("x", left), ("y", y), ("width", width), ("height", height)] + (radius > 0 ? [("rx", radius)] : [])
        add("rect", kind, lengths, more: fill.map { " fill=\"\($0)\"" } ?? "")
    }

    mutating func line(_ kind: String, from x: Double, to end: Double, y: Double) {
        add("line", kind, [("x1", turned(x)), ("y1", y), ("x2", turned(end)), ("y2", y)])
    }

    mutating func dot(_ kind: String, x: Double, y: Double, radius: Double) {
        add("circle", kind, [("cx", turned(x)), ("cy", y), ("r", radius)])
    }

    mutating func curve(_ kind: String, through points: [(x: Double, y: Double)]) {
        let list = points.map { "\(Self.number(turned($0.x))),\(Self.number($0.y))" }.joined(separator: " ")
        body += "<polyline class=\"\(kind)\" points=\"\(list)\"/>\n"
    }

    /// One line of text, never wider than its room: a long one is made smaller by a quarter at most, then shortened.
    /// - Parameters:
    ///   - y: The line that the letters stand on.
    ///   - isNumber: Whether it goes from left to right in every language.
    mutating func text(
        _ text: String, kind: String, x: Double, y: Double, size: Double, room: Double, align: Alignment = .start,
        isNumber: Bool = false
    ) {
        let measure = TextMeasure()
        let size = min(size, max(0.75 * size, room / max(measure.width(text), 0.01)))
        let text = measure.fitted(text, room: room / size)
        guard !text.isEmpty else { return }
        let isTurned = !isNumber && (TextDirection.isRightToLeft(text) ?? strings.isRightToLeft)
        let anchor =
            switch align {
            case .middle: "middle"
            case .start: isTurned == strings.isRightToLeft ? "start" : "end"
            case .end: isTurned == strings.isRightToLeft ? "end" : "start"
            }
        body += """
            <text class="\(kind)" x="\(Self.number(turned(x)))" y="\(Self.number(y))" font-size="\(Self.number(size))" \
            text-anchor="\(anchor)" direction="\(isTurned ? "rtl" : "ltr")">\(Markup.escaped(text))</text>

            """
    }

    private func turned(_ x: Double) -> Double { strings.isRightToLeft ? width - x : x }

    private mutating func add(_ name: String, _ kind: String, _ lengths: [(String, Double)], more: String = "") {
        let lengths = lengths.map { " \($0)=\"\(Self.number($1))\"" }.joined()
        body += "<\(name) class=\"\(kind)\"\(lengths)\(more)/>\n"
    }

    private static func number(_ value: Double) -> String { SVGDrawing.number(value) }
}
