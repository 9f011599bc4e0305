// SPDX-License-Identifier: Apache-2.0

import Session

/// What was read last at some place, and its text: where the text is the same, so is the value.
struct Remembered<Value: Sendable>: Sendable {
    var text: [UInt8] = []
    var value: Value
}

extension JSONReader {
    /// An array that is mostly the same as the last time.
    mutating func array<Element>(
        like known: inout Remembered<[Element]>, _ read: (inout JSONReader) throws(Rejection) -> [Element]
    ) throws(Rejection) -> [Element] {
        skipSpace()
        let start = position
        // No array's text begins with that of another one.
        if starts(with: known.text) {
            position += known.text.count
            return known.value
        }
        let value = try read(&self)
        known = Remembered(text: Array(bytes[start..<position]), value: value)
        return value
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

    private func starts(with text: [UInt8], at start: Int? = nil) -> Bool {
        let start = start ?? position
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
    var plan = Remembered<[Phase]>(value: [])
    var runs = Remembered<[Run]>(value: [])
    var applied = Remembered<[IntentID]>(value: [])
}
