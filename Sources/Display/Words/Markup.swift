// SPDX-License-Identifier: Apache-2.0

/// The escaping of text for XML and Pango markup.
enum Markup {
    /// Returns the text with the five special characters escaped, and without characters that XML forbids.
    static func escaped(_ text: Localized) -> String {
        var result = ""
        for scalar in text.description.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case "\t", "\n", "\r", " "..."\u{FFFD}", "\u{10000}"..."\u{10FFFF}": result.unicodeScalars.append(scalar)
            default: break
            }
        }
        return result
    }
}
