// SPDX-License-Identifier: Apache-2.0

/// A chart that is written as SVG, styled by the page's style sheet.
///
/// Lengths are in units of its own box, from the side at which the language begins. For right-to-left languages the
/// picture is mirrored, except its texts.
struct ChartDrawing {
    /// The alignment of a text at its point, in the direction of the language.
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

    /// - Parameters:
    ///   - name: The class, and the prefix of the ids of title and description.
    ///   - description: The numbers as text, for screen readers.
    func svg(name: String, title: Localized, description: Localized) -> String {
        """
        <svg class="\(name)" viewBox="0 0 \(Self.number(width)) \(Self.number(height))" role="img" \
        aria-labelledby="\(name)-title \(name)-desc">
        <title id="\(name)-title">\(Markup.escaped(title))</title>
        <desc id="\(name)-desc">\(Markup.escaped(description))</desc>
        \(body)</svg>
        """
    }

    /// - Parameter fill: The colour, if the style sheet has none.
    mutating func rectangle(
        _ kind: String, x: Double, y: Double, width: Double, height: Double, radius: Double = 0, fill: String? = nil
    ) {
        let left = strings.isRightToLeft ? self.width - x - width : x
        let lengths =
            [("x", left), ("y", y), ("width", width), ("height", height)] + (radius > 0 ? [("rx", radius)] : [])
        add("rect", kind, lengths, more: fill.map { " fill=\"\($0)\"" } ?? "")
    }

    mutating func line(_ kind: String, from x: Double, to end: Double, y: Double) {
        add("line", kind, [("x1", mirrored(x)), ("y1", y), ("x2", mirrored(end)), ("y2", y)])
    }

    mutating func dot(_ kind: String, x: Double, y: Double, radius: Double) {
        add("circle", kind, [("cx", mirrored(x)), ("cy", y), ("r", radius)])
    }

    mutating func curve(_ kind: String, through points: [(x: Double, y: Double)]) {
        let list = points.map { "\(Self.number(mirrored($0.x))),\(Self.number($0.y))" }.joined(separator: " ")
        body += "<polyline class=\"\(kind)\" points=\"\(list)\"/>\n"
    }

    /// Adds one line of text. A text that is too wide is reduced to no less than 75 % of its size, then truncated.
    /// - Parameters:
    ///   - y: The baseline.
    ///   - isNumber: Whether it is left-to-right in every language.
    mutating func text(
        _ text: Localized, kind: String, x: Double, y: Double, size: Double, room: Double, align: Alignment = .start,
        isNumber: Bool = false
    ) {
        let measure = TextMeasure()
        let size = min(size, max(0.75 * size, room / max(measure.width(text), 0.01)))
        let text = text.fitted(room: room / size, measure: measure)
        guard !text.isEmpty else { return }
        let isTurned = !isNumber && (TextDirection.isRightToLeft(text.description) ?? strings.isRightToLeft)
        let anchor =
            switch align {
            case .middle: "middle"
            case .start: isTurned == strings.isRightToLeft ? "start" : "end"
            case .end: isTurned == strings.isRightToLeft ? "end" : "start"
            }
        body += """
            <text class="\(kind)" x="\(Self.number(mirrored(x)))" y="\(Self.number(y))" \
            font-size="\(Self.number(size))" text-anchor="\(anchor)" \
            direction="\(isTurned ? "rtl" : "ltr")">\(Markup.escaped(text))</text>

            """
    }

    private func mirrored(_ x: Double) -> Double { strings.isRightToLeft ? width - x : x }

    private mutating func add(_ name: String, _ kind: String, _ lengths: [(String, Double)], more: String = "") {
        let lengths = lengths.map { " \($0)=\"\(Self.number($1))\"" }.joined()
        body += "<\(name) class=\"\(kind)\"\(lengths)\(more)/>\n"
    }

    private static func number(_ value: Double) -> String { SVGDrawing.number(value) }
}
