// SPDX-License-Identifier: Apache-2.0

/// The format of rows by RFC 4180.
enum CSVText {
    /// Formats one row without its line end.
    static func row(_ fields: [String]) -> String { fields.map(quoted).joined(separator: ",") }

    private static func quoted(_ text: String) -> String {
        guard text.utf8.contains(where: { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }) else { return text }
        // By scalars: with a combining mark a quote is another character, but the same byte.
        let scalars = text.unicodeScalars.flatMap { Array(repeating: $0, count: $0 == "\"" ? 2 : 1) }
        return "\"\(String(String.UnicodeScalarView(scalars)))\""
    }

    /// Prefixes an apostrophe to text that a spreadsheet would run as a formula. It compares scalars: with a joiner an
    /// equals sign is another character, but the same to a spreadsheet. Some take full-width signs for plain ones.
    static func guarded(_ text: String) -> String {
        text.unicodeScalars.first.map("=+-@'＝＋－＠".unicodeScalars.contains) == true ? "'" + text : text
    }

    static func unguarded(_ text: String) -> String {
        text.unicodeScalars.first == "'" ? String(String.UnicodeScalarView(text.unicodeScalars.dropFirst())) : text
    }
}
