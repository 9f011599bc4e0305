// SPDX-License-Identifier: Apache-2.0

/// What a session's time is booked on. No label is the default label.
public struct Label: Hashable, Sendable {
    /// The name: 1 to ``Limits/nameBytes`` bytes of clean text.
    public var name: String
    /// The colour; grey where the writer's was not a colour.
    public var colour: Colour

    /// Makes a label.
    public init(name: String, colour: Colour = .grey) {
        self.name = name
        self.colour = colour
    }
}

/// A colour in sRGB, 8 bits a channel.
public struct Colour: Hashable, Sendable, CustomStringConvertible {
    /// The red channel.
    public var red: UInt8
    /// The green channel.
    public var green: UInt8
    /// The blue channel.
    public var blue: UInt8
    /// Opacity: 255 is opaque.
    public var alpha: UInt8

    /// Makes a colour from its channels.
    public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }

    /// What a bad colour falls back to.
    public static let grey = Colour(red: 0x88, green: 0x88, blue: 0x88)

    /// Reads 3, 6 or 8 hexadecimal digits, with or without `#`. The last two of eight are the opacity.
    public init?(hex: String) {
        var text = hex[...]
        if text.first == "#" { text = text.dropFirst() }
        guard text.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else { return nil }
        var digits = text.map(String.init)
        if digits.count == 3 { digits = digits.flatMap { [$0, $0] } }
        guard digits.count == 6 || digits.count == 8 else { return nil }
        let channels = stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(digits[$0] + digits[$0 + 1], radix: 16)
        }
        self.init(
            red: channels[0], green: channels[1], blue: channels[2], alpha: channels.count == 4 ? channels[3] : 255)
    }

    /// `#rrggbb`, or `#rrggbbaa` where the colour is not opaque.
    public var description: String {
        let channels = alpha == 255 ? [red, green, blue] : [red, green, blue, alpha]
        return "#" + channels.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
