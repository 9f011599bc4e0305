// SPDX-License-Identifier: Apache-2.0

/// The label that the time of a session is booked on.
public struct Label: Hashable, Sendable {
    /// The name: 1 to ``Limits/nameBytes`` bytes of clean text.
    public var name: String
    /// The colour; grey if the writer's was invalid.
    public var colour: Colour

    /// Creates a label. The caller must check the name.
    public init(name: String, colour: Colour = .grey) {
        self.name = name
        self.colour = colour
    }
}

/// A colour in sRGB with 8 bits for each channel.
public struct Colour: Hashable, Sendable, CustomStringConvertible {
    /// The red channel.
    public var red: UInt8
    /// The green channel.
    public var green: UInt8
    /// The blue channel.
    public var blue: UInt8
    /// Opacity: 255 is opaque.
    public var alpha: UInt8

    /// Without `alpha`, the colour is opaque.
    public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }

    /// The colour that replaces an invalid one.
    public static let grey = Colour(red: 0x88, green: 0x88, blue: 0x88)

    /// Reads 3, 6 or 8 hexadecimal digits, with or without `#`; `nil` for other text. The last two of eight are the opacity.
    public init?(hex: String) {
        var digits: [UInt8] = []
        for byte in hex.hasPrefix("#") ? hex.utf8.dropFirst() : hex.utf8[...] {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
            digits.append(UInt8(digit))
        }
        if digits.count == 3 { digits = digits.flatMap { [$0, $0] } }
        guard digits.count == 6 || digits.count == 8 else { return nil }
        let channels = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
        self.init(
            red: channels[0], green: channels[1], blue: channels[2], alpha: channels.count == 4 ? channels[3] : 255)
    }

    /// `#rrggbb`, or `#rrggbbaa` if the colour is not opaque.
    public var description: String {
        (alpha == 255 ? [red, green, blue] : [red, green, blue, alpha]).reduce(into: "#") { text, channel in
            text += (channel < 16 ? "0" : "") + String(channel, radix: 16)
        }
    }
}
