// SPDX-License-Identifier: Apache-2.0

/// A reader of comma-separated values (RFC 4180), also with CR or LF alone. It skips a byte order mark and empty lines.
struct CSVReader {
    /// A row of the file.
    struct Row: Hashable {
        /// The line that it starts on, from 1.
        var line: Int
        var fields: [String]
        /// Why it cannot be read; `nil` if it can.
        var problem: String?
    }

    private static let (quote, lineFeed, carriageReturn) = (
        UInt8(ascii: "\""), UInt8(ascii: "\n"), UInt8(ascii: "\r")
    )

    /// The maximum bytes of a field, and fields of a row. Both are far above those of any program.
    private static let (fieldLimit, fieldsLimit) = (65_536, 256)

    private let bytes: [UInt8]
    private let separator: UInt8
    private var index = 0
    private var line = 1

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
        separator = Self.separator(of: bytes)
    }

    /// Returns the separator: comma, semicolon or tab, whichever is most frequent in the first line.
    private static func separator(of bytes: [UInt8]) -> UInt8 {
        let header = bytes.prefix { $0 != lineFeed && $0 != carriageReturn }
        let candidates = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")]
        let counts = candidates.map { candidate in header.count { $0 == candidate } }
        return candidates[counts.firstIndex(of: counts.max() ?? 0) ?? 0]
    }

    /// The fraction of the file that has been read, 0 to 1.
    var progress: Double { bytes.isEmpty ? 1 : Double(index) / Double(bytes.count) }

    /// Reads the next row; `nil` at the end.
    mutating func next() -> Row? {
        while index < bytes.count, isLineEnd(bytes[index]) { skipLineEnd() }
        guard index < bytes.count else { return nil }
        var row = Row(line: line, fields: [])
        while true {
            let field = field(&row)
            if row.fields.count < Self.fieldsLimit {
                row.fields.append(field)
            } else {
                row.problem = "more than \(Self.fieldsLimit) fields"
            }
            guard index < bytes.count, bytes[index] == separator else { break }
            index += 1
        }
        if row.problem != nil { while index < bytes.count, !isLineEnd(bytes[index]) { index += 1 } }
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
        if index < bytes.count, bytes[index] == Self.quote { return quotedField(&row) }
        let begin = index
        while index < bytes.count, bytes[index] != separator, !isLineEnd(bytes[index]) { index += 1 }
        return text(bytes[begin..<index], &row)
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
                        row.problem = row.problem ?? "text after a closing quote"
                    }
                    return text(content[...], &row)
                }
            } else if byte == Self.lineFeed {
                line += 1
            }
            // One byte above the limit is kept, to show that the field is too long.
            if content.count <= Self.fieldLimit { content.append(byte) }
            index += 1
        }
        row.problem = "a quote is not closed"
        return text(content[...], &row)
    }

    private func text(_ bytes: ArraySlice<UInt8>, _ row: inout Row) -> String {
        guard bytes.count <= Self.fieldLimit else {
            row.problem = row.problem ?? "a field of more than \(Self.fieldLimit) bytes"
            return ""
        }
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        row.problem = row.problem ?? "not UTF-8"
        return String(decoding: bytes, as: UTF8.self)
    }
}
