// SPDX-License-Identifier: Apache-2.0

/// Reads, writes or documents the fields of an object, one after the other.
package protocol Form: ~Copyable {
    /// The error of a field: ``Rejection`` for a reader.
    associatedtype Failure: Error

    /// A required field.
    mutating func field<F: Format>(_ key: StaticString, _ value: inout F.Value, _ format: F) throws(Failure)

    /// An optional field; an absent one is `nil`.
    mutating func field<F: Format>(_ key: StaticString, optional value: inout F.Value?, _ format: F) throws(Failure)

    /// A field that is written for clients that only look, and never read; `nil` leaves it out.
    mutating func field<F: Format>(
        _ key: StaticString, written value: @autoclosure () -> F.Value?, _ format: F
    ) throws(Failure)

    /// The field that names the kind of an object; the reader has read it before.
    mutating func field(_ key: StaticString, kind: String) throws(Failure)

    /// The fields of a part that may be absent as a whole; the part's first field decides.
    mutating func fields<Part: Described>(of part: inout Part?, decidedBy first: StaticString) throws(Failure)
}

extension Form where Self: ~Copyable {
    /// A field that is left out if it has its standard value.
    package mutating func field<F: Format>(
        _ key: StaticString, _ value: inout F.Value, _ format: F, unless standard: F.Value
    ) throws(Failure) where F.Value: Equatable {
        var present = value == standard ? nil : value
        try field(key, optional: &present, format)
        value = present ?? standard
    }

    /// A field that is always written; an absent one has a value that may follow from the fields before.
    package mutating func field<F: Format>(
        _ key: StaticString, _ value: inout F.Value, _ format: F, absent implied: @autoclosure () -> F.Value
    ) throws(Failure) {
        var present: F.Value? = value
        try field(key, optional: &present, format)
        value = present ?? implied()
    }
}
