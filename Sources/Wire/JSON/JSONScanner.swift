// SPDX-License-Identifier: Apache-2.0

import Session

/// A value of a JSON text, and where its object or array goes on. Its positions have 32 bits, since a text can have
/// thousands of slots.
struct JSONSlot {
    /// The type of a JSON value.
    enum Kind {
        case object, array, string, whole, number, yes, no, null
    }

    /// A whole number of at most 64 bits. Any other number is of the kind `number`.
    var whole: Int64 = 0
    /// The bytes of the key, without quotes; empty for what has no key.
    var key = JSONBytes()
    /// The bytes of a number, or of a string without quotes.
    var text = JSONBytes()
    /// The slot after this value and all values within it. It is that of the next field or element, if there is one.
    var next: Int32 = 0
    var kind = Kind.null
    /// Whether a key of this object occurs twice, or might.
    var mayRepeatKeys = false
}

/// The place of a value in the payload.
struct JSONBytes {
    var start: Int32 = 0
    var count: Int32 = 0

    init() {}

    init(_ range: Range<Int>) {
        start = Int32(truncatingIfNeeded: range.lowerBound)
        count = Int32(truncatingIfNeeded: range.count)
    }

    var range: Range<Int> { Int(start)..<Int(start) + Int(count) }
}

/// Checks a JSON text in one pass over its bytes, and notes a slot for each value. Slots have the order of the text.
/// Where RFC 8259 leaves a choice: nesting ends at ``depthLimit``, and a lone surrogate is an error.
struct JSONScanner {
    /// The most objects and arrays that may be open at one time, the outermost included.
    static let depthLimit = 16
    /// The most bytes of a text. It bounds the slots too, since each value but the first has a byte and a separator.
    static let bytesLimit = 16 << 20

    private(set) var slots: [JSONSlot] = []
    /// The strings that have escapes in the text, resolved. Their places are counted from the end of the text.
    private(set) var resolved: [UInt8] = []
    private var position = 0
    /// The number of objects and arrays that are open.
    private var depth = 0

    init(_ bytes: [UInt8]) throws(PayloadError) {
        let text = bytes.span
        guard text.count <= Self.bytesLimit else { throw fault("at most \(Self.bytesLimit) bytes") }
        slots.reserveCapacity(text.count / 8 + 1)
        try value(text, key: JSONBytes())
        skipSpace(text)
        guard position == text.count else { throw fault("the end") }
    }

    // MARK: Values

    private mutating func value(_ text: Span<UInt8>, key: JSONBytes) throws(PayloadError) {
        skipSpace(text)
        var slot = JSONSlot(key: key, next: Int32(truncatingIfNeeded: slots.count &+ 1))
        switch peek(text) {
        case UInt8(ascii: "{"): return try items(text, .object, until: UInt8(ascii: "}"), slot)
        case UInt8(ascii: "["): return try items(text, .array, until: UInt8(ascii: "]"), slot)
        case UInt8(ascii: "\""): (slot.kind, slot.text) = (.string, try string(text))
        case UInt8(ascii: "t"): slot.kind = try literal(text, "true", .yes)
        case UInt8(ascii: "f"): slot.kind = try literal(text, "false", .no)
        case UInt8(ascii: "n"): slot.kind = try literal(text, "null", .null)
        default: try number(text, &slot)
        }
        slots.append(slot)
    }

    /// Notes an object or array, and all values within it.
    private mutating func items(
        _ text: Span<UInt8>, _ kind: JSONSlot.Kind, until close: UInt8, _ slot: JSONSlot
    ) throws(PayloadError) {
        let slotIndex = slots.count
        slots.append(slot)
        slots[slotIndex].kind = kind
        position += 1
        depth += 1
        guard depth <= Self.depthLimit else { throw fault("at most \(Self.depthLimit) levels") }
        skipSpace(text)
        var keys = KeySet()
        if peek(text) != close {
            repeat {
                let key = kind == .object ? try key(text) : JSONBytes()
                if kind == .object { note(key, in: &keys, from: slotIndex + 1, text) }
                try value(text, key: key)
            } while skipComma(text)
        }
        try expect(text, close, "“,” or “\(Unicode.Scalar(close))”")
        depth -= 1
        slots[slotIndex].next = Int32(truncatingIfNeeded: slots.count)
        slots[slotIndex].mayRepeatKeys = keys.mayRepeat
    }

    /// The keys of an object so far, and whether one of them may occur twice.
    private struct KeySet {
        /// A bit for each key. A key whose bit is new is compared with no other.
        var bits: UInt64 = 0
        var count = 0
        var mayRepeat = false
    }

    /// Adds a key. More than 64 keys, an empty one or one with an escape count as a possible repetition.
    private func note(_ key: JSONBytes, in keys: inout KeySet, from first: Int, _ text: Span<UInt8>) {
        let range = key.range
        keys.count += 1
        guard !keys.mayRepeat, keys.count <= 64, !range.isEmpty, range.upperBound <= text.count else {
            return keys.mayRepeat = true
        }
        let sum = 5 &* text[range.lowerBound] &+ 3 &* text[range.upperBound - 1] &+ UInt8(truncatingIfNeeded: key.count)
        let bit: UInt64 = 1 &<< UInt64(sum)
        var slot = keys.bits & bit == 0 ? slots.count : first
        while slot < slots.count {
            let other = slots[slot].key.range
            if other.count == range.count, zip(other, range).allSatisfy({ text[$0] == text[$1] }) {
                keys.mayRepeat = true
            }
            slot = Int(slots[slot].next)
        }
        keys.bits |= bit
    }

    private mutating func key(_ text: Span<UInt8>) throws(PayloadError) -> JSONBytes {
        skipSpace(text)
        let key = try string(text)
        skipSpace(text)
        try expect(text, UInt8(ascii: ":"), "“:”")
        return key
    }

    private mutating func literal(
        _ text: Span<UInt8>, _ word: StaticString, _ kind: JSONSlot.Kind
    ) throws(PayloadError) -> JSONSlot.Kind {
        for index in 0..<word.utf8CodeUnitCount { try expect(text, word.utf8Start[index], "\(word)") }
        return kind
    }

    private mutating func number(_ text: Span<UInt8>, _ slot: inout JSONSlot) throws(PayloadError) {
        let start = position
        let isNegative = skip(text, UInt8(ascii: "-"))
        let first = position
        let magnitude = skip(text, UInt8(ascii: "0")) ? 0 : try digits(text)
        // 19 digits fit into the magnitude, and more are too large in any case.
        let fits = position - first <= 19 && magnitude <= Int64.max.magnitude + (isNegative ? 1 : 0)
        let end = position
        if skip(text, UInt8(ascii: ".")) { _ = try digits(text) }
        if skip(text, UInt8(ascii: "e")) || skip(text, UInt8(ascii: "E")) {
            if !skip(text, UInt8(ascii: "+")) { _ = skip(text, UInt8(ascii: "-")) }
            _ = try digits(text)
        }
        slot.kind = fits && position == end ? .whole : .number
        slot.whole = Int64(truncatingIfNeeded: isNegative ? 0 &- magnitude : magnitude)
        slot.text = JSONBytes(start..<position)
    }

    /// Skips digits, at least one. Returns their value, wrapped around if it has more than 64 bits.
    private mutating func digits(_ text: Span<UInt8>) throws(PayloadError) -> UInt64 {
        var value: UInt64 = 0
        var end = position
        while end < text.count, case let digit = text[end] &- UInt8(ascii: "0"), digit < 10 {
            value = value &* 10 &+ UInt64(digit)
            end += 1
        }
        guard end > position else { throw fault("a value") }
        position = end
        return value
    }

    // MARK: Strings

    private mutating func string(_ text: Span<UInt8>) throws(PayloadError) -> JSONBytes {
        try expect(text, UInt8(ascii: "\""), "a string")
        let start = position
        var end = start
        var isASCII = true
        while end < text.count {
            if end &+ 8 <= text.count {
                // Most bytes are in strings, so eight are looked at together.
                let word = unsafe text.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: end, as: UInt64.self)
                let (plain, areASCII) = Self.plainBytes(UInt64(littleEndian: word))
                isASCII = isASCII && areASCII
                end &+= plain
                if plain < 8 { break }
            } else {
                let byte = text[end]
                if byte < 0x20 || byte == Self.quote || byte == Self.backslash { break }
                isASCII = isASCII && byte < 0x80
                end &+= 1
            }
        }
        position = end
        guard skip(text, Self.quote) else {
            guard peek(text) == Self.backslash else { throw fault("the rest of a string") }
            return try resolvedString(text, from: start)
        }
        if !isASCII { try checkUTF8(text.extracting(start..<end)) }
        return JSONBytes(start..<end)
    }

    private static let quote = UInt8(ascii: "\"")
    private static let backslash = UInt8(ascii: "\\")

    /// Counts the bytes of a word before the first quote, backslash or control character. Subtracting a limit sets the
    /// highest bit of a byte below it, and may borrow from the byte above, so the lowest set bit counts.
    private static func plainBytes(_ word: UInt64) -> (count: Int, areASCII: Bool) {
        let each: UInt64 = 0x0101_0101_0101_0101
        let highest: UInt64 = 0x8080_8080_8080_8080
        let quote = word ^ 0x2222_2222_2222_2222
        let backslash = word ^ 0x5C5C_5C5C_5C5C_5C5C
        let control = (word &- 0x2020_2020_2020_2020) & ~word
        let marks = (control | (quote &- each) & ~quote | (backslash &- each) & ~backslash) & highest
        return (marks.trailingZeroBitCount / 8, word & highest == 0)
    }

    private func checkUTF8(_ text: Span<UInt8>) throws(PayloadError) {
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: text)
        } catch {
            throw fault("UTF-8")
        }
    }

    /// Reads the rest of a string that has escapes.
    private mutating func resolvedString(_ text: Span<UInt8>, from start: Int) throws(PayloadError) -> JSONBytes {
        let first = resolved.count
        for index in start..<position { resolved.append(text[index]) }
        while peek(text) >= 0x20 {
            let byte = text[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                try checkUTF8(resolved.span.extracting(first...))
                return JSONBytes(text.count + first..<text.count + resolved.count)
            case UInt8(ascii: "\\"): resolved.append(contentsOf: try escape(text).utf8)
            default: resolved.append(byte)
            }
        }
        throw fault("the rest of a string")
    }

    private mutating func escape(_ text: Span<UInt8>) throws(PayloadError) -> Unicode.Scalar {
        let byte = peek(text)
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
        let unit = try hexUnit(text)
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard unit < 0xDC00 else { throw fault("a surrogate pair") }
        try expect(text, UInt8(ascii: "\\"), "a surrogate pair")
        try expect(text, UInt8(ascii: "u"), "a surrogate pair")
        let low = try hexUnit(text)
        guard (0xDC00...0xDFFF).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (UInt32(unit & 0x3FF) << 10) + UInt32(low & 0x3FF))
        else { throw fault("a surrogate pair") }
        return scalar
    }

    private mutating func hexUnit(_ text: Span<UInt8>) throws(PayloadError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = peek(text).hexDigit else { throw fault("four hexadecimal digits") }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }

    // MARK: Bytes

    /// The next byte; zero at the end.
    private func peek(_ text: Span<UInt8>) -> UInt8 { position < text.count ? unsafe text[unchecked: position] : 0 }

    private mutating func skip(_ text: Span<UInt8>, _ byte: UInt8) -> Bool {
        guard peek(text) == byte else { return false }
        position += 1
        return true
    }

    private mutating func skipSpace(_ text: Span<UInt8>) {
        while case let byte = peek(text), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private mutating func skipComma(_ text: Span<UInt8>) -> Bool {
        skipSpace(text)
        return skip(text, UInt8(ascii: ","))
    }

    private mutating func expect(_ text: Span<UInt8>, _ byte: UInt8, _ expected: @autoclosure () -> String)
        throws(PayloadError)
    {
        guard skip(text, byte) else { throw fault(expected()) }
    }

    private func fault(_ expected: String) -> PayloadError {
        PayloadError(.malformed, "is not JSON: expected \(expected) at byte \(position)")
    }
}
