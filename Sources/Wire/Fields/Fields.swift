// SPDX-License-Identifier: Apache-2.0

package import Session

/// Describes an object of the protocol once: it is read, written, bounded and documented from its fields.
///
/// The fields are in the order in which they are written; a reader accepts any order. Sources/README.md says how to add one.
package struct Fields<Root: Sendable>: Sendable {
    /// The object's name in Protocol.md.
    let name: String
    let list: [Field<Root>]
    private let blank: Root
    private let author: (@Sendable (Root) -> NodeID)?
    private let invalidField: @Sendable (Root) -> String?

    /// Describes an object.
    /// - Parameters:
    ///   - blank: The initial value of a read. Its required fields are always replaced.
    ///   - author: The field that must name the publishing node.
    ///   - invalidField: Returns the field that does not fit the others; `nil` if all fit.
    package init(
        _ name: String, blank: Root, author: (@Sendable (Root) -> NodeID)? = nil,
        invalidField: @escaping @Sendable (Root) -> String? = { _ in nil },
        @FieldsBuilder<Root> _ list: () -> [Field<Root>]
    ) {
        self.name = name
        self.blank = blank
        self.author = author
        self.invalidField = invalidField
        self.list = list()
        precondition(self.list.count <= 64, "a set of fields is 64 bits")
    }

    /// The tables of this object and of all objects within.
    var tables: [FieldTable] { [FieldTable(name: name, rows: list.map(\.row))] + list.flatMap(\.tables) }

    // MARK: Payloads

    /// A whole payload: the version, then the fields.
    package func payload(_ value: Root) -> [UInt8] {
        var writer = JSONWriter()
        write(value, to: &writer, isPayload: true)
        return writer.bytes
    }

    /// Reads a whole payload.
    ///
    /// A payload of another version may contain anything, so its version is checked before any other error is thrown.
    /// - Parameters:
    ///   - sender: The node of the topic; `nil` for a file.
    ///   - blank: The initial value, if it depends on the time.
    package func read(
        payload bytes: [UInt8], by sender: NodeID? = nil, from blank: Root? = nil
    ) throws(Rejection) -> Root {
        do throws(Rejection) {
            var reader = JSONReader(bytes)
            let value = try readFields(&reader, from: blank ?? self.blank, isPayload: true)
            try reader.end()
            if let author, let sender, author(value) != sender {
                throw Rejection(.wrongSender, "its author is \(author(value)) and not \(sender)")
            }
            return try checked(value)
        } catch {
            try ProtocolVersion.checkEnvelope(bytes)
            throw error
        }
    }

    // MARK: Objects

    /// Reads an object. Unknown fields are skipped; of a key that occurs twice the last value counts.
    func read(_ reader: inout JSONReader, isPayload: Bool = false) throws(Rejection) -> Root {
        try checked(try readFields(&reader, from: blank, isPayload: isPayload))
    }

    private func readFields(
        _ reader: inout JSONReader, from blank: Root, isPayload: Bool
    ) throws(Rejection) -> Root {
        var value = blank
        var present: UInt64 = 0
        var version: Int64?
        var items = try reader.object()
        var next = 0
        while try reader.field(&items) {
            if isPayload, reader.skip(key: versionKey) {
                version = try reader.integer()
                continue
            }
            let (place, key) = try place(&reader, expected: next)
            if let place {
                next = place + 1
                let isThere = try list[place].read(&reader, into: &value)
                present = isThere ? present | 1 << place : present & ~(1 << place)
            } else if isPayload, key == "\(versionKey)" {
                version = try reader.integer()
            } else {
                try reader.skip()
            }
        }
        if isPayload { try ProtocolVersion.check(version) }
        for place in list.indices where present & 1 << place == 0 { try list[place].skip(&value) }
        return value
    }

    /// Reads a key and finds its field.
    /// - Parameter expected: The first field that probably comes next: fields mostly have the order in which they are
    ///   written, and to compare a key is quicker than to read it.
    /// - Returns: The place of the field; for an unknown field `nil` and its key.
    private func place(_ reader: inout JSONReader, expected: Int) throws(Rejection) -> (Int?, key: String) {
        for place in expected..<list.count where reader.skip(key: list[place].key) { return (place, "") }
        let key = try reader.key()
        return (list.firstIndex { $0.row.key == key }, key)
    }

    private func checked(_ value: Root) throws(Rejection) -> Root {
        if let invalidField = invalidField(value) {
            throw Rejection(.outOfBounds, "\(invalidField) does not fit the other fields")
        }
        return value
    }

    /// Writes an object.
    func write(_ value: Root, to writer: inout JSONWriter, isPayload: Bool = false) {
        writer.object { writer in
            if isPayload {
                writer.key(versionKey)
                writer.value(ProtocolVersion.current)
            }
            withUnsafePointer(to: value) { value in
                let list = list.span
                for place in list.indices { list[place].write(value, to: &writer) }
            }
        }
    }

    // MARK: Arrays

    /// Reads an array of the fields' values, in their order.
    func readArray(_ reader: inout JSONReader) throws(Rejection) -> Root {
        var value = blank
        var items = try reader.array()
        for field in list {
            guard try reader.element(&items) else {
                throw Rejection(.malformed, "the array ends before \(field.row.key)")
            }
            if try !field.read(&reader, into: &value) { try field.skip(&value) }
        }
        guard try !reader.element(&items) else { throw Rejection(.malformed, "the array goes on behind its fields") }
        return try checked(value)
    }

    /// Writes an array of the fields' values.
    func writeArray(_ value: Root, to writer: inout JSONWriter) {
        writer.array { writer in
            withUnsafePointer(to: value) { value in
                let list = list.span
                for place in list.indices { list[place].writeItem(value, to: &writer) }
            }
        }
    }

    // MARK: Parts

    /// The same fields as part of a larger object.
    func within<Whole>(_ path: Path<Whole, Root>) -> [Field<Whole>] {
        list.map { Field($0, within: path) }
    }

    /// The same fields as an optional part of a larger object; the first one decides whether it is present.
    func within<Whole>(optional path: Path<Whole, Root?>) -> [Field<Whole>] {
        list.enumerated().map { Field($1, within: path, blank: blank, decides: $0 == 0) }
    }
}

/// Builds the list of an object's fields.
@resultBuilder
package enum FieldsBuilder<Root> {
    package static func buildExpression(_ field: Field<Root>) -> [Field<Root>] { [field] }
    package static func buildExpression(_ fields: [Field<Root>]) -> [Field<Root>] { fields }
    package static func buildBlock(_ fields: [Field<Root>]...) -> [Field<Root>] { fields.flatMap { $0 } }
}

/// The key of a payload's version.
private let versionKey: StaticString = "v"
