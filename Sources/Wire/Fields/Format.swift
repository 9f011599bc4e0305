// SPDX-License-Identifier: Apache-2.0

package import Session

/// The format of a value: its name in Protocol.md, its bounds, and how it is read and written.
package struct Format<Value>: Sendable {
    /// The type's name in Protocol.md, bounds included.
    let name: String
    let read: @Sendable (inout JSONReader) throws(Rejection) -> Value
    let write: @Sendable (Value, inout JSONWriter) -> Void
    /// The tables of the objects and arrays within it.
    var tables: [FieldTable] = []
}

// MARK: Numbers

extension Format where Value == Bool {
    package static let bool = Format(name: "bool") { reader throws(Rejection) in
        try reader.bool()
    } write: {
        $1.value($0)
    }
}

extension Format where Value: FixedWidthInteger & Sendable {
    /// A whole number of at most 64 bits.
    package static var whole: Format { whole(.min ... .max, "whole number") }

    /// A whole number within bounds.
    /// - Parameter name: The name of the bounds in Protocol.md; `nil` for their numbers.
    package static func whole(_ range: ClosedRange<Value>, _ name: String? = nil) -> Format {
        let bounds = "\(grouped(range.lowerBound)) to \(grouped(range.upperBound))"
        return Format(name: name ?? bounds) { reader throws(Rejection) in
            let number = try reader.integer()
            guard let value = Value(exactly: number), range.contains(value) else {
                throw Rejection(.outOfBounds, "\(number) is not within \(bounds)")
            }
            return value
        } write: {
            $1.value(Int64($0))
        }
    }
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

extension Format where Value == Int64 {
    /// Group time in milliseconds since 1970.
    static let time = whole(Limits.time, "time")
    /// A boot clock or an error bound in milliseconds.
    static let reading = whole(Limits.reading, "reading")
}

extension Format where Value == Int {
    static let counter = whole(Limits.counter, "counter")
    static let percent = whole(0...100)

    /// A level, the only number that may have a fraction; it is stored in tenths.
    static let decibels = Format(name: "decibels") { reader throws(Rejection) in
        let level = try reader.number()
        // Compared before the conversion, which traps beyond the range of whole numbers.
        guard abs(level) <= SoundLevel.limit else {
            throw Rejection(.outOfBounds, "\(level) is not within ±\(SoundLevel.limit) decibels")
        }
        return Int((level * 10).rounded())
    } write: {
        $1.raw(($0 < 0 ? "-" : "") + "\($0.magnitude / 10).\($0.magnitude % 10)")
    }
}

// MARK: Strings

extension Format {
    /// A string that stands for a value.
    /// - Parameter value: Returns the value of a string; `nil` for an invalid string.
    fileprivate static func string(
        _ name: String, _ text: @escaping @Sendable (Value) -> String, _ value: @escaping @Sendable (String) -> Value?
    ) -> Format {
        Format(name: name) { reader throws(Rejection) in
            let text = try reader.string()
            guard let value = value(text) else { throw Rejection(.outOfBounds, "“\(text.prefix(80))” is no \(name)") }
            return value
        } write: {
            $1.value(text($0))
        }
    }

    /// An opaque id.
    static func id<Kind>() -> Format where Value == Token<Kind> {
        string("id", { $0.rawValue }, { Token<Kind>($0) })
    }
}

extension Format where Value == NodeID {
    package static let node = string("node", { $0.rawValue }, { NodeID($0) })
}

extension Format where Value == CivilDate {
    /// A day of the calendar, as `2026-12-28`.
    static let date = string("date", { $0.description }, { CivilDate($0) })
}

extension Format where Value == String {
    /// Text of 1 to `bytes` bytes that may reach a screen.
    static func text(_ bytes: Int) -> Format {
        string("text(\(bytes))", { $0 }, { CleanText.accepts($0, bytes: bytes) ? $0 : nil })
    }

    /// The same text, or an empty string.
    static func textOrEmpty(_ bytes: Int) -> Format {
        string("text(\(bytes)) or empty", { $0 }, { $0.isEmpty || CleanText.accepts($0, bytes: bytes) ? $0 : nil })
    }

    /// Any string.
    package static let string = string("string", { $0 }, { $0 })
}

extension Format where Value: RawRepresentable<String> & CaseIterable & Sendable {
    /// A word of a closed set.
    static var word: Format {
        let words = Value.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ")
        return string(words, { $0.rawValue }, { Value(rawValue: $0) })
    }
}

// MARK: Several

extension Format {
    /// A JSON array of values of one format.
    package static func list<Element>(of element: Format<Element>, _ counts: ClosedRange<Int>) -> Format
    where Value == [Element] {
        let count = (counts.lowerBound == 0 ? "at most " : "\(counts.lowerBound) to ") + grouped(counts.upperBound)
        return Format(name: "\(count) of \(element.name)") { reader throws(Rejection) in
            var values: [Element] = []
            var items = try reader.array()
            while try reader.element(&items) { values.append(try element.read(&reader)) }
            guard counts.contains(values.count) else {
                throw Rejection(.outOfBounds, "\(values.count) are not \(count)")
            }
            return values
        } write: { values, writer in
            writer.array { for value in values { element.write(value, &$0) } }
        }.with(element.tables)
    }

    /// A value, or `null`.
    static func nullable<Wrapped>(_ format: Format<Wrapped>) -> Format where Value == Wrapped? {
        Format(name: "\(format.name) or `null`") { reader throws(Rejection) in
            try reader.null() ? nil : format.read(&reader)
        } write: { value, writer in
            if let value { format.write(value, &writer) } else { writer.null() }
        }.with(format.tables)
    }

    fileprivate func with(_ tables: [FieldTable]) -> Format {
        var format = self
        format.tables = tables
        return format
    }
}

extension Format where Value: Sendable {
    /// An object.
    package static func object(_ fields: Fields<Value>) -> Format {
        Format(name: fields.name) { reader throws(Rejection) in
            try fields.read(&reader)
        } write: {
            fields.write($0, to: &$1)
        }.with(fields.tables)
    }

    /// An object that could be a payload of its own: with a version.
    package static func payload(_ fields: Fields<Value>) -> Format {
        Format(name: fields.name) { reader throws(Rejection) in
            try fields.read(&reader, isPayload: true)
        } write: {
            fields.write($0, to: &$1, isPayload: true)
        }.with(fields.tables)
    }

    /// An array of the fields' values, without their keys.
    static func array(_ fields: Fields<Value>) -> Format {
        Format(name: "`[\(fields.list.map(\.row.key).joined(separator: ", "))]`") { reader throws(Rejection) in
            try fields.readArray(&reader)
        } write: {
            fields.writeArray($0, to: &$1)
        }.with(fields.tables)
    }
}
