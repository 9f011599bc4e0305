// SPDX-License-Identifier: Apache-2.0

public import Session

/// How a person wants a widget.
public struct WidgetOptions: Sendable {
    /// The sizes that a picture may have, in points.
    public static let sizes = 16...4_096
    /// How much larger than usual it may be.
    public static let scales = 0.25...50.0

    /// Its width in points; `nil` for one that goes with the height.
    public var width: Int?
    /// Its height in points; `nil` for one that goes with the width.
    public var height: Int?
    /// How many times the usual size, or width and height where they are given; the sides end at 4096.
    public var scale = 1.0
    /// The colour of ring, bar and icon, on the `boring` face and of the debt that of the text; `nil` for the session's.
    public var colour: Colour?
    /// The background; `nil` for the face's.
    public var background: Colour?
    /// Whether it is for a display that changes rarely: black on white whatever the colours are, and nothing that is
    /// untrue a minute later.
    public var isEInk = false
    /// The face to draw the screen with.
    public var face = Face.focus
    /// The language.
    public var strings: Strings

    /// The usual ones.
    public init(strings: Strings = .english) { self.strings = strings }

    /// Reads the parameters of a web address.
    ///
    /// Others than `width`, `height`, `scale`, `colour` (or `color`), `background`, `face` and `eink` are passed over:
    /// pages add some to get a picture anew.
    /// - Throws: ``WidgetError``, which names the parameter and what would be right.
    public init(query: [String: String], strings: Strings = .english) throws(WidgetError) {
        self.init(strings: strings)
        width = try Self.size("width", in: query)
        height = try Self.size("height", in: query)
        if let text = query["scale"] {
            guard let value = Double(text), Self.scales.contains(value) else {
                throw WidgetError("scale", "“\(text)” is not a number from 0.25 to 50")
            }
            scale = value
        }
        colour = try Self.colour(query["colour"] == nil ? "color" : "colour", in: query)
        background = try Self.colour("background", in: query)
        if let text = query["face"] {
            guard let value = Face(rawValue: text) else {
                let faces = Face.allCases.map(\.rawValue).joined(separator: ", ")
                throw WidgetError("face", "“\(text)” is not one of \(faces)")
            }
            face = value
        }
        switch query["eink"]?.lowercased() {
        case nil, "0", "false": isEInk = false
        case "", "1", "true": isEInk = true
        case .some(let text): throw WidgetError("eink", "“\(text)” is not one of 1, 0, true, false")
        }
    }

    private static func size(_ name: String, in query: [String: String]) throws(WidgetError) -> Int? {
        guard let text = query[name] else { return nil }
        guard let value = Int(text), sizes.contains(value) else {
            throw WidgetError(name, "“\(text)” is not a whole number from 16 to 4096")
        }
        return value
    }

    private static func colour(_ name: String, in query: [String: String]) throws(WidgetError) -> Colour? {
        guard let text = query[name] else { return nil }
        guard let value = Colour(typed: text) else {
            throw WidgetError(name, "“\(text)” is not a colour; a colour is \(Colour.forms)")
        }
        return value
    }

    /// The size in points of a picture that is usually `usual`.
    func points(usual: (width: Int, height: Int)) -> (width: Int, height: Int) {
        let bounded = { (value: Double) in
            min(max(Int(value.rounded()), Self.sizes.lowerBound), Self.sizes.upperBound)
        }
        let ratio = Double(usual.width) / Double(usual.height)
        let (width, height) =
            switch (width.map(Double.init), height.map(Double.init)) {
            case (let width?, let height?): (width, height)
            case (let width?, nil): (width, width / ratio)
            case (nil, let height?): (height * ratio, height)
            case (nil, nil): (Double(usual.width), Double(usual.height))
            }
        return (bounded(width * scale), bounded(height * scale))
    }
}

/// A parameter of a widget that cannot be used.
public struct WidgetError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Its name.
    public var parameter: String
    /// What is wrong with it and what would be right.
    public var message: String

    init(_ parameter: String, _ message: String) {
        self.parameter = parameter
        self.message = message
    }

    /// Names the parameter, then the message.
    public var description: String { "\(parameter): \(message)" }
}
