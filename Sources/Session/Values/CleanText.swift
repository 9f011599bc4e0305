// SPDX-License-Identifier: Apache-2.0

/// The check of text that may reach a screen.
public enum CleanText {
    /// Whether `text` has 1 to `bytes` bytes of UTF-8, and only clean scalars.
    public static func accepts(_ text: String, bytes: Int) -> Bool {
        guard (1...bytes).contains(text.utf8.count) else { return false }
        // Printable ASCII, as most text is, needs no decoding.
        return text.utf8.allSatisfy { (0x20...0x7E).contains($0) } || text.unicodeScalars.allSatisfy(isClean)
    }

    /// Returns `text` without blanks at its beginning and end. A label with one would be another label.
    public static func trimmed(_ text: String) -> String {
        let rest = text.unicodeScalars.drop(while: \.properties.isWhitespace)
        let end = rest.lastIndex { !$0.properties.isWhitespace }
        return end.map { String(rest[...$0]) } ?? ""
    }

    /// Whether terminals and pages show `scalar` as itself, without another effect. It is no control character, line
    /// separator, direction override, byte order mark or U+FFF9 to U+FFFB.
    public static func isClean(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F, 0x2028...0x2029, 0x202A...0x202E, 0x2066...0x2069, 0xFEFF, 0xFFF9...0xFFFB:
            false
        default: true
        }
    }
}
