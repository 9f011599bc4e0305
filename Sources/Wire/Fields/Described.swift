// SPDX-License-Identifier: Apache-2.0

package import Session

/// An object of the protocol, read, written, bounded and documented from its fields (see Wire.md).
package protocol Described {
    /// The object's name in Protocol.md, and in the API's schema. By default the type's, without `Report` or `Fields`.
    static var objectName: String { get }
    /// The initial value of a read. Its required fields are always replaced.
    static var blank: Self { get }

    /// Hands each field to a coder, in the order in which they are written. A reader accepts any order.
    mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure)

    /// The node that must be the sender of a payload; `nil` if the object names none.
    var author: NodeID? { get }
    /// The field that does not fit the others, each of which is within its bounds; `nil` if all fit.
    var contradiction: String? { get }
}

extension Described {
    package static var objectName: String {
        var name = "\(Self.self)"
        for ending in ["Report", "Fields"] where name.hasSuffix(ending) { name.removeLast(ending.count) }
        return name.prefix(1).lowercased() + name.dropFirst()
    }
    package var author: NodeID? { nil }
    package var contradiction: String? { nil }

    /// Reads a whole payload. `sender` is the node of its topic; `nil` for a file. `blank` is the initial value.
    package init(payload bytes: [UInt8], by sender: NodeID? = nil, from blank: Self? = nil) throws(PayloadError) {
        self = try JSONReader(bytes, by: sender).value(.payload(), from: blank)
    }

    /// The object as a whole payload.
    package var payload: [UInt8] { payload(with: nil, as: "") }

    /// Returns the object as a whole payload. `part` is the object of `key`, if it was encoded before.
    func payload(with part: [UInt8]?, as key: String) -> [UInt8] {
        var writer = JSONWriter(part: part, key: key)
        var value: Self? = self
        writer.object("", &value, .payload, .required)
        return writer.bytes
    }
}

extension Format {
    /// Returns a value as JSON, without a version.
    package func json(_ value: Value) -> [UInt8] {
        var writer = JSONWriter()
        var value: Value? = value
        pass("", &value, .required, to: &writer)
        return writer.bytes
    }

    /// Reads JSON without a version. A request may have no unknown fields, and may write whole numbers as `60.0`.
    package func value(of json: [UInt8], isRequest: Bool = false) throws(PayloadError) -> Value {
        var reader = try JSONReader(json)
        reader.isRequest = isRequest
        return try reader.value(self)
    }
}

/// The protocol's version, the first field of each payload.
enum ProtocolVersion {
    static let current: Int64 = 1
    static let key: StaticString = "v"
}
