// SPDX-License-Identifier: Apache-2.0

/// Reads comma-separated values (RFC 4180), row by row, and knows on which line each one begins.
///
/// Lines end in LF, CR or CRLF, a byte order mark is passed over, and so are empty lines.
struct CSVReader {
    /// One row.
    struct Row: Hashable {
        /// The line that it begins on, from 1.
        var line: Int
        /// Its fields.
        var fields: [String]
        /// Why it cannot be read; `nil` where it can.
        var flaw: String?
    }

    private static let (quote, lineFeed, carriageReturn) = (
        UInt8(ascii: "\""), UInt8(ascii: "\n"), UInt8(ascii: "\r")
    )

    private let bytes: [UInt8]
    private let separator: UInt8
    private var index = 0
    private var line = 1
    /// Whether fields may be quoted. Where they are not, whatever does not begin with a day belongs to the row before.
    var isQuoted = true

    /// - Parameter bytes: UTF-8.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
        separator = Self.separator(of: bytes)
    }

    /// Of comma, semicolon and tab the one that the first line has most of.
    private static func separator(of bytes: [UInt8]) -> UInt8 {
        let header = bytes.prefix { $0 != lineFeed && $0 != carriageReturn }
        let candidates = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")]
        let counts = candidates.map { candidate in header.count { $0 == candidate } }
        return candidates[counts.firstIndex(of: counts.max() ?? 0) ?? 0]
    }

    /// Whether the file's first line has quotes.
    var hasQuotesInFirstLine: Bool { bytes.prefix { !isLineEnd($0) }.contains(Self.quote) }

    /// How far it has read, of 1.
    var progress: Double { bytes.isEmpty ? 1 : Double(index) / Double(bytes.count) }

    /// The next row; `nil` at the end.
    mutating func next() -> Row? {
        while index < bytes.count, isLineEnd(bytes[index]) { skipLineEnd() }
        guard index < bytes.count else { return nil }
        var row = Row(line: line, fields: [])
        while true {
            row.fields.append(field(&row))
            guard index < bytes.count, bytes[index] == separator else { break }
            index += 1
        }
        if row.flaw != nil { while index < bytes.count, !isLineEnd(bytes[index]) { index += 1 } }
        if index < bytes.count { skipLineEnd() }
        return row
    }

    private func isLineEnd(_ byte: UInt8) -> Bool { byte == Self.lineFeed || byte == Self.carriageReturn }

    private mutating func skipLineEnd() {
        if bytes[index] == Self.carriageReturn, index + 1 < bytes.count, bytes[index + 1] == Self.lineFeed {
            index += 1
        }
        index += 1
        line += 1
    }

    private mutating func field(_ row: inout Row) -> String {
        if isQuoted, index < bytes.count, bytes[index] == Self.quote { return quotedField(&row) }
        let begin = index
        while index < bytes.count, bytes[index] != separator {
            if isLineEnd(bytes[index]) {
                guard !isQuoted, let rest = restOfRow() else { break }
                line += 1
                index = rest
            } else {
                index += 1
            }
        }
        return text(bytes[begin..<index], &row)
    }

    /// Where the next line begins, if it belongs to this row.
    private func restOfRow() -> Int? {
        let isPair =
            bytes[index] == Self.carriageReturn && index + 1 < bytes.count && bytes[index + 1] == Self.lineFeed
        let next = index + (isPair ? 2 : 1)
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let day = bytes[min(next, bytes.count)...].prefix(5)
        let begins = day.count == 5 && day.prefix(4).allSatisfy(digits.contains) && day.last == UInt8(ascii: "-")
        let isRest = bytes[min(next, bytes.count)...].contains { !isLineEnd($0) }
        return begins || !isRest ? nil : next
    }

    private mutating func quotedField(_ row: inout Row) -> String {
        index += 1
        var content: [UInt8] = []
        while index < bytes.count {
            let byte = bytes[index]
            if byte == Self.quote {
                index += 1
                guard index < bytes.count, bytes[index] == Self.quote else {
                    if index < bytes.count, bytes[index] != separator, !isLineEnd(bytes[index]) {
                        row.flaw = row.flaw ?? "there is text behind a closing quote"
                    }
                    return text(content[...], &row)
                }
            } else if byte == Self.lineFeed {
                line += 1
            }
            content.append(byte)
            index += 1
        }
        row.flaw = "a quote is opened and not closed"
        return text(content[...], &row)
    }

    private func text(_ bytes: ArraySlice<UInt8>, _ row: inout Row) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        row.flaw = row.flaw ?? "it is not UTF-8"
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Fields as RFC 4180 has them.
enum CSVText {
    /// One row, without its line end.
    static func row(_ fields: [String]) -> String { fields.map(quoted).joined(separator: ",") }

    private static func quoted(_ text: String) -> String {
        guard text.utf8.contains(where: { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }) else { return text }
        return "\""
            + text.split(separator: "\"" as Character, omittingEmptySubsequences: false).joined(separator: "\"\"")
            + "\""
    }

    /// What a spreadsheet would take for a formula is text.
    static func guarded(_ text: String) -> String {
        text.first.map { "=+-@'".contains($0) } == true ? "'" + text : text
    }

    /// What ``guarded(_:)`` was given.
    static func unguarded(_ text: String) -> String { text.first == "'" ? String(text.dropFirst()) : text }
}
