// SPDX-License-Identifier: Apache-2.0

/// Which way a text is written.
enum TextDirection {
    /// Whether the first letter that has a direction goes from right to left; `nil` where no letter has one.
    static func isRightToLeft(_ text: String) -> Bool? {
        for scalar in text.unicodeScalars {
            if isRightToLeft(scalar) { return true }
            if scalar.properties.isAlphabetic { return false }
        }
        return nil
    }

    /// Whether any letter goes from right to left.
    static func turns(_ text: String) -> Bool { text.unicodeScalars.contains(where: isRightToLeft) }

    /// The text between marks that keep its direction from reaching what stands beside it, where it needs them.
    static func isolated(_ text: String) -> String { turns(text) ? "\u{2068}\(text)\u{2069}" : text }

    /// Stands first in a line that reads from right to left as a whole.
    static let rightToLeftMark = "\u{200F}"

    private static func isRightToLeft(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFC, 0x10800...0x10FFF, 0x1E800...0x1EFFF:
            scalar.properties.isAlphabetic
        default: false
        }
    }
}
