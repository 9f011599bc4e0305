// SPDX-License-Identifier: Apache-2.0

import Session

/// A strict pull reader of JSON: the caller says what it expects next.
///
/// Where RFC 8259 leaves a choice: of a key that occurs twice the last value counts, nesting ends at ``depthLimit``, a
/// lone surrogate is an error, and numbers of the protocol are whole, without fraction and exponent.
package struct JSONReader {
    /// The most objects and arrays that may be open at one time, the outermost included.
    static let depthLimit = 16

    private let bytes: [UInt8]
    /// The next byte to read.
    var position = 0
    /// The number of objects and arrays that are open.
    var depth = 0
    /// Whether the fields of objects may have any order, so that they are looked up in an index.
    let isIndexed: Bool
    /// How the fields of the present object are found, and whether one was read.
    var lookup = Lookup.inOrder
    var items = Items()

    init(_ bytes: [UInt8], isIndexed: Bool = false) {
        self.bytes = bytes
        self.isIndexed = isIndexed
    }

    /// The state of reading an object or array: whether the next item is its first.
    struct Items {
        var isFirst = true
    }

    // MARK: Structure

    /// Begins an object; the caller calls ``field(_:)`` until it returns `false`.
    mutating func object() throws(Rejection) -> Items {
        try open(UInt8(ascii: "{"), "an object")
    }

    /// Begins an array; the caller calls ``element(_:)`` until it returns `false`.
    mutating func array() throws(Rejection) -> Items {
        try open(UInt8(ascii: "["), "an array")
    }

    /// Returns whether the object has another field, whose key and then value must be read or skipped next.
    mutating func field(_ fields: inout Items) throws(Rejection) -> Bool {
        try next(&fields, until: UInt8(ascii: "}"))
    }

    /// Reads a key.
    mutating func key() throws(Rejection) -> String {
        let key = try string()
        skipSpace()
        try expect(UInt8(ascii: ":"), "“:”")
        return key
    }

    /// Skips a key if it is next, without white space and escapes.
    /// - Returns: Whether it was.
    mutating func skip(key: StaticString) -> Bool {
        var start = position
        if !items.isFirst {
            guard peek == UInt8(ascii: ",") else { return false }
            start += 1
        }
        let end = start + key.utf8CodeUnitCount + 3
        guard end <= bytes.count, bytes[end - 1] == UInt8(ascii: ":"), bytes[end - 2] == UInt8(ascii: "\""),
            bytes[start] == UInt8(ascii: "\"")
        else { return false }
        for index in 0..<key.utf8CodeUnitCount where bytes[start + 1 + index] != key.utf8Start[index] {
            return false
        }
        position = end
        items.isFirst = false
        return true
    }

    /// Returns whether the array has another element, which must be read or skipped next.
    mutating func element(_ items: inout Items) throws(Rejection) -> Bool {
        try next(&items, until: UInt8(ascii: "]"))
    }

    /// Throws if anything but white space follows.
    mutating func end() throws(Rejection) {
        skipSpace()
        guard position == bytes.count else { throw fault("the end") }
    }

    private mutating func open(_ byte: UInt8, _ what: String) throws(Rejection) -> Items {
        skipSpace()
        try expect(byte, what)
        depth += 1
        guard depth <= Self.depthLimit else { throw fault("at most \(Self.depthLimit) levels") }
        return Items()
    }

    private mutating func next(_ items: inout Items, until close: UInt8) throws(Rejection) -> Bool {
        skipSpace()
        if peek == close {
            position += 1
            depth -= 1
            return false
        }
        if items.isFirst {
            items.isFirst = false
        } else {
            try expect(UInt8(ascii: ","), "“,”")
        }
        return true
    }

    // MARK: Values

    /// Reads a whole number.
    mutating func integer() throws(Rejection) -> Int64 {
        skipSpace()
        let start = position
        let isNegative = peek == UInt8(ascii: "-")
        if isNegative { position += 1 }
        let first = position
        var value: Int64 = 0
        var isTooLarge = false
        while let digit = peek.flatMap(Self.digit) {
            let (shifted, overflows) = value.multipliedReportingOverflow(by: 10)
            let (sum, exceeds) = shifted.subtractingReportingOverflow(Int64(digit))
            // It counts downwards, because the smallest number has no positive counterpart.
            (value, isTooLarge) = (sum, isTooLarge || overflows || exceeds)
            position += 1
        }
        let hasLeadingZero = position > first + 1 && bytes[first] == UInt8(ascii: "0")
        let isFraction = peek == UInt8(ascii: ".") || peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E")
        guard position > first, !hasLeadingZero, !isFraction else {
            position = start
            throw fault("a whole number")
        }
        guard !isTooLarge, isNegative || value > .min else {
            throw Rejection(.outOfBounds, "the number at byte \(start) is too large")
        }
        return isNegative ? value : -value
    }

    /// Reads any number.
    mutating func number() throws(Rejection) -> Double {
        skipSpace()
        let start = position
        try skipNumber()
        guard let value = Double(String(decoding: bytes[start..<position], as: UTF8.self)) else {
            throw fault("a number")
        }
        return value
    }

    /// Reads `true` or `false`.
    mutating func bool() throws(Rejection) -> Bool {
        skipSpace()
        switch peek {
        case UInt8(ascii: "t"):
            try literal("true")
            return true
        case UInt8(ascii: "f"):
            try literal("false")
            return false
        default: throw fault("true or false")
        }
    }

    /// Reads a `null` if one is next, and returns whether it was.
    mutating func null() throws(Rejection) -> Bool {
        skipSpace()
        guard peek == UInt8(ascii: "n") else { return false }
        try literal("null")
        return true
    }

    /// Reads a string and resolves its escapes.
    mutating func string() throws(Rejection) -> String {
        skipSpace()
        try expect(UInt8(ascii: "\""), "a string")
        let start = position
        var end = start
        while end < bytes.count {
            let byte = bytes[end]
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { break }
            end += 1
        }
        position = end
        if peek == UInt8(ascii: "\"") {
            let text = try text(bytes.span.extracting(start..<end))
            position += 1
            return text
        }
        if peek == UInt8(ascii: "\\") { return try escapedString(from: start) }
        throw fault("the rest of a string")
    }

    /// Whether a string is next.
    var isAtString: Bool {
        var ahead = self
        ahead.skipSpace()
        return ahead.peek == UInt8(ascii: "\"")
    }

    /// Skips a value after a check of its syntax.
    mutating func skip() throws(Rejection) {
        skipSpace()
        switch peek {
        case UInt8(ascii: "{"):
            var fields = try object()
            while try field(&fields) {
                _ = try key()
                try skip()
            }
        case UInt8(ascii: "["):
            var items = try array()
            while try element(&items) { try skip() }
        case UInt8(ascii: "\""): _ = try string()
        case UInt8(ascii: "t"), UInt8(ascii: "f"): _ = try bool()
        case UInt8(ascii: "n"): try literal("null")
        default: try skipNumber()
        }
    }

    // MARK: Bytes

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private static func digit(_ byte: UInt8) -> UInt8? {
        let digit = byte &- UInt8(ascii: "0")
        return digit < 10 ? digit : nil
    }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private mutating func expect(_ byte: UInt8, _ what: @autoclosure () -> String) throws(Rejection) {
        guard peek == byte else { throw fault(what()) }
        position += 1
    }

    private mutating func literal(_ word: StaticString) throws(Rejection) {
        let end = position + word.utf8CodeUnitCount
        guard end <= bytes.count, word.withUTF8Buffer({ bytes[position..<end].elementsEqual($0) }) else {
            throw fault("\(word)")
        }
        position = end
    }

    private mutating func skipNumber() throws(Rejection) {
        if peek == UInt8(ascii: "-") { position += 1 }
        if peek == UInt8(ascii: "0") { position += 1 } else { try skipDigits() }
        if peek == UInt8(ascii: ".") {
            position += 1
            try skipDigits()
        }
        if peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E") {
            position += 1
            if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { position += 1 }
            try skipDigits()
        }
    }

    private mutating func skipDigits() throws(Rejection) {
        let start = position
        while peek.flatMap(Self.digit) != nil { position += 1 }
        guard position > start else { throw fault("a value") }
    }

    private func text(_ bytes: Span<UInt8>) throws(Rejection) -> String {
        do throws(UTF8.ValidationError) {
            return String(copying: try UTF8Span(validating: bytes))
        } catch {
            throw fault("UTF-8")
        }
    }

    private mutating func escapedString(from start: Int) throws(Rejection) -> String {
        var resolved = Array(bytes[start..<position])
        while let byte = peek, byte >= 0x20 {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return try text(resolved.span)
            case UInt8(ascii: "\\"): try resolved.append(contentsOf: escape().utf8)
            default: resolved.append(byte)
            }
        }
        throw fault("the rest of a string")
    }

    private mutating func escape() throws(Rejection) -> Unicode.Scalar {
        guard let byte = peek else { throw fault("an escape") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{08}"
        case UInt8(ascii: "f"): return "\u{0C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): break
        default: throw fault("an escape")
        }
        let unit = try hexUnit()
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard unit < 0xDC00 else { throw fault("a surrogate pair") }
        try expect(UInt8(ascii: "\\"), "a surrogate pair")
        try expect(UInt8(ascii: "u"), "a surrogate pair")
        let low = try hexUnit()
        guard (0xDC00...0xDFFF).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (UInt32(unit & 0x3FF) << 10) + UInt32(low & 0x3FF))
        else { throw fault("a surrogate pair") }
        return scalar
    }

    private mutating func hexUnit() throws(Rejection) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = peek, let value = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw fault("four hexadecimal digits")
            }
            unit = unit << 4 | UInt16(value)
            position += 1
        }
        return unit
    }

    private func fault(_ expected: String) -> Rejection {
        Rejection(.malformed, "expected \(expected) at byte \(position)")
    }
}
