// SPDX-License-Identifier: Apache-2.0

import Session

/// The keys of an object, of which it learns whether one occurs twice.
private struct KeySet {
    /// The most keys that are compared.
    static let limit = 64

    /// The slot of the first field.
    let first: Int
    private(set) var count = 0
    /// Whether a key occurs twice, or might: where there are very many, or one has an escape.
    private(set) var mayRepeat = false
    /// A bit for each key. A key whose bit is new is compared with no other.
    private var bits: UInt64 = 0

    init(first: Int) { self.first = first }

    mutating func add(_ key: JSONBytes, _ text: Span<UInt8>, _ slots: [JSONSlot]) {
        let key = key.range
        count += 1
        guard !mayRepeat, count <= Self.limit, key.upperBound <= text.count else { return mayRepeat = true }
        let ends = key.isEmpty ? 0 : 5 * UInt64(text[key.lowerBound]) + 3 * UInt64(text[key.upperBound - 1])
        let bit: UInt64 = 1 &<< (ends + UInt64(key.count))
        if bits & bit != 0 {
            var slot = first
            while slot < slots.count, !mayRepeat {
                mayRepeat = Self.areEqual(key, slots[slot].key.range, text)
                slot = Int(slots[slot].next)
            }
        }
        bits |= bit
    }

    private static func areEqual(_ key: Range<Int>, _ other: Range<Int>, _ text: Span<UInt8>) -> Bool {
        key.count == other.count && zip(key, other).allSatisfy { text[$0] == text[$1] }
    }
}

/// Checks a JSON text in one pass over its bytes, and notes a slot for each value.
///
/// Slots have the order of the text. Where RFC 8259 leaves a choice: nesting ends at ``depthLimit``, and a lone surrogate is an error.
struct JSONScanner {
    /// The most objects and arrays that may be open at one time, the outermost included.
    static let depthLimit = 16
    /// The most bytes of a text. It bounds the slots too, since each value but the first has a byte and a separator.
    static let bytesLimit = 16 << 20

    /// The outermost value and all within it.
    private(set) var slots: [JSONSlot] = []
    /// The strings that have escapes in the text, resolved. Their places are counted from the end of the text.
    private(set) var resolved: [UInt8] = []
    /// The next byte to read.
    private var position = 0
    /// The number of objects and arrays that are open.
    private var depth = 0

    /// Scans a text of one value.
    init(_ bytes: [UInt8]) throws(Rejection) {
        let text = bytes.span
        guard text.count <= Self.bytesLimit else { throw fault("at most \(Self.bytesLimit) bytes") }
        // Escapes are whole scalars, so the strings are valid if the text is.
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: text)
        } catch {
            throw Rejection(.malformed, "expected UTF-8 at byte \(error.byteOffsets.lowerBound)")
        }
        slots.reserveCapacity(text.count / 8 + 1)
        try value(text, key: JSONBytes())
        skipSpace(text)
        guard position == text.count else { throw fault("the end") }
    }

    // MARK: Values

    /// Notes the value that is next, and all values within it.
    private mutating func value(_ text: Span<UInt8>, key: JSONBytes) throws(Rejection) {
        skipSpace(text)
        switch peek(text) {
        case UInt8(ascii: "{"):
            let slot = add(.object, key: key)
            slots[slot].mayRepeatKeys = try fields(text)
            slots[slot].next = Int32(slots.count)
        case UInt8(ascii: "["):
            let slot = add(.array, key: key)
            try elements(text)
            slots[slot].next = Int32(slots.count)
        case UInt8(ascii: "\""): add(.string, key: key, try string(text))
        case UInt8(ascii: "t"):
            try literal(text, "true")
            add(.yes, key: key)
        case UInt8(ascii: "f"):
            try literal(text, "false")
            add(.no, key: key)
        case UInt8(ascii: "n"):
            try literal(text, "null")
            add(.null, key: key)
        default: add(.number, key: key, try number(text))
        }
    }

    /// Adds a slot without values within it, and returns its index.
    @discardableResult
    private mutating func add(_ kind: JSONSlot.Kind, key: JSONBytes, _ text: JSONBytes = JSONBytes()) -> Int {
        slots.append(JSONSlot(kind: kind, key: key, text: text, next: Int32(slots.count + 1)))
        return slots.count - 1
    }

    /// Notes the fields of an object.
    /// - Returns: Whether a key may occur twice.
    private mutating func fields(_ text: Span<UInt8>) throws(Rejection) -> Bool {
        var keys = KeySet(first: slots.count)
        try open(text)
        while try next(text, until: UInt8(ascii: "}"), isFirst: keys.count == 0) {
            let key = try key(text)
            keys.add(key, text, slots)
            try value(text, key: key)
        }
        return keys.mayRepeat
    }

    private mutating func elements(_ text: Span<UInt8>) throws(Rejection) {
        let first = slots.count
        try open(text)
        while try next(text, until: UInt8(ascii: "]"), isFirst: slots.count == first) {
            try value(text, key: JSONBytes())
        }
    }

    private mutating func open(_ text: Span<UInt8>) throws(Rejection) {
        position += 1
        depth += 1
        guard depth <= Self.depthLimit else { throw fault("at most \(Self.depthLimit) levels") }
    }

    /// Goes to the next field or element, or behind the last one.
    private mutating func next(_ text: Span<UInt8>, until close: UInt8, isFirst: Bool) throws(Rejection) -> Bool {
        skipSpace(text)
        if peek(text) == close {
            position += 1
            depth -= 1
            return false
        }
        if !isFirst { try expect(text, UInt8(ascii: ","), "“,”") }
        return true
    }

    private mutating func key(_ text: Span<UInt8>) throws(Rejection) -> JSONBytes {
        skipSpace(text)
        let key = try string(text)
        skipSpace(text)
        try expect(text, UInt8(ascii: ":"), "“:”")
        return key
    }

    private mutating func literal(_ text: Span<UInt8>, _ word: StaticString) throws(Rejection) {
        for index in 0..<word.utf8CodeUnitCount {
            guard peek(text) == word.utf8Start[index] else { throw fault("\(word)") }
            position += 1
        }
    }

    private mutating func number(_ text: Span<UInt8>) throws(Rejection) -> JSONBytes {
        let start = position
        if peek(text) == UInt8(ascii: "-") { position += 1 }
        if peek(text) == UInt8(ascii: "0") { position += 1 } else { try digits(text) }
        if peek(text) == UInt8(ascii: ".") {
            position += 1
            try digits(text)
        }
        if peek(text) == UInt8(ascii: "e") || peek(text) == UInt8(ascii: "E") {
            position += 1
            if peek(text) == UInt8(ascii: "+") || peek(text) == UInt8(ascii: "-") { position += 1 }
            try digits(text)
        }
        return JSONBytes(start..<position)
    }

    private mutating func digits(_ text: Span<UInt8>) throws(Rejection) {
        let start = position
        while peek(text) >= UInt8(ascii: "0"), peek(text) <= UInt8(ascii: "9") { position += 1 }
        guard position > start else { throw fault("a value") }
    }

    // MARK: Strings

    private mutating func string(_ text: Span<UInt8>) throws(Rejection) -> JSONBytes {
        try expect(text, UInt8(ascii: "\""), "a string")
        let start = position
        var end = start
        // Most bytes are in strings, so this loop does not check its bounds twice.
        while end < text.count {
            let byte = unsafe text[unchecked: end]
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { break }
            end &+= 1
        }
        position = end
        if peek(text) == UInt8(ascii: "\\") { return try resolvedString(text, from: start) }
        try expect(text, UInt8(ascii: "\""), "the rest of a string")
        return JSONBytes(start..<end)
    }

    /// Reads the rest of a string that has escapes.
    private mutating func resolvedString(_ text: Span<UInt8>, from start: Int) throws(Rejection) -> JSONBytes {
        let first = resolved.count
        for index in start..<position { resolved.append(text[index]) }
        while peek(text) >= 0x20 {
            let byte = text[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return JSONBytes(text.count + first..<text.count + resolved.count)
            case UInt8(ascii: "\\"): resolved.append(contentsOf: try escape(text).utf8)
            default: resolved.append(byte)
            }
        }
        throw fault("the rest of a string")
    }

    private mutating func escape(_ text: Span<UInt8>) throws(Rejection) -> Unicode.Scalar {
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

    private mutating func hexUnit(_ text: Span<UInt8>) throws(Rejection) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let value = Character(Unicode.Scalar(peek(text))).hexDigitValue else {
                throw fault("four hexadecimal digits")
            }
            unit = unit << 4 | UInt16(value)
            position += 1
        }
        return unit
    }

    // MARK: Bytes

    /// The next byte; zero at the end.
    private func peek(_ text: Span<UInt8>) -> UInt8 { text.indices.contains(position) ? text[position] : 0 }

    private mutating func skipSpace(_ text: Span<UInt8>) {
        while peek(text) == 0x20 || peek(text) == 0x0A || peek(text) == 0x0D || peek(text) == 0x09 { position += 1 }
    }

    private mutating func expect(_ text: Span<UInt8>, _ byte: UInt8, _ what: @autoclosure () -> String)
        throws(Rejection)
    {
        guard peek(text) == byte else { throw fault(what()) }
        position += 1
    }

    private func fault(_ expected: String) -> Rejection {
        Rejection(.malformed, "expected \(expected) at byte \(position)")
    }
}
