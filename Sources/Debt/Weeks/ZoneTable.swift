// SPDX-License-Identifier: Apache-2.0

import Platform
import Session

/// The offsets of one time zone, from a file of the IANA database in the format TZif (RFC 9636). The file is as new as
/// the system's package `tzdata`; Foundation's would be as old as the Swift that built the program, and take 34 MB.
struct ZoneTable: Sendable {
    /// When the offset changes, in seconds since 1970, ascending.
    private var changes: [Int64] = []
    /// The offset from each change on, in seconds east of universal time.
    private var offsets: [Int64] = []
    /// The offset before the first change.
    private var first: Int64 = 0
    /// The offset after the last change.
    private var rule: ZoneRule?

    static let utc = ZoneTable()

    private init() {}

    /// Reads the table of a zone such as `Europe/Berlin`; `nil` if the system has none of this name.
    init?(named name: String) {
        // Letters, digits and the signs of the database's names. Without a dot no path leads out of its folder.
        let isName = name.utf8.allSatisfy { $0.isASCIILetterOrDigit || "_-+/".utf8.contains($0) }
        guard isName, !name.hasPrefix("/"),
            let bytes = try? Files.read("/usr/share/zoneinfo/" + name, limit: 65_536)
        else { return nil }
        self.init(bytes)
    }

    /// Reads the bytes of a file; `nil` if they are no table, or one that counts leap seconds.
    init?(_ bytes: [UInt8]) {
        var reader = Reader(bytes[...])
        // The first part has times of 32 bits; where there is a second part, that has all of them again in 64.
        guard var header = reader.header() else { return nil }
        let hasFooter = header.version >= UInt8(ascii: "2")
        if hasFooter {
            guard reader.take(header.length(timeSize: 4)) != nil, let second = reader.header() else { return nil }
            header = second
        }
        let size = hasFooter ? 8 : 4
        guard header.leaps == 0, header.types > 0,
            let times = reader.take(header.times * size), let kinds = reader.take(header.times),
            let types = reader.take(header.types * 6), reader.take(header.rest(timeSize: size)) != nil
        else { return nil }
        let known = (0..<header.types).map { Int64(Reader.integer(types.dropFirst($0 * 6).prefix(4))) }
        guard kinds.allSatisfy({ Int($0) < known.count }) else { return nil }
        changes = (0..<header.times).map { Reader.integer(times.dropFirst($0 * size).prefix(size)) }
        offsets = kinds.map { known[Int($0)] }
        first = known[0]
        guard zip(changes, changes.dropFirst()).allSatisfy(<) else { return nil }
        if hasFooter {
            let text = String(decoding: reader.rest.dropFirst().prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
            rule = ZoneRule(text)
            guard text.isEmpty || rule != nil else { return nil }
        }
    }

    /// Returns the offset at a second since 1970, in seconds east of universal time.
    func offset(at second: Int64) -> Int64 {
        if let rule, second >= changes.last ?? .min { return rule.offset(at: second) }
        // A binary search for the number of changes that are not later.
        var (low, high) = (0, changes.count)
        while low < high {
            let middle = (low + high) / 2
            if changes[middle] <= second { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? first : offsets[low - 1]
    }

    /// The counts at the head of each part.
    private struct Header {
        var version: UInt8
        var universal, standard, leaps, times, types, characters: Int

        /// Returns the length of what follows the types.
        func rest(timeSize: Int) -> Int { characters + leaps * (timeSize + 4) + standard + universal }
        func length(timeSize: Int) -> Int { times * (timeSize + 1) + types * 6 + rest(timeSize: timeSize) }
    }

    /// A reader of numbers from the bytes of a zone's file.
    private struct Reader {
        var rest: ArraySlice<UInt8>

        init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

        mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
            guard rest.count >= count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }

        mutating func header() -> Header? {
            guard let bytes = take(44), bytes.starts(with: "TZif".utf8) else { return nil }
            let counts = (0..<6).map { Int(Self.integer(bytes.dropFirst(20 + $0 * 4).prefix(4))) }
            guard counts.allSatisfy({ (0...65_536).contains($0) }) else { return nil }
            return Header(
                version: bytes[bytes.startIndex + 4], universal: counts[0], standard: counts[1], leaps: counts[2],
                times: counts[3], types: counts[4], characters: counts[5])
        }

        /// Returns a signed number, the most significant byte first.
        static func integer(_ bytes: ArraySlice<UInt8>) -> Int64 {
            let negative: Int64 = bytes.first ?? 0 >= 128 ? -1 : 0
            return bytes.reduce(negative) { $0 << 8 | Int64($1) }
        }
    }
}
