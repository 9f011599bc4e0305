// SPDX-License-Identifier: Apache-2.0

import Session

/// A strict reader of a scanned JSON text: each field is looked up among the slots of its object. Numbers are whole,
/// without fraction and exponent, except decibels, and in requests. Of a key that occurs twice the last value counts;
/// the earlier must be valid.
package struct JSONReader: FieldCoder {
    package typealias Failure = PayloadError

    /// The text, and after it the strings that have escapes in it, resolved.
    private let bytes: [UInt8]
    private let slots: [JSONSlot]
    private let sender: NodeID?
    /// Whether unknown fields are refused, and whole numbers may be written as `60.0`.
    var isRequest = false
    /// The index of the slot that is being read.
    private var slotIndex = 0
    /// The values within the present object or array: at first the outermost value alone.
    private var items: Items

    /// The values of an object or a list that is being read.
    private struct Items {
        var first: Int
        var end: Int
        /// The value after the last one that was found.
        var next: Int
        var haveKeys: Bool
        var mayRepeatKeys: Bool
    }

    /// Scans a text of one value. `sender` must be the author of a payload; `nil` for any.
    init(_ bytes: [UInt8], by sender: NodeID? = nil) throws(PayloadError) {
        let scanner = try JSONScanner(bytes)
        self.sender = sender
        self.bytes = scanner.resolved.isEmpty ? bytes : bytes + scanner.resolved
        slots = scanner.slots
        items = Items(first: 0, end: slots.count, next: 0, haveKeys: false, mayRepeatKeys: false)
    }

    /// Reads the whole text as one value. `blank` is the initial one of an object, if it depends on the time.
    func value<F: Format>(_ format: F, from blank: F.Value? = nil) throws(PayloadError) -> F.Value {
        var (reader, value) = (self, blank)
        try format.pass("", &value, .required, to: &reader)
        guard let value else { throw Self.fault("is missing") }
        return value
    }

    // MARK: Fields

    package mutating func whole(
        _ key: StaticString, _ value: inout Int64?, _ format: Whole, _ need: Need
    ) throws(PayloadError) {
        let isPresent = try read(key, need) { reader throws(PayloadError) in
            value = try format.isTenths ? reader.tenths(format) : reader.whole(format)
        }
        if !isPresent { value = nil }
    }

    package mutating func flag(_ key: StaticString, _ value: inout Bool?, _ need: Need) throws(PayloadError) {
        let isPresent = try read(key, need) { reader throws(PayloadError) in
            switch reader.slot.kind {
            case .yes: value = true
            case .no: value = false
            default: throw Self.fault("must be true or false")
            }
        }
        if !isPresent { value = nil }
    }

    package mutating func text<Text: TextFormat>(
        _ key: StaticString, _ value: inout Text.Value?, _ format: Text, _ need: Need
    ) throws(PayloadError) {
        let isPresent = try read(key, need) { reader throws(PayloadError) in
            let isString = reader.slot.kind == .string
            let text = reader.bytes.span.extracting(isString ? reader.slot.text.range : 0..<0)
            value = (isString ? format.value(of: text) : nil) ?? format.substitute
            guard value == nil else { return }
            guard isString else { throw Self.fault("must be a text") }
            throw PayloadError(
                .outOfBounds, format.rule ?? "“\(String(validated: text).prefix(80))” is not a valid \(format.name)")
        }
        if !isPresent { value = nil }
    }

    package mutating func object<Object: Described>(
        _ key: StaticString, _ value: inout Object?, _ shape: Shape, _ need: Need
    ) throws(PayloadError) {
        let isPresent = try read(key, need) { reader throws(PayloadError) in
            let outer = try reader.enter(shape == .values ? .array : .object)
            if shape == .payload { try reader.checkVersion() }
            if reader.isRequest { try reader.checkKeys(of: Object.self) }
            var object = value ?? Object.blank
            try object.describe(to: &reader)
            try reader.check(object)
            reader.items = outer
            value = object
        }
        if !isPresent { value = nil }
    }

    package mutating func list<Element: Format>(
        _ key: StaticString, _ values: inout [Element.Value]?, of element: Element, _ counts: Counts, _ need: Need
    ) throws(PayloadError) {
        let isPresent = try read(key, need) { reader throws(PayloadError) in
            let outer = try reader.enter(.array)
            var elements: [Element.Value] = []
            // Most lists are short; growing from nothing takes an allocation for each doubling.
            elements.reserveCapacity(min(counts.range.upperBound, 16))
            while reader.items.next < reader.items.end {
                var value: Element.Value?
                do throws(PayloadError) {
                    try element.pass("", &value, .required, to: &reader)
                } catch {
                    throw error.within("\(elements.count)")
                }
                if let value { elements.append(value) }
            }
            guard counts.range.contains(elements.count) else {
                throw PayloadError(.outOfBounds, "must be \(counts.name), and there are \(elements.count)")
            }
            reader.items = outer
            values = elements
        }
        if !isPresent { values = nil }
    }

    package mutating func fields<Part: Described>(
        of part: inout Part?, decidedBy first: StaticString
    ) throws(PayloadError) {
        let next = items.next
        guard try read(first, .optional, { _ in }) else { return part = nil }
        items.next = next
        var present = part ?? Part.blank
        try present.describe(to: &self)
        part = present
    }

    // MARK: Lookup

    /// Calls `body` at each value of a key; the last one counts. Returns whether there is one; `null` means absence.
    private mutating func read(
        _ key: StaticString, _ need: Need, _ body: (inout JSONReader) throws(PayloadError) -> Void
    ) throws(PayloadError) -> Bool {
        guard need.isRead else { return false }
        guard items.haveKeys || items.next < items.end else {
            throw PayloadError(.malformed, "the array ends before \(key)")
        }
        var isPresent = false
        var found = items.haveKeys ? find(key) : items.next
        do throws(PayloadError) {
            while let index = found {
                slotIndex = index
                isPresent = slot.kind != .null
                items.next = Int(slot.next)
                if isPresent { try body(&self) }
                found = items.mayRepeatKeys ? find(key, from: items.next, to: items.end) : nil
            }
            guard isPresent || need != .required else { throw Self.fault("is missing") }
        } catch {
            throw error.within(key.description)
        }
        return isPresent
    }

    /// Finds the first field with a key, at once if the fields are read in their order.
    private func find(_ key: StaticString) -> Int? {
        let next = items.mayRepeatKeys ? items.first : items.next
        return find(key, from: next, to: items.end) ?? find(key, from: items.first, to: next)
    }

    private func find(_ key: StaticString, from first: Int, to end: Int) -> Int? {
        let slots = slots.span
        let count = Int32(truncatingIfNeeded: key.utf8CodeUnitCount)
        var index = first
        while index < end {
            if slots[index].key.count == count, bytes.span.extracting(slots[index].key.range).equals(key) {
                return index
            }
            index = Int(slots[index].next)
        }
        return nil
    }

    /// Enters the object or list that is being read, and returns the values around it.
    private mutating func enter(_ kind: JSONSlot.Kind) throws(PayloadError) -> Items {
        guard slot.kind == kind else { throw Self.fault(kind == .object ? "must be an object" : "must be a list") }
        let outer = items
        items = Items(
            first: slotIndex + 1, end: Int(slot.next), next: slotIndex + 1, haveKeys: kind == .object,
            mayRepeatKeys: slot.mayRepeatKeys)
        return outer
    }

    // MARK: Values

    private var slot: JSONSlot { slots[slotIndex] }

    private func whole(_ format: Whole) throws(PayloadError) -> Int64 {
        if slot.kind == .whole, format.range.contains(slot.whole) { return slot.whole }
        var isWhole = slot.kind == .whole
        if slot.kind == .number {
            let digits = bytes.span.extracting(slot.text.range)
            let number = isRequest ? Double(String(validated: digits)).flatMap { Int64(exactly: $0) } : nil
            if let number, format.range.contains(number) { return number }
            isWhole = digits.isWhole
        }
        let range = format.isAny ? "" : " from \(format.range.lowerBound) to \(format.range.upperBound)"
        throw PayloadError(isWhole ? .outOfBounds : .malformed, "must be a whole number" + range)
    }

    private func tenths(_ format: Whole) throws(PayloadError) -> Int64 {
        let isNumber = slot.kind == .whole || slot.kind == .number
        let number = isNumber ? Double(String(validated: bytes.span.extracting(slot.text.range))) : nil
        // Compared before the conversion, which traps beyond the range of whole numbers.
        let (least, most) = (Double(format.range.lowerBound), Double(format.range.upperBound))
        guard let number, (least...most).contains(10 * number) else {
            throw PayloadError(
                isNumber ? .outOfBounds : .malformed, "must be a number from \(Int(least / 10)) to \(Int(most / 10))")
        }
        return Int64((10 * number).rounded())
    }

    /// Throws for another version than this program's. It is checked before the fields, which may then be anything.
    private mutating func checkVersion() throws(PayloadError) {
        var version: Int64?
        do throws(PayloadError) {
            try whole(ProtocolVersion.key, &version, .any, .optional)
        } catch {
            let isLarge = error.reason == .outOfBounds
            throw isLarge ? PayloadError(.unknownVersion, "v is very large") : PayloadError(error.reason, error.detail)
        }
        let current = ProtocolVersion.current
        guard let version else { throw PayloadError(.malformed, "v is missing: write \(current)") }
        guard version == current else {
            throw PayloadError(.unknownVersion, "v is \(version), and this program reads \(current)")
        }
    }

    /// Throws if an object has a field that its type does not have, which is most likely misspelt.
    private func checkKeys<Object: Described>(of type: Object.Type) throws(PayloadError) {
        let known = Object.tables[0].rows.map(\.key)
        var index = items.first
        var unknownKeys: [String] = []
        while index < items.end {
            let key = String(validated: bytes.span.extracting(slots[index].key.range))
            if !known.contains(key) { unknownKeys.append(key) }
            index = Int(slots[index].next)
        }
        guard let unknownKey = unknownKeys.min() else { return }
        let fields = known.isEmpty ? "it has none" : "fields are \(known.joined(separator: ", "))"
        throw Self.fault("is not a field of this request; \(fields)").within(unknownKey.isEmpty ? "\"\"" : unknownKey)
    }

    /// Throws unless nothing is left, the fields fit each other, and the author is the sender.
    private func check(_ object: some Described) throws(PayloadError) {
        guard items.haveKeys || items.next == items.end else {
            throw PayloadError(.malformed, "the array goes on after its fields")
        }
        if let author = object.author, let sender, author != sender {
            throw PayloadError(.wrongSender, "its author is \(author) and not \(sender)")
        }
        if let field = object.contradiction {
            throw PayloadError(.outOfBounds, "\(field) does not fit the other fields")
        }
    }

    private static func fault(_ detail: String) -> PayloadError { PayloadError(.malformed, detail) }
}

extension Span<UInt8> {
    /// Whether a number has no fraction and no exponent.
    fileprivate var isWhole: Bool {
        indices.allSatisfy {
            self[$0] == UInt8(ascii: "-") || self[$0] >= UInt8(ascii: "0") && self[$0] <= UInt8(ascii: "9")
        }
    }

    /// Compares with a key of the same length.
    fileprivate func equals(_ key: StaticString) -> Bool {
        for index in indices where self[index] != key.utf8Start[index] { return false }
        return true
    }
}
