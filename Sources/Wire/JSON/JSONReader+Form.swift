// SPDX-License-Identifier: Apache-2.0

import Session

/// Reads the fields of an object.
///
/// Nearly every object has its fields in the order in which they are written, so a payload is first read in one pass. If
/// anything is left over or wrong, a second try looks each field up in an index of its object.
///
/// The functions that depend on a field's format are small, since the program has a copy of them for each format.
extension JSONReader: Form {
    package typealias Failure = Rejection

    /// The way to the values of the present object.
    enum Lookup {
        /// The field is next, or absent.
        case inOrder
        /// The positions of all values; of a key that occurs twice the last value counts.
        case indexed([(key: String, position: Int)], end: Int)
        /// The object is an array of the values alone.
        case array
    }

    /// The object around the present one.
    struct Outer {
        var lookup: Lookup
        var items: Items
    }

    /// Reads an object that is all of `bytes`, whatever the order of its fields. Unknown fields are skipped.
    static func read<Object: Described>(_ bytes: [UInt8], from blank: Object) throws(Rejection) -> Object {
        var reader = JSONReader(bytes)
        do throws(Rejection) {
            return try reader.whole(from: blank)
        } catch {
            reader = JSONReader(bytes, isIndexed: true)
            return try reader.whole(from: blank)
        }
    }

    private mutating func whole<Object: Described>(from blank: Object) throws(Rejection) -> Object {
        let value = try fields(from: blank, isPayload: true)
        try end()
        return value
    }

    // MARK: Objects

    /// Reads an object, and checks whether its fields fit each other.
    mutating func object<Object: Described>(isPayload: Bool) throws(Rejection) -> Object {
        let value = try fields(from: Object.blank, isPayload: isPayload)
        try value.checkFields()
        return value
    }

    private mutating func fields<Object: Described>(
        from blank: Object, isPayload: Bool
    ) throws(Rejection) -> Object {
        let outer = try beginFields()
        if isPayload { try checkVersion() }
        var value = blank
        try value.describe(to: &self)
        try endFields(in: outer)
        return value
    }

    /// Reads an array of an object's values.
    mutating func values<Object: Described>() throws(Rejection) -> Object {
        let outer = try beginValues()
        var value = Object.blank
        try value.describe(to: &self)
        try endFields(in: outer)
        try value.checkFields()
        return value
    }

    private mutating func beginFields() throws(Rejection) -> Outer {
        let outer = Outer(lookup: lookup, items: items)
        if isIndexed { lookup = try index() } else { (lookup, items) = (.inOrder, try object()) }
        return outer
    }

    private mutating func beginValues() throws(Rejection) -> Outer {
        let outer = Outer(lookup: lookup, items: items)
        (lookup, items) = (.array, try array())
        return outer
    }

    private mutating func endFields(in outer: Outer) throws(Rejection) {
        switch lookup {
        case .inOrder:
            guard try !nextItem(isField: true) else {
                throw Rejection(.malformed, "the object has more fields, or another order")
            }
        case .indexed(_, let end): position = end
        case .array:
            guard try !nextItem(isField: false) else {
                throw Rejection(.malformed, "the array goes on behind its fields")
            }
        }
        (lookup, items) = (outer.lookup, outer.items)
    }

    private mutating func nextItem(isField: Bool) throws(Rejection) -> Bool {
        var items = items
        defer { self.items = items }
        return isField ? try field(&items) : try element(&items)
    }

    /// Finds all values of the object that is next.
    private mutating func index() throws(Rejection) -> Lookup {
        var entries: [(key: String, position: Int)] = []
        var items = try object()
        while try field(&items) {
            entries.append((try key(), position))
            try skip()
        }
        return .indexed(entries, end: position)
    }

    private mutating func checkVersion() throws(Rejection) {
        let key = ProtocolVersion.key
        try ProtocolVersion.check(find(key) ? value(of: key, .whole()) : nil)
    }

    // MARK: Fields

    /// Goes to the value of a field, and returns whether there is one. `null` means absence.
    private mutating func find(_ key: StaticString) throws(Rejection) -> Bool {
        switch lookup {
        case .inOrder: guard skip(key: key) else { return false }
        case .array:
            guard try nextItem(isField: false) else { throw Rejection(.malformed, "the array ends before \(key)") }
        case .indexed(let entries, _):
            let key = "\(key)"
            guard let entry = entries.last(where: { $0.key == key }) else { return false }
            position = entry.position
        }
        return try !null()
    }

    /// Reads the value that ``find(_:)`` has found. Earlier values of a repeated key must be valid too.
    private mutating func value<F: Format>(of key: StaticString, _ format: F) throws(Rejection) -> F.Value {
        let last = position
        do throws(Rejection) {
            for earlier in earlierValues(of: key) {
                position = earlier
                if try !null() { _ = try format.read(&self) }
            }
            position = last
            return try format.read(&self)
        } catch {
            throw error.within(key)
        }
    }

    /// The positions of the values of a repeated key, without the last one.
    private func earlierValues(of key: StaticString) -> [Int] {
        guard case .indexed(let entries, _) = lookup else { return [] }
        let key = "\(key)"
        return entries.filter { $0.key == key }.dropLast().map(\.position)
    }

    package mutating func field<F: Format>(
        _ key: StaticString, _ value: inout F.Value, _ format: F
    ) throws(Rejection) {
        guard try find(key) else { throw Rejection(missing: format.name).within(key) }
        value = try self.value(of: key, format)
    }

    package mutating func field<F: Format>(
        _ key: StaticString, optional value: inout F.Value?, _ format: F
    ) throws(Rejection) {
        value = try find(key) ? self.value(of: key, format) : nil
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
        guard try ahead.find(first) else { return part = nil }
        var present = part ?? Part.blank
        try present.describe(to: &self)
        part = present
    }
}
