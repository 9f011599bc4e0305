// SPDX-License-Identifier: Apache-2.0

import Session

/// A strict pull reader of JSON: the caller says what it expects next.
///
/// Where RFC 8259 leaves a choice: of a key that stands twice the last value counts, nesting ends at ``depthLimit``, a
/// lone surrogate is an error, and a number that the protocol uses is a whole one written without fraction or exponent.
struct JSONReader {
    /// Objects and arrays open at one time, the outermost included.
    static let depthLimit = 16

    let bytes: [UInt8]
    var position = 0
    private var depth = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Where an object or array is being read: whether the next item is its first.
    struct Items {
        var isFirst = true
    }

    // MARK: Structure

    /// Begins an object; go on with ``key(_:)`` until it returns `nil`.
    mutating func object() throws(Rejection) -> Items {
        try open(UInt8(ascii: "{"), "an object")
    }

    /// Begins an array; go on with ``element(_:)`` until it returns `false`.
    mutating func array() throws(Rejection) -> Items {
        try open(UInt8(ascii: "["), "an array")
    }

    /// The next key of an object, whose value must be read or skipped next; `nil` at the object's end.
    mutating func key(_ fields: inout Items) throws(Rejection) -> JSONKey? {
        guard try next(&fields, until: UInt8(ascii: "}")) else { return nil }
        let key: JSONKey
        if let short = shortKey() { key = short } else { key = JSONKey(try string()) }
        skipSpace()
        try expect(UInt8(ascii: ":"), "“:”")
        return key
    }

    /// A key of a few plain ASCII characters, as all known ones are; no string is made of it.
    private mutating func shortKey() -> JSONKey? {
        guard peek == UInt8(ascii: "\"") else { return nil }
        let start = position + 1
        var end = start
        let limit = min(bytes.count, start + JSONKey.longest + 1)
        while end < limit {
            let byte = bytes[end]
            if byte == UInt8(ascii: "\"") {
                position = end + 1
                return JSONKey(bytes.span.extracting(start..<end))
            }
            guard byte >= 0x20, byte < 0x7F, byte != UInt8(ascii: "\\") else { return nil }
            end += 1
        }
        return nil
    }

    /// Whether the array has another element, which must be read or skipped next.
    mutating func element(_ items: inout Items) throws(Rejection) -> Bool {
        try next(&items, until: UInt8(ascii: "]"))
    }

    /// Makes sure that nothing follows the value but white space.
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

    /// A whole number.
    mutating func integer() throws(Rejection) -> Int64 {
        skipSpace()
        let start = position
        let isNegative = peek == UInt8(ascii: "-")
        if isNegative { position += 1 }
        var value: Int64 = 0
        var overflows = false
        let digits = position
        while let digit = peek.flatMap(Self.digit) {
            let (product, high) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.subtractingReportingOverflow(Int64(digit))
            overflows = overflows || high || carry
            value = sum
            position += 1
        }
        let count = position - digits
        let isWhole = peek != UInt8(ascii: ".") && peek != UInt8(ascii: "e") && peek != UInt8(ascii: "E")
        guard count > 0, isWhole, count == 1 || bytes[digits] != UInt8(ascii: "0") else {
            position = start
            throw fault("a whole number")
        }
        guard !overflows, isNegative || value != .min else {
            throw Rejection(.outOfBounds, "the number at byte \(start) is too large")
        }
        return isNegative ? value : -value
    }

    /// `true` or `false`.
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

    /// Takes a `null` if one is next.
    mutating func null() throws(Rejection) -> Bool {
        skipSpace()
        guard peek == UInt8(ascii: "n") else { return false }
        try literal("null")
        return true
    }

    /// A string, its escapes resolved.
    mutating func string() throws(Rejection) -> String {
        skipSpace()
        try expect(UInt8(ascii: "\""), "a string")
        let start = position
        var end = start
        while end < bytes.count, bytes[end] >= 0x20, bytes[end] != UInt8(ascii: "\""), bytes[end] != UInt8(ascii: "\\")
        {
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

    /// An id without escapes, as all written ones are; no string is made of it.
    mutating func plainToken<Kind>() -> Token<Kind>? {
        skipSpace()
        guard peek == UInt8(ascii: "\"") else { return nil }
        let start = position + 1
        let limit = min(bytes.count, start + 37)
        var end = start
        while end < limit, bytes[end] != UInt8(ascii: "\"") { end += 1 }
        guard end < limit, let token = Token<Kind>(bytes.span.extracting(start..<end)) else { return nil }
        position = end + 1
        return token
    }

    /// Takes a string if it is this one, and stands there without escapes.
    mutating func take(_ text: String) -> Bool {
        skipSpace()
        var text = text
        return text.withUTF8 { text in
            let end = position + 1 + text.count
            guard end < bytes.count, bytes[position] == UInt8(ascii: "\""), bytes[end] == UInt8(ascii: "\"") else {
                return false
            }
            for index in text.indices where bytes[position + 1 + index] != text[index] { return false }
            position = end + 1
            return true
        }
    }

    /// Whether a string is next.
    var isAtString: Bool {
        var ahead = self
        ahead.skipSpace()
        return ahead.peek == UInt8(ascii: "\"")
    }

    /// Any value, looked at only for its syntax.
    mutating func skip() throws(Rejection) {
        skipSpace()
        switch peek {
        case UInt8(ascii: "{"):
            var fields = try object()
            while try key(&fields) != nil { try skip() }
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

    mutating func skipSpace() {
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
