// SPDX-License-Identifier: Apache-2.0

import Session

/// Writes compact JSON in the order of the calls, so that a field is always at the same place. It owns plain memory: an
/// array would check at each byte whether it is shared, which doubles the time to write a register.
package struct JSONWriter: FieldCoder, ~Copyable {
    package typealias Failure = Never
    package var isWriter: Bool { true }

    private var memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 4_096)
    private var count = 0
    private var needsComma = false
    /// Whether the fields of the present object are written with their keys.
    private var hasKeys = false
    /// An object that was encoded before, and its key.
    private let part: [UInt8]?
    private let partKey: String

    init(part: [UInt8]? = nil, key: String = "") { (self.part, partKey) = (part, key) }

    deinit { memory.deallocate() }

    var bytes: [UInt8] { Array(memory[..<count]) }

    // MARK: Fields

    package mutating func whole(_ key: StaticString, _ value: inout Int64?, _ format: Whole, _ need: Need) {
        guard let number = begin(key, value, need) else { return }
        if format.isTenths {
            raw((number < 0 ? "-" : "") + "\(number.magnitude / 10).\(number.magnitude % 10)")
        } else {
            self.value(number)
        }
    }

    package mutating func flag(_ key: StaticString, _ value: inout Bool?, _ need: Need) {
        guard let isTrue = begin(key, value, need) else { return }
        raw(isTrue ? "true" : "false")
    }

    package mutating func text<Text: TextFormat>(
        _ key: StaticString, _ value: inout Text.Value?, _ format: Text, _ need: Need
    ) {
        guard let text = begin(key, value, need) else { return }
        format.write(text, to: &self)
    }

    package mutating func object<Object: Described>(
        _ key: StaticString, _ value: inout Object?, _ shape: Shape, _ need: Need
    ) {
        guard var object = begin(key, value, need) else { return }
        if let part, key.description == partKey {
            comma()
            return append(part.span)
        }
        inside(shape == .values ? "[]" : "{}") { writer in
            if shape == .payload {
                writer.key(ProtocolVersion.key)
                writer.value(ProtocolVersion.current)
            }
            object.describe(to: &writer)
        }
    }

    package mutating func list<Element: Format>(
        _ key: StaticString, _ values: inout [Element.Value]?, of element: Element, _ counts: Counts, _ need: Need
    ) {
        guard let values = begin(key, values, need) else { return }
        inside("[]") { writer in
            for value in values {
                var value: Element.Value? = value
                element.pass("", &value, .required, to: &writer)
            }
        }
    }

    package mutating func fields<Part: Described>(of part: inout Part?, decidedBy first: StaticString) {
        part?.describe(to: &self)
    }

    // MARK: Structure

    /// Begins a field, and returns its value; `nil` if it is left out, or `null` was written.
    private mutating func begin<Value>(_ key: StaticString, _ value: Value?, _ need: Need) -> Value? {
        if value == nil, hasKeys, need != .writtenOrNull, need != .nullable { return nil }
        if hasKeys { self.key(key) }
        if value == nil { raw("null") }
        return value
    }

    private mutating func inside(_ brackets: StaticString, _ body: (inout JSONWriter) -> Void) {
        let outer = hasKeys
        hasKeys = brackets.utf8Start[0] == UInt8(ascii: "{")
        comma()
        append(brackets.utf8Start[0])
        needsComma = false
        body(&self)
        append(brackets.utf8Start[1])
        needsComma = true
        hasKeys = outer
    }

    private mutating func key(_ key: StaticString) {
        comma()
        append(UInt8(ascii: "\""))
        append(UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount))
        append(UInt8(ascii: "\""))
        append(UInt8(ascii: ":"))
        needsComma = false
    }

    private mutating func comma() {
        if needsComma { append(UInt8(ascii: ",")) }
        needsComma = true
    }

    // MARK: Values

    /// Writes a value that is JSON already.
    private mutating func raw(_ json: String) {
        comma()
        append(json.utf8.span)
    }

    mutating func value(_ value: Int64) {
        comma()
        var digits = InlineArray<20, UInt8>(repeating: UInt8(ascii: "-"))
        var first = digits.count
        var rest = value.magnitude
        repeat {
            first -= 1
            digits[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        if value < 0 { first -= 1 }
        append(digits.span.extracting(first...))
    }

    /// Writes a string that needs no escapes.
    mutating func plain(_ text: Span<UInt8>) {
        comma()
        append(UInt8(ascii: "\""))
        append(text)
        append(UInt8(ascii: "\""))
    }

    package mutating func value(_ text: String) {
        comma()
        append(UInt8(ascii: "\""))
        let text = text.utf8.span
        if Self.isPlain(text) { append(text) } else { for index in text.indices { append(escaped: text[index]) } }
        append(UInt8(ascii: "\""))
    }

    private static func isPlain(_ text: Span<UInt8>) -> Bool {
        for index in text.indices {
            let byte = text[index]
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return false }
        }
        return true
    }

    /// Appends a byte of a string, with an escape if needed.
    private mutating func append(escaped byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            append(UInt8(ascii: "\\"))
            append(byte)
        case UInt8(ascii: "\n"): append("\\n".utf8.span)
        case UInt8(ascii: "\t"): append("\\t".utf8.span)
        case UInt8(ascii: "\r"): append("\\r".utf8.span)
        case 0..<0x20: append(("\\u" + byte.padded(to: 4, radix: 16)).utf8.span)
        default: append(byte)
        }
    }

    // MARK: Memory

    @inline(__always)
    private mutating func append(_ byte: UInt8) {
        if count == memory.count { reserve(1) }
        memory[count] = byte
        count += 1
    }

    private mutating func append(_ text: Span<UInt8>) { text.withUnsafeBufferPointer { append($0) } }

    private mutating func append(_ text: UnsafeBufferPointer<UInt8>) {
        reserve(text.count)
        _ = memory[count...].update(fromContentsOf: text)
        count += text.count
    }

    private mutating func reserve(_ more: Int) {
        guard count + more > memory.count else { return }
        let larger = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 2 * memory.count + more)
        _ = larger.moveInitialize(fromContentsOf: memory[..<count])
        memory.deallocate()
        memory = larger
    }
}
