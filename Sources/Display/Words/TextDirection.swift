// SPDX-License-Identifier: Apache-2.0

/// The direction in which a text is read.
enum TextDirection {
    /// Returns whether the first letter with a direction is right-to-left; `nil` without such a letter.
    static func isRightToLeft(_ text: String) -> Bool? {
        for scalar in text.unicodeScalars {
            if isRightToLeft(scalar) { return true }
            if scalar.properties.isAlphabetic { return false }
        }
        return nil
    }

    /// Returns whether any letter is right-to-left.
    static func hasRightToLeftLetter(_ text: String) -> Bool { text.unicodeScalars.contains(where: isRightToLeft) }

    /// Returns the text, in isolation marks if it has right-to-left letters, which would affect the text around it.
    static func isolated(_ text: Localized) -> Localized {
        hasRightToLeftLetter(text.description) ? "\u{2068}\(text)\u{2069}" : text
    }

    /// The mark at the start of a line that is right-to-left as a whole.
    static let rightToLeftMark: Localized = "\u{200F}"

    private static func isRightToLeft(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFC, 0x10800...0x10FFF, 0x1E800...0x1EFFF:
            scalar.properties.isAlphabetic
        default: false
        }
    }
}
