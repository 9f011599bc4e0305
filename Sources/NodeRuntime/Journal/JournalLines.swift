// SPDX-License-Identifier: Apache-2.0

import Session

/// The lines of a journal file, one for each journal that was written. The last one applies.
///
/// A line holds, with spaces between, the length of the JSON in bytes (eight decimal digits), its FNV-1a hash (sixteen
/// hexadecimal digits), the JSON and a line feed. The JSON contains neither line feed nor NUL, so a reader finds the
/// line after a damaged one. It also recognises unwritten bytes, since the file is all zeros after the last line.
struct JournalLines {
    static let headerBytes = 26

    /// The range of the JSON of each valid line, oldest first.
    private(set) var whole: [Range<Int>] = []
    /// The number of bytes of an incomplete append after the last valid line.
    private(set) var torn = 0
    /// The offset of damage that no crash explains.
    private(set) var damagedAt: Int?

    static func line(of json: [UInt8]) -> [UInt8] {
        var line: [UInt8] = []
        line.reserveCapacity(headerBytes + json.count + 1)
        line += header(of: json[...])
        line += json
        line.append(UInt8(ascii: "\n"))
        return line
    }

    private static func header(of json: ArraySlice<UInt8>) -> [UInt8] {
        Array("\(json.count.padded(to: 8)) \(FNV.hash(json.span).padded(to: 16, radix: 16)) ".utf8)
    }

    init(in bytes: [UInt8]) {
        let end = (bytes.lastIndex { $0 != 0 } ?? -1) + 1
        var offset = 0
        var bad: Int?
        while offset < end {
            guard let json = Self.json(at: offset, in: bytes[..<end]) else {
                bad = bad ?? offset
                offset = (bytes[offset..<end].firstIndex(of: UInt8(ascii: "\n")) ?? end) + 1
                continue
            }
            whole.append(json)
            offset = json.upperBound + 1
            let isEnded = json.upperBound == end || bytes[json.upperBound] == UInt8(ascii: "\n")
            damagedAt = damagedAt ?? bad ?? (isEnded ? nil : json.upperBound)
            bad = nil
        }
        guard let bad else { return }
        if Self.isTorn(bytes[bad..<end]) { torn = end - bad } else { damagedAt = damagedAt ?? bad }
    }

    private static func json(at start: Int, in bytes: ArraySlice<UInt8>) -> Range<Int>? {
        let body = start + headerBytes
        guard body <= bytes.endIndex, let length = length(at: start, in: bytes), length <= bytes.endIndex - body else {
            return nil
        }
        let json = body..<body + length
        return bytes[start..<body].elementsEqual(header(of: bytes[json])) ? json : nil
    }

    private static func length(at start: Int, in bytes: ArraySlice<UInt8>) -> Int? {
        UInt32(String(decoding: bytes[start..<start + 8], as: UTF8.self)).map { Int($0) }
    }

    /// Returns whether the end of the file can be an append that a crash cut short. Bytes are then zero or missing.
    private static func isTorn(_ tail: ArraySlice<UInt8>) -> Bool {
        if tail.contains(0) { return true }
        guard tail.last != UInt8(ascii: "\n") else { return false }
        guard tail.count > headerBytes, let length = length(at: tail.startIndex, in: tail) else { return true }
        return tail.count <= headerBytes + length
    }
}
