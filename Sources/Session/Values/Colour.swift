// SPDX-License-Identifier: Apache-2.0

/// A colour in sRGB with 8 bits for each channel.
public struct Colour: Hashable, Sendable, CustomStringConvertible {
    public var red: UInt8
    public var green: UInt8
    public var blue: UInt8
    /// Opacity: 255 is opaque.
    public var alpha: UInt8

    public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }

    /// The colour that replaces an invalid one.
    public static let grey = Colour(red: 0x88, green: 0x88, blue: 0x88)

    /// Reads 3, 6 or 8 hexadecimal digits, with or without `#`; `nil` for others. Of eight, the last two are opacity.
    public init?(hex: String) {
        var (value, count): (UInt32, Int) = (0, 0)
        for byte in hex.utf8.first == UInt8(ascii: "#") ? hex.utf8.dropFirst() : hex.utf8[...] {
            guard let digit = byte.hexDigit, count < 8 else { return nil }
            (value, count) = (value << 4 | UInt32(digit), count + 1)
        }
        switch count {
        case 3: value = ((value & 0xF00) << 8 | (value & 0xF0) << 4 | value & 0xF) * 0x11 << 8 | 0xFF
        case 6: value = value << 8 | 0xFF
        case 8: break
        default: return nil
        }
        let channel = { (place: UInt32) in UInt8(truncatingIfNeeded: value >> (8 * place)) }
        self.init(red: channel(3), green: channel(2), blue: channel(1), alpha: channel(0))
    }

    public var description: String {
        (alpha == 255 ? [red, green, blue] : [red, green, blue, alpha]).reduce(into: "#") { text, channel in
            text += channel.padded(to: 2, radix: 16)
        }
    }
}

extension UInt8 {
    package var hexDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
