// SPDX-License-Identifier: Apache-2.0

/// Reads, writes or documents the fields of an object, one after the other. It has a function for each kind of JSON
/// value. ``Format`` says to which kind a value belongs. In an array, fields have no keys.
package protocol FieldCoder: ~Copyable {
    /// The error of a field: ``PayloadError`` for a reader.
    associatedtype Failure: Error

    /// Whether it needs the values of fields that are not read.
    var isWriter: Bool { get }

    mutating func whole(_ key: StaticString, _ value: inout Int64?, _ format: Whole, _ need: Need) throws(Failure)

    mutating func flag(_ key: StaticString, _ value: inout Bool?, _ need: Need) throws(Failure)

    mutating func text<Text: TextFormat>(
        _ key: StaticString, _ value: inout Text.Value?, _ format: Text, _ need: Need
    ) throws(Failure)

    mutating func object<Object: Described>(
        _ key: StaticString, _ value: inout Object?, _ shape: Shape, _ need: Need
    ) throws(Failure)

    mutating func list<Element: Format>(
        _ key: StaticString, _ values: inout [Element.Value]?, of element: Element, _ counts: Counts, _ need: Need
    ) throws(Failure)

    /// The fields of a part that may be absent as a whole; the part's first field decides.
    mutating func fields<Part: Described>(of part: inout Part?, decidedBy first: StaticString) throws(Failure)

    /// Takes the sentence that describes the next field.
    mutating func note(_ about: StaticString)
}

/// The presence of a field.
package enum Need {
    case required
    /// An absent field is `nil`, like one that is `null`.
    case optional
    /// As `optional`, but `nil` is written as `null`.
    case nullable
    /// It is written for clients that only look, and never read; `nil` leaves it out.
    case written
    /// As `written`, but `nil` is written as `null`.
    case writtenOrNull
    /// It names the kind of the object, which the reader has read before.
    case kind

    var isRead: Bool { self == .required || self == .optional || self == .nullable }
}

extension FieldCoder where Self: ~Copyable {
    package var isWriter: Bool { false }
    package mutating func note(_ about: StaticString) {}

    /// A required field, with a sentence about it in a request or a report.
    package mutating func field<F: Format>(
        _ key: StaticString, _ value: inout F.Value, _ format: F, _ about: StaticString? = nil
    ) throws(Failure) {
        if let about { note(about) }
        var present: F.Value? = value
        try format.pass(key, &present, .required, to: &self)
        if let present { value = present }
    }

    /// An optional field; an absent one is `nil`.
    package mutating func field<F: Format>(
        _ key: StaticString, optional value: inout F.Value?, _ format: F, _ about: StaticString? = nil
    ) throws(Failure) {
        if let about { note(about) }
        try format.pass(key, &value, .optional, to: &self)
    }

    /// A field of a report that is always there: an empty one is `null`.
    package mutating func field<F: Format>(
        _ key: StaticString, nullable value: inout F.Value?, _ format: F, _ about: StaticString
    ) throws(Failure) {
        note(about)
        try format.pass(key, &value, .nullable, to: &self)
    }

    /// A field that is left out if it has its standard value.
    package mutating func field<F: Format>(
        _ key: StaticString, _ value: inout F.Value, _ format: F, unless standard: F.Value
    ) throws(Failure) where F.Value: Equatable {
        var present = value == standard ? nil : value
        try format.pass(key, &present, .optional, to: &self)
        value = present ?? standard
    }

    /// A field that is always written; an absent one has a value that may follow from the fields before.
    package mutating func field<F: Format>(
        _ key: StaticString, _ value: inout F.Value, _ format: F, absent implied: @autoclosure () -> F.Value
    ) throws(Failure) {
        var present: F.Value? = value
        try format.pass(key, &present, .optional, to: &self)
        value = present ?? implied()
    }

    /// A field that is not read.
    package mutating func field<F: Format>(
        _ key: StaticString, written value: @autoclosure () -> F.Value?, _ format: F, _ need: Need = .written
    ) throws(Failure) {
        var value = isWriter ? value() : nil
        try format.pass(key, &value, need, to: &self)
    }

    mutating func field(_ key: StaticString, kind: String) throws(Failure) {
        try field(key, written: kind, KindFormat(kind: kind), .kind)
    }
}
