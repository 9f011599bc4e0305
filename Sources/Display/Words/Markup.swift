// SPDX-License-Identifier: Apache-2.0

/// Text within XML, and within Pango's markup.
enum Markup {
    /// The text with the five characters that mean something there written out, and without those that XML forbids.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
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
