// SPDX-License-Identifier: Apache-2.0

package import API
package import Session

/// The size, the colours, the face and the language of a widget.
package struct WidgetOptions: Sendable {
    /// The range of ``width`` and ``height``, in points.
    package static let sizes = 16...4_096
    package static let scales = 0.25...50.0

    /// The width in points; `nil` to derive it from the height.
    package var width: Int?
    /// The height in points; `nil` to derive it from the width.
    package var height: Int?
    /// The factor for the default size, or for given width and height. The result is limited to ``sizes``.
    package var scale = 1.0
    /// The colour of ring, bar and icon; `nil` for the session's. The `boring` face and the debt use it for their text.
    package var colour: Colour?
    /// The background; `nil` for the face's default.
    package var background: Colour?
    /// Whether the display changes rarely: always black on white, and nothing that is outdated a minute later.
    package var isEInk = false
    package var face = Face.focus
    package var strings: Strings

    package init(strings: Strings = .english) { self.strings = strings }

    /// Parses the query parameters of a URL.
    ///
    /// `color` means `colour`.
    package init(query: Query, strings: Strings = .english) throws(RequestError) {
        self.init(strings: strings)
        try query.checkNames(["width", "height", "scale", "colour", "color", "background", "face", "lang", "eink"])
        width = try Self.size("width", in: query)
        height = try Self.size("height", in: query)
        let scales = "a number from \(Self.scales.lowerBound) to \(Self.scales.upperBound)"
        scale =
            try query.parameter("scale", scales) { text in
                Double(text).flatMap { Self.scales.contains($0) ? $0 : nil }
            } ?? 1
        colour = try Self.colour(query["colour"] == nil ? "color" : "colour", in: query)
        background = try Self.colour("background", in: query)
        face = try query.word("face") ?? .focus
        isEInk = try query.flag("eink") ?? false
    }

    private static func size(_ name: String, in query: Query) throws(RequestError) -> Int? {
        let kind = "a whole number from \(sizes.lowerBound) to \(sizes.upperBound)"
        return try query.parameter(name, kind) { text in
            Int(text).flatMap { sizes.contains($0) ? $0 : nil }
        }
    }

    private static func colour(_ name: String, in query: Query) throws(RequestError) -> Colour? {
        try query.parameter(name, "a colour; a colour is \(Colour.forms)") { Colour(typed: $0) }
    }

    /// Returns the size in points of a picture whose default size is `defaultSize`.
    func points(defaultSize: (width: Int, height: Int)) -> (width: Int, height: Int) {
        let bounded = { (value: Double) in
            min(max(Int(value.rounded()), Self.sizes.lowerBound), Self.sizes.upperBound)
        }
        let ratio = Double(defaultSize.width) / Double(defaultSize.height)
        let (width, height) =
            switch (width.map(Double.init), height.map(Double.init)) {
            case (let width?, let height?): (width, height)
            case (let width?, nil): (width, width / ratio)
            case (nil, let height?): (height * ratio, height)
            case (nil, nil): (Double(defaultSize.width), Double(defaultSize.height))
            }
        return (bounded(width * scale), bounded(height * scale))
    }
}
