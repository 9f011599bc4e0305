// SPDX-License-Identifier: Apache-2.0

/// A built-in drawing that every display has.
package enum Icon: String, CaseIterable, Hashable, Sendable {
    case hourglass, cup, book, pen, leaf, dumbbell

    package static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }

    /// Whether a display can draw `text`: the name of a drawing, or one emoji. A request to start with anything else
    /// is refused. A register with anything else is valid, since another program may have written it; displays then
    /// show the drawing of the phase.
    package static func canDraw(_ text: String) -> Bool { Icon(rawValue: text) != nil || isEmoji(text) }

    /// Whether `text` is a single emoji, with its modifiers.
    package static func isEmoji(_ text: String) -> Bool {
        guard text.count == 1, let first = text.unicodeScalars.first else { return false }
        // Digits, “#” and “*” are emoji only as keycaps.
        if first.isASCII { return text.unicodeScalars.contains("\u{20E3}") }
        return first.properties.isEmoji
    }
}
