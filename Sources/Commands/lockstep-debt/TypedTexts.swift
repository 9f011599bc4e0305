// SPDX-License-Identifier: Apache-2.0

import Session
import Settings

/// Checks the texts of a session that a person gives to `correct` and `add`.
enum TypedTexts {
    static func title(_ text: String) throws -> String {
        let title = CleanText.trimmed(text)
        guard title.isEmpty || CleanText.accepts(title, bytes: Limits.titleBytes) else {
            throw UsageError("--title takes at most \(Limits.titleBytes) bytes without control characters")
        }
        return title
    }

    /// Returns the label; `nil` for the default label.
    static func label(_ text: String, colour: Colour?) throws -> Label? {
        let label = CleanText.trimmed(text)
        guard CleanText.accepts(label, bytes: Limits.nameBytes) else {
            throw UsageError(
                "--label takes 1 to \(Limits.nameBytes) bytes that are not all blanks, without control characters")
        }
        return label == "-" ? nil : Label(name: label, colour: colour ?? .grey)
    }
}
