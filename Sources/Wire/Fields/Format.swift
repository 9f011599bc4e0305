// SPDX-License-Identifier: Apache-2.0

package import Session

/// The format of a value: its bounds, and its kind of JSON value.
package protocol Format<Value>: Sendable {
    associatedtype Value

    /// Hands the value to the coder's function for its kind.
    func pass<F: FieldCoder & ~Copyable>(
        _ key: StaticString, _ value: inout Value?, _ need: Need, to coder: inout F
    ) throws(F.Failure)
}

// MARK: Numbers and flags

/// The bounds of a whole number.
package struct Whole: Sendable {
    package let range: ClosedRange<Int64>
    /// The name of the bounds in Protocol.md; `nil` for their numbers.
    var word: String?
    /// Whether it counts tenths of a number that may have a fraction.
    package var isTenths = false

    static let any = Whole(range: .min ... .max, word: "whole number")

    /// Whether any number of 64 bits is allowed.
    package var isAny: Bool { range == Self.any.range }

    var name: String { word ?? bounds }
    var bounds: String {
        isTenths ? "±\(range.upperBound / 10) decibels" : "\(grouped(range.lowerBound)) to \(grouped(range.upperBound))"
    }
}

/// A value that is a whole number: a count, or the milliseconds of a time or a duration.
package protocol WholeValue: Comparable, Sendable {
    init(_ whole: Int64)
    var whole: Int64 { get }
}

extension Int: WholeValue {
    package var whole: Int64 { Int64(self) }
}

extension Int64: WholeValue {
    package var whole: Int64 { self }
}

extension Milliseconds: WholeValue {
    package var whole: Int64 { count }
}

extension Time: WholeValue {
    package var whole: Int64 { milliseconds }
}

/// A whole number within a range.
package struct WholeFormat<Value: WholeValue>: Format {
    let whole: Whole

    init(_ whole: Whole) { self.whole = whole }

    init(_ range: ClosedRange<Value>, word: String? = nil) {
        whole = Whole(range: range.lowerBound.whole...range.upperBound.whole, word: word)
    }

    package func pass<F: FieldCoder & ~Copyable>(
        _ key: StaticString, _ value: inout Value?, _ need: Need, to coder: inout F
    ) throws(F.Failure) {
        var number = value.map(\.whole)
        try coder.whole(key, &number, whole, need)
        value = number.map { Value($0) }
    }
}

/// Formats a number for people, as `−1,234,567`.
func grouped(_ number: Int64) -> String {
    var text = ""
    for (index, digit) in String(number.magnitude).reversed().enumerated() {
        if index > 0, index.isMultiple(of: 3) { text.append(",") }
        text.append(digit)
    }
    return (number < 0 ? "−" : "") + String(text.reversed())
}

/// `true` or `false`.
package struct BoolFormat: Format {
    package typealias Value = Bool

    package func pass<F: FieldCoder & ~Copyable>(
        _ key: StaticString, _ value: inout Bool?, _ need: Need, to coder: inout F
    ) throws(F.Failure) { try coder.flag(key, &value, need) }
}

extension Format {
    package static func whole<Value>(_ range: ClosedRange<Value>) -> Self where Self == WholeFormat<Value> {
        WholeFormat(range)
    }

    /// A whole number of at most 64 bits.
    package static func whole<Value>() -> Self where Self == WholeFormat<Value> { WholeFormat(.any) }
}

extension Format where Self == WholeFormat<GroupTime> {
    package static var time: Self { WholeFormat(Limits.time, word: "time") }
}

extension Format where Self == WholeFormat<WallTime> {
    package static var wall: Self { WholeFormat(Limits.wall, word: "time") }
}

extension Format where Self == WholeFormat<BootTime> {
    package static var reading: Self { WholeFormat(Limits.reading, word: "reading") }
}

extension Format where Self == WholeFormat<Milliseconds> {
    package static var bound: Self { WholeFormat(Limits.bound, word: "reading") }
}

extension Format where Self == WholeFormat<Int> {
    package static var counter: Self { WholeFormat(Limits.counter, word: "counter") }
    package static var percent: Self { .whole(0...100) }
    /// A level in tenths of a decibel, written in decibels: the only number that may have a fraction.
    package static var decibels: Self {
        let limit = Int64(10 * SoundLevel.limit)
        return WholeFormat(Whole(range: -limit...limit, word: "decibels", isTenths: true))
    }
}

extension Format where Self == BoolFormat {
    package static var bool: Self { BoolFormat() }
}

// MARK: Strings

/// A string that stands for a value.
package protocol TextFormat: Format {
    associatedtype Value

    /// The type's name in Protocol.md, bounds included.
    var name: String { get }
    /// The value for whatever is invalid; `nil` if that is an error.
    var substitute: Value? { get }
    /// The rest of an error about an invalid string, such as “must be one of …”. `nil` if the name of the format says
    /// it.
    var rule: String? { get }
    /// All valid strings; empty if they are no closed set.
    var words: [String] { get }
    /// A regular expression that valid strings match.
    var pattern: String? { get }
    /// The bounds of the string's length.
    var bytes: ClosedRange<Int>? { get }

    /// Returns the value of a string in UTF-8; `nil` for an invalid string.
    func value(of text: Span<UInt8>) -> Value?
    func write(_ value: Value, to writer: inout JSONWriter)
}

extension TextFormat {
    package var substitute: Value? { nil }
    package var rule: String? { words.isEmpty ? nil : "must be one of \(words.joined(separator: ", "))" }
    package var words: [String] { [] }
    package var pattern: String? { nil }
    package var bytes: ClosedRange<Int>? { nil }

    package func pass<F: FieldCoder & ~Copyable>(
        _ key: StaticString, _ value: inout Value?, _ need: Need, to coder: inout F
    ) throws(F.Failure) { try coder.text(key, &value, self, need) }
}

extension String {
    /// Creates a string of bytes that were checked to be UTF-8.
    package init(validated bytes: Span<UInt8>) { self.init(copying: unsafe UTF8Span(unchecked: bytes)) }
}

/// An id of 1 to 36 characters.
package struct TokenFormat<Kind>: TextFormat {
    package var name: String { "id" }
    package var rule: String? { "must be 1 to 36 letters, digits, “-” and “_”" }
    package var pattern: String? { "^[A-Za-z0-9_-]{1,36}$" }
    package func value(of text: Span<UInt8>) -> Token<Kind>? { Token(utf8: text) }
    package func write(_ value: Token<Kind>, to writer: inout JSONWriter) { value.withUTF8 { writer.plain($0) } }
}

/// The id of a node.
package struct NodeFormat: TextFormat {
    package var name: String { "node" }
    package var pattern: String? { "^[a-z0-9][a-z0-9-]{0,31}$" }
    package func value(of text: Span<UInt8>) -> NodeID? { NodeID(utf8: text) }
    package func write(_ value: NodeID, to writer: inout JSONWriter) { value.withUTF8 { writer.plain($0) } }
}

/// A day of the calendar, as `2026-12-28`.
package struct DateFormat: TextFormat {
    package var name: String { "date" }
    package var pattern: String? { "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$" }
    package func value(of text: Span<UInt8>) -> CivilDate? { CivilDate(String(validated: text)) }
    package func write(_ value: CivilDate, to writer: inout JSONWriter) { writer.value(value.description) }
}

/// A colour; any other value reads as grey, since a label is never refused for its colour.
package struct ColourFormat: TextFormat {
    package var name: String { "colour" }
    package var substitute: Colour? { .grey }
    package func value(of text: Span<UInt8>) -> Colour? { Colour(hex: String(validated: text)) }
    package func write(_ value: Colour, to writer: inout JSONWriter) { writer.value(value.description) }
}

/// A string: any, or clean text that may reach a screen.
package struct StringFormat: TextFormat {
    /// The bytes of clean text; `nil` for any string.
    package let bytes: ClosedRange<Int>?

    package var name: String {
        guard let bytes else { return "string" }
        return "text(\(bytes.upperBound))" + (bytes.lowerBound == 0 ? " or empty" : "")
    }

    package var rule: String? {
        bytes.map { "must be \($0.lowerBound) to \($0.upperBound) bytes of text without control characters" }
    }

    package func value(of text: Span<UInt8>) -> String? {
        let string = String(validated: text)
        guard let bytes, text.count > 0 || bytes.lowerBound > 0 else { return string }
        return CleanText.accepts(string, bytes: bytes.upperBound) ? string : nil
    }

    package func write(_ value: String, to writer: inout JSONWriter) { writer.value(value) }
}

/// The name of an object's kind, which is always the same.
struct KindFormat: TextFormat {
    let kind: String

    var name: String { "`\(kind)`" }
    func value(of text: Span<UInt8>) -> String? { kind }
    func write(_ value: String, to writer: inout JSONWriter) { writer.value(value) }
}

/// A word of a closed set.
package struct WordFormat<Value: RawRepresentable<String> & CaseIterable>: TextFormat {
    package var name: String { words.map { "`\($0)`" }.joined(separator: ", ") }
    package var words: [String] { Value.allCases.map(\.rawValue) }
    package func value(of text: Span<UInt8>) -> Value? {
        // To compare bytes is faster than to make a string of the text.
        for word in Value.allCases where word.rawValue.utf8.count == text.count {
            let other = word.rawValue.utf8.span
            if text.indices.allSatisfy({ text[$0] == other[$0] }) { return word }
        }
        return nil
    }

    package func write(_ value: Value, to writer: inout JSONWriter) { writer.value(value.rawValue) }
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

extension Format where Self == ColourFormat {
    package static var colour: Self { ColourFormat() }
}

extension Format where Self == StringFormat {
    package static var string: Self { StringFormat(bytes: nil) }

    /// Clean text of 1 to `bytes` bytes.
    package static func text(_ bytes: Int) -> Self { StringFormat(bytes: 1...bytes) }
    /// Clean text of at most `bytes` bytes, which may be empty.
    package static func textOrEmpty(_ bytes: Int) -> Self { StringFormat(bytes: 0...bytes) }
}

// MARK: Several

/// The form of an object in JSON.
package enum Shape {
    case object
    /// An object that could be a payload of its own: with a version.
    case payload
    /// An array of the object's values, without their keys.
    case values

    func name<Object: Described>(of type: Object.Type) -> String {
        guard self == .values else { return Object.objectName }
        return "`[\(Object.tables.first?.rows.map(\.key).joined(separator: ", ") ?? "")]`"
    }
}

/// An object with described fields.
package struct ObjectFormat<Value: Described>: Format {
    let shape: Shape

    package func pass<F: FieldCoder & ~Copyable>(
        _ key: StaticString, _ value: inout Value?, _ need: Need, to coder: inout F
    ) throws(F.Failure) { try coder.object(key, &value, shape, need) }
}

/// The bounds of the number of elements of a list.
package struct Counts: Sendable {
    package let range: ClosedRange<Int>

    var name: String {
        (range.lowerBound == 0 ? "at most " : "\(range.lowerBound) to ") + grouped(Int64(range.upperBound))
    }
}

/// A JSON array of values of one format.
package struct ListFormat<Element: Format>: Format {
    let element: Element
    let counts: Counts

    package func pass<F: FieldCoder & ~Copyable>(
        _ key: StaticString, _ value: inout [Element.Value]?, _ need: Need, to coder: inout F
    ) throws(F.Failure) { try coder.list(key, &value, of: element, counts, need) }
}

/// An element of a list that may be `null`.
package struct NullableFormat<Wrapped: Format>: Format {
    let wrapped: Wrapped

    package func pass<F: FieldCoder & ~Copyable>(
        _ key: StaticString, _ value: inout Wrapped.Value??, _ need: Need, to coder: inout F
    ) throws(F.Failure) {
        var inner = value ?? nil
        try wrapped.pass(key, &inner, .optional, to: &coder)
        value = .some(inner)
    }
}

extension Format {
    package static func list<Element>(of element: Element, _ counts: ClosedRange<Int>) -> Self
    where Self == ListFormat<Element> { ListFormat(element: element, counts: Counts(range: counts)) }

    package static func nullable<Wrapped>(_ wrapped: Wrapped) -> Self where Self == NullableFormat<Wrapped> {
        NullableFormat(wrapped: wrapped)
    }

    package static func object<Value>() -> Self where Self == ObjectFormat<Value> { ObjectFormat(shape: .object) }
    package static func payload<Value>() -> Self where Self == ObjectFormat<Value> { ObjectFormat(shape: .payload) }
    package static func array<Value>() -> Self where Self == ObjectFormat<Value> { ObjectFormat(shape: .values) }
}
