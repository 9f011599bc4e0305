// SPDX-License-Identifier: Apache-2.0

import Session

/// What was read last at some place, and its text: where the text is the same, so is the value.
struct Remembered<Value: Sendable>: Sendable {
    var text: [UInt8] = []
    var value: Value
}

extension JSONReader {
    /// Passes over the fields that an object begins with, where they are as the last time.
    /// - Parameters:
    ///   - known: Whole fields, the brace before them included.
    ///   - start: Where the brace stands, behind which the reader is.
    /// - Returns: Whether they are, and so have the values that are remembered.
    mutating func takeFields<Value>(_ items: inout Items, like known: Remembered<Value>, from start: Int) -> Bool {
        let end = start + known.text.count
        guard known.text.count > 1, starts(with: known.text, at: start), end < bytes.count,
            bytes[end] == UInt8(ascii: ",")
        else { return false }
        position = end
        items.isFirst = false
        return true
    }

    /// An array that mostly begins as the last time: what stands before the last element is remembered.
    mutating func growingArray<Element>(
        like known: inout Remembered<[Element]>, _ read: (inout JSONReader) throws(Rejection) -> Element
    ) throws(Rejection) -> [Element] {
        skipSpace()
        let start = position
        var items = try array()
        var values: [Element] = []
        if starts(with: known.text, at: start), isBetweenElements(start + known.text.count) {
            values = known.value
            position = start + known.text.count
            items.isFirst = false
        }
        let same = values.count
        var (kept, keptEnd, end) = (same, position, position)
        while try element(&items) {
            if !values.isEmpty { (kept, keptEnd) = (values.count, end) }
            values.append(try read(&self))
            end = position
        }
        if same == 0 || keptEnd - start < known.text.count {
            known = Remembered(text: kept == 0 ? [] : Array(bytes[start..<keptEnd]), value: Array(values[..<kept]))
        } else {
            known.text += bytes[start + known.text.count..<keptEnd]
            known.value += values[same..<kept]
        }
        return values
    }

    private func isBetweenElements(_ position: Int) -> Bool {
        position < bytes.count && (bytes[position] == UInt8(ascii: ",") || bytes[position] == UInt8(ascii: "]"))
    }

    private func starts(with text: [UInt8], at start: Int) -> Bool {
        guard !text.isEmpty, text.count <= bytes.count - start else { return false }
        return bytes.withUnsafeBytes { bytes in
            text.withUnsafeBytes { text in
                var offset = 0
                while offset + 8 <= text.count {
                    guard
                        bytes.loadUnaligned(fromByteOffset: start + offset, as: UInt64.self)
                            == text.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                    else { return false }
                    offset += 8
                }
                while offset < text.count {
                    guard bytes[start + offset] == text[offset] else { return false }
                    offset += 1
                }
                return true
            }
        }
    }
}

/// What is remembered of the register that was read last. Most of a register stays the same from one to the next.
struct RegisterMemory: Sendable {
    /// The attributes, as far as they come before all else.
    var head = Remembered(value: AttributeFields())
    /// A register with these attributes.
    var register: Register?
    /// One that was within all bounds.
    var sound: Register?
    var runs = Remembered<[Run]>(value: [])
    var applied = Remembered<[IntentID]>(value: [])
}
