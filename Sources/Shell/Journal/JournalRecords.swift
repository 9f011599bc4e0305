// SPDX-License-Identifier: Apache-2.0

/// The records of a journal file: a line each, the last of which holds.
///
/// A line is the length of the JSON in bytes (eight decimal digits), its XXH32 (eight hexadecimal digits), the JSON and
/// a line feed, with a space between. Neither line feed nor NUL stands in the JSON, so that what follows a bad line is
/// found again, and what a crash left unwritten shows: behind the last line the file is all zeros.
struct JournalRecords {
    static let headerBytes = 18

    /// Where the JSON of each whole record lies, oldest first.
    private(set) var whole: [Range<Int>] = []
    /// How many bytes an append that was cut short has left behind the last whole record.
    private(set) var torn = 0
    /// Where bytes have changed that were once whole; a crash does not do that.
    private(set) var damagedAt: Int?

    /// Fills in the header of a line that is there but for it.
    static func complete(_ line: UnsafeMutableRawBufferPointer) {
        let json = UnsafeRawBufferPointer(rebasing: line[headerBytes..<line.count - 1])
        var length = json.count
        for place in stride(from: 7, through: 0, by: -1) {
            line[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: length % 10)
            length /= 10
        }
        line[8] = UInt8(ascii: " ")
        var checksum = Checksum.of(json)
        for place in stride(from: 16, through: 9, by: -1) {
            let digit = UInt8(truncatingIfNeeded: checksum & 15)
            line[place] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
            checksum >>= 4
        }
        line[17] = UInt8(ascii: " ")
    }

    /// Finds the records of a file.
    init(in bytes: [UInt8]) {
        let end = (bytes.lastIndex { $0 != 0 } ?? -1) + 1
        var offset = 0
        var bad: Int?
        while offset < end {
            guard let json = Self.record(at: offset, in: bytes[..<end]) else {
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

    private static func record(at start: Int, in bytes: ArraySlice<UInt8>) -> Range<Int>? {
        let body = start + headerBytes
        guard body <= bytes.endIndex, let length = length(at: start, in: bytes), length <= bytes.endIndex - body,
            bytes[start + 8] == UInt8(ascii: " "), bytes[start + 17] == UInt8(ascii: " ")
        else { return nil }
        let json = body..<body + length
        let checksum = bytes[start + 9..<start + 17].reduce(UInt32?.some(0)) { sum, byte in
            guard let sum, let digit = hexDigit(byte) else { return nil }
            return sum << 4 | digit
        }
        return checksum == Checksum.of(bytes[json]) || checksum == Checksum.former(bytes[json]) ? json : nil
    }

    private static func length(at start: Int, in bytes: ArraySlice<UInt8>) -> Int? {
        var length = 0
        for byte in bytes[start..<start + 8] {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            length = length * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return length
    }

    private static func hexDigit(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a")) + 10
        default: nil
        }
    }

    /// Whether an append that a crash cut short can have left this: what did not reach the disk is zero, or missing.
    private static func isTorn(_ tail: ArraySlice<UInt8>) -> Bool {
        if tail.contains(0) { return true }
        guard tail.last != UInt8(ascii: "\n") else { return false }
        guard tail.count > headerBytes, let length = length(at: tail.startIndex, in: tail) else { return true }
        return tail.count <= headerBytes + length
    }
}
