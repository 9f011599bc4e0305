// SPDX-License-Identifier: Apache-2.0

package import Session

/// The format of a value: its name in Protocol.md, its bounds, and how it is read and written.
package protocol Format<Value>: Sendable {
    associatedtype Value

    /// The type's name in Protocol.md, bounds included.
    var name: String { get }
    /// The tables of the objects and arrays within it.
    var tables: [FieldTable] { get }

    func read(_ reader: inout JSONReader) throws(Rejection) -> Value
    func write(_ value: Value, to writer: inout JSONWriter)
}

extension Format {
    package var tables: [FieldTable] { [] }
}

// MARK: Numbers

/// `true` or `false`.
package struct BoolFormat: Format {
    package var name: String { "bool" }
    package func read(_ reader: inout JSONReader) throws(Rejection) -> Bool { try reader.bool() }
    package func write(_ value: Bool, to writer: inout JSONWriter) { writer.value(value) }
}

/// A whole number within bounds.
package struct NumberFormat<Value: FixedWidthInteger & Sendable>: Format {
    let range: ClosedRange<Value>
    /// The name of the bounds in Protocol.md; `nil` for their numbers.
    let word: String?

    package var name: String { word ?? bounds }
    private var bounds: String { "\(grouped(range.lowerBound)) to \(grouped(range.upperBound))" }

    package func read(_ reader: inout JSONReader) throws(Rejection) -> Value {
        let number = try reader.integer()
        guard let value = Value(exactly: number), range.contains(value) else {
            throw Rejection(number, isNotWithin: bounds)
        }
        return value
    }

    package func write(_ value: Value, to writer: inout JSONWriter) { writer.value(Int64(value)) }
}

/// Formats a number for people, as `−1,234,567`.
private func grouped<Number: BinaryInteger>(_ number: Number) -> String {
    var text = ""
    for (index, digit) in String(number.magnitude).reversed().enumerated() {
        if index > 0, index.isMultiple(of: 3) { text.append(",") }
        text.append(digit)
    }
    return (number < 0 ? "−" : "") + String(text.reversed())
}

/// A level, the only number that may have a fraction; it is stored in tenths.
package struct DecibelFormat: Format {
    package var name: String { "decibels" }

    package func read(_ reader: inout JSONReader) throws(Rejection) -> Int {
        let level = try reader.number()
        // Compared before the conversion, which traps beyond the range of whole numbers.
        guard abs(level) <= SoundLevel.limit else {
            throw Rejection(.outOfBounds, "\(level) is not within ±\(SoundLevel.limit) decibels")
        }
        return Int((level * 10).rounded())
    }

    package func write(_ value: Int, to writer: inout JSONWriter) {
        writer.raw((value < 0 ? "-" : "") + "\(value.magnitude / 10).\(value.magnitude % 10)")
    }
}

extension Format where Self == BoolFormat {
    package static var bool: Self { BoolFormat() }
}

extension Format {
    /// A whole number within bounds.
    package static func whole<Number>(_ range: ClosedRange<Number>) -> Self where Self == NumberFormat<Number> {
        NumberFormat(range: range, word: nil)
    }

    /// A whole number of at most 64 bits.
    package static func whole<Number>() -> Self where Self == NumberFormat<Number> {
        NumberFormat(range: .min ... .max, word: "whole number")
    }
}

extension Format where Self == NumberFormat<Int64> {
    /// Group time in milliseconds since 1970.
    package static var time: Self { NumberFormat(range: Limits.time, word: "time") }
    /// A boot clock or an error bound in milliseconds.
    package static var reading: Self { NumberFormat(range: Limits.reading, word: "reading") }
}

extension Format where Self == NumberFormat<Int> {
    package static var counter: Self { NumberFormat(range: Limits.counter, word: "counter") }
    package static var percent: Self { .whole(0...100) }
}

extension Format where Self == DecibelFormat {
    package static var decibels: Self { DecibelFormat() }
}

// MARK: Strings

/// A string that stands for a value.
package protocol TextFormat: Format {
    /// Returns the value of a string; `nil` for an invalid string.
    func value(of text: String) -> Value?
    func text(of value: Value) -> String
}

extension TextFormat {
    package func read(_ reader: inout JSONReader) throws(Rejection) -> Value {
        let text = try reader.string()
        guard let value = value(of: text) else { throw Rejection(text, isNo: name) }
        return value
    }

    package func write(_ value: Value, to writer: inout JSONWriter) { writer.value(text(of: value)) }
}

/// An opaque id.
package struct TokenFormat<Kind>: TextFormat {
    package typealias Value = Token<Kind>

    package var name: String { "id" }
    package func value(of text: String) -> Token<Kind>? { Token(text) }
    package func text(of value: Token<Kind>) -> String { value.rawValue }
}

/// The id of a node.
package struct NodeFormat: TextFormat {
    package typealias Value = NodeID

    package var name: String { "node" }
    package func value(of text: String) -> NodeID? { NodeID(text) }
    package func text(of value: NodeID) -> String { value.rawValue }
}

/// A day of the calendar, as `2026-12-28`.
package struct DateFormat: TextFormat {
    package typealias Value = CivilDate

    package var name: String { "date" }
    package func value(of text: String) -> CivilDate? { CivilDate(text) }
    package func text(of value: CivilDate) -> String { value.description }
}

/// Text that may reach a screen.
package struct CleanTextFormat: TextFormat {
    package typealias Value = String

    let bytes: Int
    let mayBeEmpty: Bool

    package var name: String { "text(\(bytes))\(mayBeEmpty ? " or empty" : "")" }

    package func value(of text: String) -> String? {
        mayBeEmpty && text.isEmpty || CleanText.accepts(text, bytes: bytes) ? text : nil
    }

    package func text(of value: String) -> String { value }
}

/// Any string.
package struct StringFormat: TextFormat {
    package typealias Value = String

    package var name: String { "string" }
    package func value(of text: String) -> String? { text }
    package func text(of value: String) -> String { value }
}

/// A word of a closed set.
package struct WordFormat<Value: RawRepresentable<String> & CaseIterable>: TextFormat {
    package var name: String { Value.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ") }
    package func value(of text: String) -> Value? { Value(rawValue: text) }
    package func text(of value: Value) -> String { value.rawValue }
}

extension Format {
    package static func id<Kind>() -> Self where Self == TokenFormat<Kind> { TokenFormat() }

    package static func word<Word>() -> Self where Self == WordFormat<Word> { WordFormat() }
}

extension Format where Self == NodeFormat {
    package static var node: Self { NodeFormat() }
}

extension Format where Self == DateFormat {
    package static var date: Self { DateFormat() }
}

extension Format where Self == CleanTextFormat {
    /// Text of 1 to `bytes` bytes.
    package static func text(_ bytes: Int) -> Self { CleanTextFormat(bytes: bytes, mayBeEmpty: false) }

    /// Text of at most `bytes` bytes, which may be empty.
    package static func textOrEmpty(_ bytes: Int) -> Self { CleanTextFormat(bytes: bytes, mayBeEmpty: true) }
}

extension Format where Self == StringFormat {
    package static var string: Self { StringFormat() }
}

// MARK: Several

/// A JSON array of values of one format.
package struct ListFormat<Element: Format>: Format {
    let element: Element
    let counts: ClosedRange<Int>

    package var name: String { "\(count) of \(element.name)" }
    package var tables: [FieldTable] { element.tables }

    private var count: String {
        (counts.lowerBound == 0 ? "at most " : "\(counts.lowerBound) to ") + grouped(counts.upperBound)
    }

    package func read(_ reader: inout JSONReader) throws(Rejection) -> [Element.Value] {
        var values: [Element.Value] = []
        // Most lists are short; growing from nothing takes an allocation for each doubling.
        values.reserveCapacity(min(counts.upperBound, 16))
        try reader.elements { reader throws(Rejection) in values.append(try element.read(&reader)) }
        guard counts.contains(values.count) else {
            throw Rejection(.outOfBounds, "\(values.count) are not \(count)")
        }
        return values
    }

    package func write(_ values: [Element.Value], to writer: inout JSONWriter) {
        writer.array { for value in values { element.write(value, to: &$0) } }
    }
}

/// A value, or `null`.
package struct NullableFormat<Wrapped: Format>: Format {
    let wrapped: Wrapped

    package var name: String { "\(wrapped.name) or `null`" }
    package var tables: [FieldTable] { wrapped.tables }

    package func read(_ reader: inout JSONReader) throws(Rejection) -> Wrapped.Value? {
        reader.isNull ? nil : try wrapped.read(&reader)
    }

    package func write(_ value: Wrapped.Value?, to writer: inout JSONWriter) {
        if let value { wrapped.write(value, to: &writer) } else { writer.null() }
    }
}

/// An object.
package struct ObjectFormat<Value: Described>: Format {
    /// Whether it could be a payload of its own: with a version.
    let isPayload: Bool

    package var name: String { Value.objectName }
    package var tables: [FieldTable] { Value.tables }

    package func read(_ reader: inout JSONReader) throws(Rejection) -> Value {
        try reader.object(isPayload: isPayload)
    }

    package func write(_ value: Value, to writer: inout JSONWriter) { writer.object(value, isPayload: isPayload) }
}

/// An array of an object's values, without their keys.
package struct ArrayFormat<Value: Described>: Format {
    package var name: String {
        "`[\(Value.tables.first?.rows.map(\.key).joined(separator: ", ") ?? "")]`"
    }

    package var tables: [FieldTable] { Value.tables }

    package func read(_ reader: inout JSONReader) throws(Rejection) -> Value { try reader.values() }
    package func write(_ value: Value, to writer: inout JSONWriter) { writer.values(value) }
}

extension Format {
    package static func list<Element>(of element: Element, _ counts: ClosedRange<Int>) -> Self
    where Self == ListFormat<Element> { ListFormat(element: element, counts: counts) }

    package static func nullable<Wrapped>(_ wrapped: Wrapped) -> Self where Self == NullableFormat<Wrapped> {
        NullableFormat(wrapped: wrapped)
    }

    package static func object<Value>() -> Self where Self == ObjectFormat<Value> { ObjectFormat(isPayload: false) }

    package static func payload<Value>() -> Self where Self == ObjectFormat<Value> { ObjectFormat(isPayload: true) }

    package static func array<Value>() -> Self where Self == ArrayFormat<Value> { ArrayFormat() }
}
