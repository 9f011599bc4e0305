// SPDX-License-Identifier: Apache-2.0

import Session

/// The layout of text on a terminal.
package enum TerminalText {
    /// A character and its columns, 1 or 2.
    package struct Cluster: Hashable, Sendable {
        package var text: String
        package var width: Int
    }

    package static func displayWidth(_ text: String) -> Int { clusters(text).reduce(0) { $0 + $1.width } }
    package static func displayWidth(_ text: Localized) -> Int { displayWidth(text.description) }

    /// Returns the printable characters of a text.
    ///
    /// Terminals differ on joined emoji, variation selectors and long stacks of marks. They are reduced to what all
    /// terminals draw alike, so that the layout does not depend on the terminal.
    package static func clusters(_ text: String) -> [Cluster] { text.compactMap(cluster) }

    /// Returns the text in at most `columns`, with an ellipsis if it is cut.
    package static func fitted(_ text: String, columns: Int) -> String {
        let clusters = clusters(text)
        guard clusters.reduce(0, { $0 + $1.width }) > columns else { return clusters.map(\.text).joined() }
        var result = ""
        var left = columns - 1
        guard left >= 0 else { return "" }
        for cluster in clusters {
            guard cluster.width <= left else { break }
            result += cluster.text
            left -= cluster.width
        }
        while result.last == " " { result.removeLast() }
        return result + "…"
    }

    private static let joiner: UInt32 = 0x200D
    private static let marksKept = 2

    private static func cluster(_ character: Character) -> Cluster? {
        var text = ""
        var width = 0
        var marks = 0
        for scalar in character.unicodeScalars {
            if scalar.value == joiner { break }
            guard CleanText.isClean(scalar), !isInvisible(scalar) else { continue }
            let columns = Self.width(of: scalar)
            if columns == 0 {
                guard width > 0, marks < marksKept else { continue }
                marks += 1
            } else {
                guard width + columns <= 2 else { break }
            }
            text.unicodeScalars.append(scalar)
            width += columns
        }
        return width > 0 ? Cluster(text: text, width: width) : nil
    }

    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0xFE00...0xFE0F, 0xE0100...0xE01EF: true
        default: scalar.properties.generalCategory == .format
        }
    }

    private static func width(of scalar: Unicode.Scalar) -> Int {
        if scalar.value < 0x300 { return 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return 0
        default: break
        }
        switch scalar.value {
        case 0x1160...0x11FF: return 0
        case 0x1F1E6...0x1F1FF: return 1
        default: return isWide(scalar) ? 2 : 1
        }
    }

    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.properties.isEmojiPresentation { return true }
        switch scalar.value {
        case 0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4DC0...0xA4CF,
            0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60,
            0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1D300...0x1D376, 0x1F200...0x1F265,
            0x20000...0x3FFFD:
            return true
        default: return false
        }
    }
}
