// SPDX-License-Identifier: Apache-2.0

/// A value of a JSON text: its kind, where it stands, and where its object or array goes on.
///
/// Positions have 32 bits, since a payload can have thousands of values.
struct JSONSlot {
    enum Kind {
        case object, array, string, number, yes, no, null
    }

    var kind = Kind.null
    /// The bytes of the key, without quotes; empty for what has no key.
    var key = JSONBytes()
    /// The bytes of a number, or of a string without quotes.
    var text = JSONBytes()
    /// The slot behind this value and all values within it. It is that of the next field or element, if there is one.
    var next: Int32 = 0
    /// Whether a key of this object occurs twice, or might.
    var mayRepeatKeys = false
}

/// A place in the bytes of a JSON text.
struct JSONBytes {
    var start: Int32 = 0
    var count: Int32 = 0

    init() {}

    init(_ range: Range<Int>) {
        start = Int32(truncatingIfNeeded: range.lowerBound)
        count = Int32(truncatingIfNeeded: range.count)
    }

    var range: Range<Int> { Int(start)..<Int(start) + Int(count) }
}
