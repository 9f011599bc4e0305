// SPDX-License-Identifier: Apache-2.0

/// An estimate of the maximum width of text, in multiples of the font size.
///
/// The font is unknown, so each class of characters has its width in the widest of the common fonts.
struct TextMeasure {
    var isBold = false
    var isMonospaced = false

    func width(_ text: String) -> Double {
        text.reduce(0) { $0 + width(of: $1) }
    }

    func width(_ text: Localized) -> Double { width(text.description) }

    /// Returns the text truncated to `room`, with an ellipsis if needed.
    func fitted(_ text: String, room: Double) -> String {
        guard width(text) > room else { return text }
        var (result, left) = ("", room - width("…"))
        guard left >= 0 else { return "" }
        for character in text {
            left -= width(of: character)
            guard left >= 0 else { break }
            result.append(character)
        }
        while result.last == " " || result.last == "·" { result.removeLast() }
        return result + "…"
    }

    private func width(of character: Character) -> Double {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        let columns = TerminalText.displayWidth(String(character))
        guard columns < 2 else { return scalar.properties.isEmojiPresentation ? 1.4 : 1.1 }
        if isMonospaced, scalar.isASCII { return 0.63 }
        return isBold ? Self.boldWidth(of: scalar) : Self.boldWidth(of: scalar) * 0.89
    }

    private static func boldWidth(of scalar: Unicode.Scalar) -> Double {
        switch scalar {
        case "i", "j", "l", "I", ".", ",", ":", ";", "'", "|", "!", " ", "·", "/", "\\": 0.41
        case "f", "r", "t", "(", ")", "[", "]", "-", "J": 0.5
        case "m", "W", "%", "@", "…": 1.1
        case "w", "M", "#", "+", "<", ">", "=", "~", "≈", "&": 1
        case "0"..."9", "a"..."z": 0.72
        case "A"..."Z": 0.86
        case "–": 0.6
        case _ where scalar.value < 0x530: scalar.properties.isUppercase ? 1 : 0.8
        default: Self.boldWidthBeyondCyrillic(scalar.value)
        }
    }

    private static func boldWidthBeyondCyrillic(_ value: UInt32) -> Double {
        switch value {
        case 0x0590...0x08FF, 0xFB1D...0xFDCF, 0xFE70...0xFEFC: 0.85
        case 0x0530...0x058F, 0x0E00...0x0EFF, 0x1E00...0x1FFF: 1
        case 0x0900...0x0DFF, 0x2000...0x2BFF: 1.3
        // A ligature of a whole sentence.
        case 0xFDFD: 12
        default: 2
        }
    }
}
