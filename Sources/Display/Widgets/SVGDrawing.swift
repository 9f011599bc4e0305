// SPDX-License-Identifier: Apache-2.0

import Session

/// A picture that is written as SVG. All lengths are in units of its own box.
struct SVGDrawing {
    /// The edge of a text, or its middle, that lies at the given position.
    enum Alignment {
        case left, centre, right
    }

    /// The size and the look of a text.
    struct TextStyle {
        var size: Double
        /// The minimum size: a text that is too wide is reduced to it, then truncated.
        var leastSize: Double
        var isBold = false
        var colour: Colour
        /// Whether it is a time or a number, which are left-to-right in every language.
        var isNumber = false

        init(_ size: Double, least: Double? = nil, bold: Bool = false, colour: Colour, number: Bool = false) {
            self.size = size
            leastSize = least ?? size
            isBold = bold
            self.colour = colour
            isNumber = number
        }
    }

    let width: Double
    let height: Double
    private let points: (width: Int, height: Int)
    private let isMonospaced: Bool
    private let strings: Strings
    private var body = ""

    /// Creates an empty picture.
    /// - Parameter defaultSize: The box, which is extended in one direction if the picture has another aspect ratio.
    init(defaultSize: (width: Int, height: Int), options: WidgetOptions, isMonospaced: Bool = false) {
        points = options.points(defaultSize: defaultSize)
        let (defaultWidth, defaultHeight) = (Double(defaultSize.width), Double(defaultSize.height))
        let scale = min(Double(points.width) / defaultWidth, Double(points.height) / defaultHeight)
        width = Double(points.width) / scale
        height = Double(points.height) / scale
        strings = options.strings
        self.isMonospaced = isMonospaced
    }

    /// - Parameter title: The text for screen readers; may be empty.
    func file(title: Localized) -> String {
        let family = isMonospaced ? "ui-monospace, 'DejaVu Sans Mono', monospace" : "system-ui, sans-serif"
        let heading = title.isEmpty ? "" : "<title>\(Markup.escaped(title))</title>\n"
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(points.width)" height="\(points.height)" \
            viewBox="0 0 \(Self.number(width)) \(Self.number(height))" role="img" xml:lang="\(strings.language)" \
            font-family="\(family)">
            \(heading)\(body)</svg>

            """
    }

    mutating func rectangle(
        x: Double, y: Double, width: Double, height: Double, radius: Double = 0, fill: Colour, opacity: Double = 1
    ) {
        add(
            "rect",
            [("x", x), ("y", y), ("width", width), ("height", height)] + (radius > 0 ? [("rx", radius)] : []),
            Self.paint("fill", fill, opacity: opacity))
    }

    mutating func circle(x: Double, y: Double, radius: Double, fill: Colour) {
        add("circle", [("cx", x), ("cy", y), ("r", radius)], Self.paint("fill", fill))
    }

    /// - Parameters:
    ///   - from: The start, in turns from the top.
    ///   - turns: The length in turns, 0 to 1.
    mutating func ring(
        x: Double, y: Double, radius: Double, thickness: Double, from: Double = 0, turns: Double = 1,
        colour: Colour, opacity: Double = 1
    ) {
        let length = 2 * Double.pi * radius
        var more = " fill=\"none\" stroke-linecap=\"round\"" + Self.paint("stroke", colour, opacity: opacity)
        if turns < 1 {
            more += " stroke-dasharray=\"\(Self.number(length * turns)) \(Self.number(length))\""
        }
        more += " transform=\"rotate(\(Self.number(from * 360 - 90)) \(Self.number(x)) \(Self.number(y)))\""
        add("circle", [("cx", x), ("cy", y), ("r", radius), ("stroke-width", thickness)], more)
    }

    /// - Parameter isOpenBelow: Whether the bottom quarter is left out.
    mutating func dots(
        x: Double, y: Double, radius: Double, thickness: Double, isOpenBelow: Bool, colour: Colour, opacity: Double
    ) {
        let diagonal = 0.5.squareRoot() * radius
        // An arc whose start equals its end is not drawn, so the circle stays slightly open.
        let ends = isOpenBelow ? (from: -diagonal, to: diagonal, y: diagonal) : (from: 0.02, to: 0, y: -radius)
        let count = isOpenBelow ? 18.0 : 24
        // Slightly less than the exact step, so that rounding does not lose the last dot.
        let step = (2 * Double.pi * radius * count / 24 - 0.1) / count
        let (from, to) = (Self.number(x + ends.from), Self.number(x + ends.to))
        let (level, size) = (Self.number(y + ends.y), Self.number(radius))
        let arc = "M\(from) \(level)A\(size) \(size) 0 1 1 \(to) \(level)"
        body += """
            <path d="\(arc)" fill="none"\(Self.paint("stroke", colour, opacity: opacity)) stroke-linecap="round" \
            stroke-width="\(Self.number(thickness))" \
            stroke-dasharray="0.01 \(Self.number(step - 0.01))"/>

            """
    }

    /// Adds a stroked path of a 24 × 24 box.
    mutating func path(
        _ path: String, x: Double, y: Double, size: Double, thickness: Double = 2, colour: Colour, opacity: Double = 1,
        isFilled: Bool = false
    ) {
        let place = "translate(\(Self.number(x)) \(Self.number(y))) scale(\(Self.number(size / 24)))"
        let filling = isFilled ? Self.paint("fill", colour, opacity: opacity) : " fill=\"none\""
        body += """
            <path d="\(path)" transform="\(place)"\(filling)\(Self.paint("stroke", colour, opacity: opacity)) \
            stroke-width="\(Self.number(thickness))" stroke-linecap="round" stroke-linejoin="round"/>

            """
    }

    /// Adds one line of text, reduced or truncated to its room.
    /// - Parameter y: The baseline.
    mutating func text(
        _ text: Localized, x: Double, y: Double, room: Double, align: Alignment = .left, style: TextStyle
    ) {
        let measure = TextMeasure(isBold: style.isBold, isMonospaced: isMonospaced)
        // Not every renderer joins grapheme clusters, and their separate parts would be wider.
        let text = text.fitted(columns: .max)
        let wanted = room / max(measure.width(text), 0.01)
        let size = min(style.size, max(style.leastSize, wanted))
        let fitted = wanted < size ? text.fitted(room: room / size, measure: measure) : text
        guard !fitted.isEmpty, room > 0 else { return }
        let isTurned = !style.isNumber && (TextDirection.isRightToLeft(fitted.description) ?? strings.isRightToLeft)
        let anchor =
            switch align {
            case .centre: "middle"
            case .left: isTurned ? "end" : "start"
            case .right: isTurned ? "start" : "end"
            }
        var more = Self.paint("fill", style.colour) + " text-anchor=\"\(anchor)\""
        more += " direction=\"\(isTurned ? "rtl" : "ltr")\""
        if style.isBold { more += " font-weight=\"700\"" }
        if style.isNumber { more += " style=\"font-variant-numeric:tabular-nums\"" }
        body += """
            <text x="\(Self.number(x))" y="\(Self.number(y))" font-size="\(Self.number(size))"\(more)>\
            \(Markup.escaped(fitted))</text>

            """
    }

    private mutating func add(_ name: String, _ lengths: [(String, Double)], _ more: String) {
        let lengths = lengths.map { " \($0)=\"\(Self.number($1))\"" }.joined()
        body += "<\(name)\(lengths)\(more)/>\n"
    }

    /// Returns a paint attribute with separate opacity, since not every converter supports `#rrggbbaa`.
    private static func paint(_ name: String, _ colour: Colour, opacity: Double = 1) -> String {
        let opacity = opacity * Double(colour.alpha) / 255
        return " \(name)=\"\(colour.opaque)\"" + (opacity < 1 ? " \(name)-opacity=\"\(number(opacity))\"" : "")
    }

    /// Formats a number with two decimals at most.
    static func number(_ value: Double) -> String {
        let hundredths = Int((abs(value) * 100).rounded())
        let sign = value < 0 && hundredths > 0 ? "-" : ""
        let (whole, rest) = (hundredths / 100, hundredths % 100)
        guard rest > 0 else { return "\(sign)\(whole)" }
        let digits = rest % 10 == 0 ? "\(rest / 10)" : rest < 10 ? "0\(rest)" : "\(rest)"
        return "\(sign)\(whole).\(digits)"
    }
}
