// SPDX-License-Identifier: Apache-2.0

package import Session

/// An object of the protocol, described once: it is read, written, bounded and documented from its fields.
///
/// Sources/README.md says how to add a field.
package protocol Described {
    /// The object's name in Protocol.md.
    static var objectName: String { get }
    /// The initial value of a read. Its required fields are always replaced.
    static var blank: Self { get }

    /// Hands each field to a form, in the order in which they are written. A reader accepts any order.
    mutating func describe<F: Form & ~Copyable>(to form: inout F) throws(F.Failure)

    /// The node that must be the sender of a payload; `nil` if the object names none.
    var author: NodeID? { get }
    /// The field that does not fit the others; `nil` if all fit.
    var invalidField: String? { get }
}

extension Described {
    package var author: NodeID? { nil }
    package var invalidField: String? { nil }

    /// Reads a whole payload: the version, then the fields.
    ///
    /// A payload of another version may contain anything, so its version is checked before any other error is thrown.
    /// - Parameters:
    ///   - sender: The node of the topic; `nil` for a file.
    ///   - blank: The initial value, if it depends on the time.
    package init(payload bytes: [UInt8], by sender: NodeID? = nil, from blank: Self = Self.blank) throws(Rejection) {
        try self.init(payload: JSONReader(bytes), by: sender, from: blank)
    }

    /// Reads a payload that was scanned before.
    init(payload: JSONReader, by sender: NodeID? = nil, from blank: Self = Self.blank) throws(Rejection) {
        var reader = payload
        self = try reader.object(into: blank, isPayload: true)
        if let author, let sender, author != sender {
            throw Rejection(.wrongSender, "its author is \(author) and not \(sender)")
        }
        try checkFields()
    }

    /// Throws unless the fields fit each other.
    func checkFields() throws(Rejection) {
        if let invalidField { throw Rejection(.outOfBounds, "\(invalidField) does not fit the other fields") }
    }

    /// The object as a whole payload.
    package var payload: [UInt8] {
        var writer = JSONWriter()
        writer.object(self, isPayload: true)
        return writer.bytes
    }
}
