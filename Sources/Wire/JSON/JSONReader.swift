// SPDX-License-Identifier: Apache-2.0

import Session

/// A strict reader of a scanned JSON text: the caller says what it expects at the present value.
///
/// Numbers of the protocol are whole, without fraction and exponent. Of a key that occurs twice the last value counts.
package struct JSONReader {
    /// The text, and behind it the strings that have escapes in it, resolved.
    let bytes: [UInt8]
    let slots: [JSONSlot]
    /// The slot of the present value: at first the outermost one.
    var present = 0
    /// The earlier values of the present field, if its key occurs twice.
    var earlier: [Int] = []
    /// The fields of the object that is read.
    var fields = Fields()

    /// Scans a text of one value.
    init(_ bytes: [UInt8]) throws(Rejection) {
        let scanner = try JSONScanner(bytes)
        self.bytes = scanner.resolved.isEmpty ? bytes : bytes + scanner.resolved
        slots = scanner.slots
    }

    // MARK: Values

    var isNull: Bool { slots[present].kind == .null }
    var isString: Bool { slots[present].kind == .string }

    /// Reads a whole number.
    func integer() throws(Rejection) -> Int64 {
        try expect(.number, "a whole number")
        let text = slots[present].text.range
        let isNegative = bytes[text.lowerBound] == UInt8(ascii: "-")
        var value: Int64 = 0
        var isTooLarge = false
        for position in isNegative ? text.dropFirst() : text {
            let digit = bytes[position] &- UInt8(ascii: "0")
            guard digit < 10 else { throw fault("a whole number") }
            let (shifted, overflows) = value.multipliedReportingOverflow(by: 10)
            let (sum, exceeds) = shifted.subtractingReportingOverflow(Int64(digit))
            // It counts downwards, because the smallest number has no positive counterpart.
            (value, isTooLarge) = (sum, isTooLarge || overflows || exceeds)
        }
        guard !isTooLarge, isNegative || value > .min else { throw Rejection(.outOfBounds, "the number is too large") }
        return isNegative ? value : -value
    }

    /// Reads any number.
    func number() throws(Rejection) -> Double {
        try expect(.number, "a number")
        guard let value = Double(text) else { throw fault("a number") }
        return value
    }

    /// Reads `true` or `false`.
    func bool() throws(Rejection) -> Bool {
        switch slots[present].kind {
        case .yes: true
        case .no: false
        default: throw fault("true or false")
        }
    }

    /// Reads a string.
    func string() throws(Rejection) -> String {
        try expect(.string, "a string")
        return text
    }

    /// Reads each element of an array.
    mutating func elements(_ read: (inout JSONReader) throws(Rejection) -> Void) throws(Rejection) {
        try expect(.array, "an array")
        let end = Int(slots[present].next)
        present += 1
        while present < end {
            let next = Int(slots[present].next)
            try read(&self)
            present = next
        }
    }

    /// The scanner has checked that all of the text is UTF-8.
    private var text: String {
        String(copying: unsafe UTF8Span(unchecked: bytes.span.extracting(slots[present].text.range)))
    }

    func expect(_ kind: JSONSlot.Kind, _ what: StaticString) throws(Rejection) {
        guard slots[present].kind == kind else { throw fault(what) }
    }

    private func fault(_ expected: StaticString) -> Rejection { Rejection(.malformed, "expected \(expected)") }
}
