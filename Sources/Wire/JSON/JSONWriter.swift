// SPDX-License-Identifier: Apache-2.0

import Session

/// Writes compact JSON in the order in which it is called, so that a person finds the same field at the same place.
///
/// It writes into memory of its own: an array would be asked for its owner and its room at each of some hundred pieces.
struct JSONWriter: ~Copyable {
    private var memory: UnsafeMutableBufferPointer<UInt8>
    /// How many bytes have been written.
    private(set) var count = 0
    private var needsComma = false

    init(capacity: Int = 1_024) {
        memory = .allocate(capacity: capacity)
    }

    deinit { memory.deallocate() }

    /// What has been written.
    var bytes: [UInt8] { Array(memory[..<count]) }

    /// What has been written, where it stands, to fill in what was left out.
    mutating func withMutableBytes<Value, Failure>(
        _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try body(UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: memory[..<count])))
    }

    /// Begins anew in the same memory, behind so many bytes that are left out.
    mutating func restart(behind omitted: Int) {
        count = 0
        needsComma = false
        _ = room(for: omitted)
        count = omitted
    }

    /// Makes room for so many bytes more, and says where.
    @inline(__always)
    private mutating func room(for more: Int) -> UnsafeMutablePointer<UInt8> {
        if count + more > memory.count { grow(for: more) }
        // Never empty, so that there is a first byte.
        return memory.baseAddress.unsafelyUnwrapped + count
    }

    @inline(never)
    private mutating func grow(for more: Int) {
        let larger = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(64, 2 * memory.count, count + more))
        _ = larger.update(fromContentsOf: memory[..<count])
        memory.deallocate()
        memory = larger
    }

    @inline(__always)
    private mutating func append(_ byte: UInt8) {
        room(for: 1).pointee = byte
        count += 1
    }

    @inline(__always)
    private mutating func append(_ text: StaticString) {
        room(for: text.utf8CodeUnitCount).update(from: text.utf8Start, count: text.utf8CodeUnitCount)
        count += text.utf8CodeUnitCount
    }

    private mutating func append(_ text: borrowing UnsafeBufferPointer<UInt8>) {
        guard let start = text.baseAddress else { return }
        room(for: text.count).update(from: start, count: text.count)
        count += text.count
    }

    // MARK: Structure

    mutating func object(_ body: (inout JSONWriter) -> Void) {
        openObject()
        body(&self)
        closeObject()
    }

    mutating func array(_ body: (inout JSONWriter) -> Void) {
        open(UInt8(ascii: "["))
        body(&self)
        close(UInt8(ascii: "]"))
    }

    /// Begins a field, whose value must be written next. Keys are plain ASCII.
    mutating func key(_ name: StaticString) {
        comma()
        append(UInt8(ascii: "\""))
        append(name)
        append("\":")
        needsComma = false
    }

    /// Begins an object with fields that were written before, the brace before them included.
    mutating func open(with fields: ArraySlice<UInt8>) {
        comma()
        fields.withUnsafeBufferPointer { append($0) }
    }

    /// Begins an object; ``closeObject()`` ends it.
    mutating func openObject() { open(UInt8(ascii: "{")) }

    /// Ends an object.
    mutating func closeObject() { close(UInt8(ascii: "}")) }

    private mutating func open(_ byte: UInt8) {
        comma()
        append(byte)
        needsComma = false
    }

    private mutating func close(_ byte: UInt8) {
        append(byte)
        needsComma = true
    }

    private mutating func comma() {
        if needsComma { append(UInt8(ascii: ",")) }
        needsComma = true
    }

    // MARK: Values

    mutating func null() {
        comma()
        append("null")
    }

    /// Ends a line, behind which nothing follows.
    mutating func lineFeed() { append(UInt8(ascii: "\n")) }

    /// A value that was written before.
    mutating func raw(_ value: [UInt8]) {
        comma()
        value.withUnsafeBufferPointer { append($0) }
    }

    mutating func value(_ value: Bool) {
        comma()
        if value { append("true") } else { append("false") }
    }

    mutating func value(_ value: Int) {
        self.value(Int64(value))
    }

    mutating func value(_ value: Int64) {
        comma()
        if value < 0 { append(UInt8(ascii: "-")) }
        // From the last digit on, two at a time, at the end of a place that any number fits; then to its beginning.
        let start = room(for: 20)
        var rest = value.magnitude
        var first = 20
        while rest >= 10 {
            let (hundreds, pair) = rest.quotientAndRemainder(dividingBy: 100)
            first -= 2
            (start + first).update(from: Self.pairs.utf8Start + 2 * Int(truncatingIfNeeded: pair), count: 2)
            rest = hundreds
        }
        if rest > 0 || first == 20 {
            first -= 1
            start[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest)
        }
        start.update(from: start + first, count: 20 - first)
        count += 20 - first
    }

    private static let pairs: StaticString = """
        00010203040506070809101112131415161718192021222324\
        25262728293031323334353637383940414243444546474849\
        50515253545556575859606162636465666768697071727374\
        75767778798081828384858687888990919293949596979899
        """

    mutating func value(_ text: String) {
        var text = text
        comma()
        append(UInt8(ascii: "\""))
        text.withUTF8 { text in
            // Nearly nothing needs an escape.
            if !text.contains(where: Self.needsEscape) { return append(text) }
            for byte in text { escape(byte) }
        }
        append(UInt8(ascii: "\""))
    }

    mutating func value<Kind>(_ token: Token<Kind>) {
        comma()
        let start = room(for: 2 + TokenCharacters.room)
        start[0] = UInt8(ascii: "\"")
        let length = token.utf8.write(to: start + 1)
        start[1 + length] = UInt8(ascii: "\"")
        count += length + 2
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func escape(_ byte: UInt8) {
        guard Self.needsEscape(byte) else { return append(byte) }
        append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\n"): append(UInt8(ascii: "n"))
        case UInt8(ascii: "\t"): append(UInt8(ascii: "t"))
        case UInt8(ascii: "\r"): append(UInt8(ascii: "r"))
        case 0..<0x20:
            append(byte < 0x10 ? "u000" : "u00")
            for digit in String(byte, radix: 16).utf8 { append(digit) }
        default: append(byte)
        }
    }
}

extension JSONWriter {
    mutating func field(_ key: StaticString, _ value: Bool) {
        self.key(key)
        self.value(value)
    }

    mutating func field(_ key: StaticString, _ value: Int) {
        self.key(key)
        self.value(value)
    }

    mutating func field(_ key: StaticString, _ value: Int64) {
        self.key(key)
        self.value(value)
    }

    mutating func field(_ key: StaticString, _ value: String) {
        self.key(key)
        self.value(value)
    }

    mutating func field<Kind>(_ key: StaticString, _ value: Token<Kind>) {
        self.key(key)
        self.value(value)
    }

    /// A level, from tenths of a decibel.
    mutating func field(_ key: StaticString, decibels tenths: Int) {
        self.key(key)
        let digits = "\(tenths.magnitude / 10).\(tenths.magnitude % 10)"
        raw(Array((tenths < 0 ? "-" + digits : digits).utf8))
    }

    mutating func field(_ key: StaticString, _ body: (inout JSONWriter) -> Void) {
        self.key(key)
        object(body)
    }

    mutating func list(_ key: StaticString, _ body: (inout JSONWriter) -> Void) {
        self.key(key)
        array(body)
    }

    /// The version, which comes first in every payload.
    mutating func version() {
        field("v", ProtocolVersion.current)
    }

    /// A whole payload: the version, then the body's fields.
    static func payload(capacity: Int = 256, _ body: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter(capacity: capacity)
        writer.payload(body)
        return writer.bytes
    }

    mutating func payload(_ body: (inout JSONWriter) -> Void) {
        object {
            $0.version()
            body(&$0)
        }
    }
}
