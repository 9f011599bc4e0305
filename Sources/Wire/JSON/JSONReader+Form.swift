// SPDX-License-Identifier: Apache-2.0

import Session

/// Reads the fields of an object.
///
/// Each field is looked up behind the one before it, where it is in the order in which objects are written, and then from
/// the first one.
extension JSONReader: Form {
    package typealias Failure = Rejection

    /// The fields of an object, or the elements of an array of an object's values, as slots.
    struct Fields {
        var first = 0
        var end = 0
        /// The slot behind the last field that was found.
        var next = 0
        var haveKeys = true
        /// Whether a key may occur twice.
        var mayRepeat = false
    }

    // MARK: Objects

    /// Reads an object, and checks whether its fields fit each other. Unknown fields are skipped.
    mutating func object<Object: Described>(isPayload: Bool) throws(Rejection) -> Object {
        let value = try object(into: Object.blank, isPayload: isPayload)
        try value.checkFields()
        return value
    }

    /// Reads the fields of an object into `blank`.
    mutating func object<Object: Described>(into blank: Object, isPayload: Bool) throws(Rejection) -> Object {
        try expect(.object, "an object")
        let outer = enterFields(haveKeys: true)
        if isPayload { try checkVersion() }
        var value = blank
        try value.describe(to: &self)
        fields = outer
        return value
    }

    /// Reads an array of an object's values.
    mutating func values<Object: Described>() throws(Rejection) -> Object {
        try expect(.array, "an array")
        let outer = enterFields(haveKeys: false)
        var value = Object.blank
        try value.describe(to: &self)
        guard fields.next == fields.end else { throw Rejection(.malformed, "the array goes on behind its fields") }
        fields = outer
        try value.checkFields()
        return value
    }

    /// Makes the values within the present one the fields that are read.
    /// - Returns: The fields of the object around it.
    private mutating func enterFields(haveKeys: Bool) -> Fields {
        let (outer, slot) = (fields, slots[present])
        fields = Fields(
            first: present + 1, end: Int(slot.next), next: present + 1, haveKeys: haveKeys,
            mayRepeat: slot.mayRepeatKeys)
        return outer
    }

    /// Throws unless the version is the one that this program reads.
    private mutating func checkVersion() throws(Rejection) {
        guard try find(ProtocolVersion.key) else { throw ProtocolVersion.missing }
        do throws(Rejection) {
            try ProtocolVersion.check(try integer())
        } catch {
            throw error.reason == .outOfBounds ? ProtocolVersion.veryLarge : error
        }
        _ = try value(of: ProtocolVersion.key, .whole() as NumberFormat<Int64>)
    }

    // MARK: Fields

    /// Goes to the last value of a key, and returns whether there is one; `null` means absence.
    private mutating func find(_ key: StaticString) throws(Rejection) -> Bool {
        if !earlier.isEmpty { earlier = [] }
        if !fields.haveKeys {
            guard fields.next < fields.end else { throw Rejection(.malformed, "the array ends before \(key)") }
            present = fields.next
        } else if fields.mayRepeat {
            earlier = all(key)
            guard let last = earlier.popLast() else { return false }
            present = last
        } else {
            guard
                let found = first(key, from: fields.next, to: fields.end)
                    ?? first(key, from: fields.first, to: fields.next)
            else { return false }
            present = found
        }
        fields.next = Int(slots[present].next)
        return !isNull
    }

    private func first(_ key: StaticString, from first: Int, to end: Int) -> Int? {
        var slot = first
        while slot < end {
            if has(key, slot) { return slot }
            slot = Int(slots[slot].next)
        }
        return nil
    }

    private func has(_ key: StaticString, _ slot: Int) -> Bool {
        let own = slots[slot].key
        guard Int(own.count) == key.utf8CodeUnitCount else { return false }
        let text = bytes.span.extracting(own.range)
        for index in text.indices where text[index] != key.utf8Start[index] { return false }
        return true
    }

    /// Finds all values of a key.
    private func all(_ key: StaticString) -> [Int] {
        var all: [Int] = []
        while let found = first(key, from: all.last.map { Int(slots[$0].next) } ?? fields.first, to: fields.end) {
            all.append(found)
        }
        return all
    }

    /// Reads the value that ``find(_:)`` has found. Earlier values of a repeated key must be valid too.
    private mutating func value<F: Format>(of key: StaticString, _ format: F) throws(Rejection) -> F.Value {
        do throws(Rejection) {
            if !earlier.isEmpty { try readEarlier(format) }
            return try format.read(&self)
        } catch {
            throw error.within(key)
        }
    }

    private mutating func readEarlier<F: Format>(_ format: F) throws(Rejection) {
        let (last, values) = (present, earlier)
        earlier = []
        for slot in values {
            present = slot
            if !isNull { _ = try format.read(&self) }
        }
        present = last
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
        _ = try find(key)
    }

    package mutating func field(_ key: StaticString, kind: String) throws(Rejection) { _ = try find(key) }

    package mutating func fields<Part: Described>(
        of part: inout Part?, decidedBy first: StaticString
    ) throws(Rejection) {
        let next = fields.next
        guard try find(first) else { return part = nil }
        fields.next = next
        var present = part ?? Part.blank
        try present.describe(to: &self)
        part = present
    }
}
