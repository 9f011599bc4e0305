// SPDX-License-Identifier: Apache-2.0

import Session

/// Reads the fields of an object.
///
/// Nearly every object has its fields in the order in which they are written, so the first try reads them in one pass. If
/// anything is left over or wrong, a second try looks each field up in an index of the object.
extension JSONReader: Form {
    package typealias Failure = Rejection

    /// The way to the value of a field.
    enum Lookup {
        /// The field is next, or absent.
        case inOrder
        /// The positions of all values; of a key that occurs twice the last value counts.
        case indexed([(key: String, position: Int)])
        /// The object is an array of the values alone.
        case array
    }

    // MARK: Objects

    /// Reads an object. Unknown fields are skipped.
    mutating func object<Object: Described>(from blank: Object, isPayload: Bool) throws(Rejection) -> Object {
        let value = try fields(from: blank, isPayload: isPayload)
        try value.checkFields()
        return value
    }

    /// Reads the fields of an object, without a check whether they fit each other.
    mutating func fields<Object: Described>(from blank: Object, isPayload: Bool) throws(Rejection) -> Object {
        let outer = (lookup, items)
        defer { (lookup, items) = outer }
        let start = (position, depth)
        if let value = try? inOrder(from: blank, isPayload: isPayload) { return value }
        (position, depth) = start
        let (entries, end) = try index()
        lookup = .indexed(entries)
        var value = blank
        try read(&value, isPayload: isPayload)
        position = end
        return value
    }

    /// Reads an object whose fields are in order; `nil` if it has others too.
    private mutating func inOrder<Object: Described>(from blank: Object, isPayload: Bool) throws(Rejection) -> Object? {
        items = try object()
        lookup = .inOrder
        var value = blank
        try read(&value, isPayload: isPayload)
        var items = items
        return try field(&items) ? nil : value
    }

    /// Reads an array of an object's values.
    mutating func values<Object: Described>() throws(Rejection) -> Object {
        let outer = (lookup, items)
        defer { (lookup, items) = outer }
        items = try array()
        lookup = .array
        var value = Object.blank
        try value.describe(to: &self)
        guard try !nextElement() else { throw Rejection(.malformed, "the array goes on behind its fields") }
        try value.checkFields()
        return value
    }

    private mutating func read<Object: Described>(_ value: inout Object, isPayload: Bool) throws(Rejection) {
        if isPayload { try ProtocolVersion.check(optional(ProtocolVersion.key, .whole())) }
        try value.describe(to: &self)
    }

    /// Finds all values of the object that is next.
    private mutating func index() throws(Rejection) -> ([(key: String, position: Int)], end: Int) {
        var entries: [(key: String, position: Int)] = []
        var items = try object()
        while try field(&items) {
            entries.append((try key(), position))
            try skip()
        }
        return (entries, position)
    }

    // MARK: Fields

    /// Goes to the value of a field, and returns whether there is one.
    private mutating func find(_ key: StaticString) throws(Rejection) -> Bool {
        switch lookup {
        case .inOrder: return skip(key: key)
        case .array:
            guard try nextElement() else { throw Rejection(.malformed, "the array ends before \(key)") }
            return true
        case .indexed(let entries):
            let key = "\(key)"
            guard let entry = entries.last(where: { $0.key == key }) else { return false }
            position = entry.position
            return true
        }
    }

    private mutating func nextElement() throws(Rejection) -> Bool {
        var items = items
        defer { self.items = items }
        return try element(&items)
    }

    /// Reads the value of a field; `nil` means absence and may be written as `null`.
    private mutating func optional<F: Format>(_ key: StaticString, _ format: F) throws(Rejection) -> F.Value? {
        guard case .indexed(let entries) = lookup else { return try find(key) ? value(key, format) : nil }
        // The last one counts, and all must be valid.
        let name = "\(key)"
        var last: F.Value?
        for entry in entries where entry.key == name {
            position = entry.position
            last = try value(key, format)
        }
        return last
    }

    private mutating func value<F: Format>(_ key: StaticString, _ format: F) throws(Rejection) -> F.Value? {
        do throws(Rejection) {
            return try null() ? nil : format.read(&self)
        } catch {
            throw error.within("\(key)")
        }
    }

    package mutating func field<F: Format>(
        _ key: StaticString, _ value: inout F.Value, _ format: F
    ) throws(Rejection) {
        guard let found = try optional(key, format) else {
            throw Rejection(.malformed, "missing: write a value of type \(format.name)").within("\(key)")
        }
        value = found
    }

    package mutating func field<F: Format>(
        _ key: StaticString, optional value: inout F.Value?, _ format: F
    ) throws(Rejection) {
        value = try optional(key, format)
    }

    package mutating func field<F: Format>(
        _ key: StaticString, _ value: inout F.Value, _ format: F, unless standard: F.Value
    ) throws(Rejection) where F.Value: Equatable {
        value = try optional(key, format) ?? standard
    }

    package mutating func field<F: Format>(
        _ key: StaticString, _ value: inout F.Value, _ format: F, absent implied: @autoclosure () -> F.Value
    ) throws(Rejection) {
        value = try optional(key, format) ?? implied()
    }

    package mutating func field<F: Format>(
        _ key: StaticString, written value: @autoclosure () -> F.Value?, _ format: F
    ) throws(Rejection) {
        if try find(key) { try skip() }
    }

    package mutating func field(_ key: StaticString, kind: String) throws(Rejection) {
        if try find(key) { try skip() }
    }

    package mutating func fields<Part: Described>(
        of part: inout Part?, decidedBy first: StaticString
    ) throws(Rejection) {
        var ahead = self
        guard try ahead.find(first), try !ahead.null() else { return part = nil }
        var present = part ?? Part.blank
        try present.describe(to: &self)
        part = present
    }
}
