// SPDX-License-Identifier: Apache-2.0

import Session

/// One field of an object: its key, its place in the value, its format, and its value if absent.
package final class Field<Root>: Sendable {
    let row: FieldTable.Row
    let tables: [FieldTable]
    /// Reads the value; returns `false` for a `null` that means absence.
    private let readValue: @Sendable (inout JSONReader, inout Root) throws(Rejection) -> Bool
    /// Sets the value that holds if the field is absent or `null`.
    private let withoutValue: @Sendable (inout Root) throws(Rejection) -> Void
    private let writeValue: @Sendable (UnsafePointer<Root>, _ key: StaticString?, inout JSONWriter) -> Void
    let key: StaticString

    /// A required field.
    package convenience init<Value>(_ key: StaticString, _ path: Path<Root, Value>, _ format: Format<Value>) {
        self.init(key, .required, path, format) { _ throws(Rejection) in
            throw Rejection(.malformed, "missing: write a value of type \(format.name)")
        }
    }

    /// An optional field; an absent one is `nil`.
    package convenience init<Value>(_ key: StaticString, optional path: Path<Root, Value?>, _ format: Format<Value>) {
        self.init(key, .optional, path, .nullable(format), type: format.name, isWritten: { $0 != nil }) { _ in nil }
    }

    /// A field that is left out if it has its standard value.
    package convenience init<Value: Equatable & Sendable>(
        _ key: StaticString, _ path: Path<Root, Value>, _ format: Format<Value>, unless standard: Value
    ) {
        self.init(key, .optional, path, format, isWritten: { $0 != standard }) { _ in standard }
    }

    /// A field that is always written; if absent, its value follows from the other fields.
    convenience init<Value>(
        _ key: StaticString, _ path: Path<Root, Value>, _ format: Format<Value>,
        absent implied: @escaping @Sendable (Root) -> Value
    ) {
        self.init(key, .optional, path, format) { implied($0) }
    }

    /// - Parameter absent: The value that holds where the field is absent or `null`.
    private init<Value>(
        _ key: StaticString, _ need: FieldTable.Need, _ path: Path<Root, Value>, _ format: Format<Value>,
        type: String? = nil, isWritten: @escaping @Sendable (Value) -> Bool = { _ in true },
        absent: @escaping @Sendable (Root) throws(Rejection) -> Value
    ) {
        let place = Place(path)
        self.key = key
        row = FieldTable.Row(key: "\(key)", type: type ?? format.name, need: need)
        tables = format.tables
        let isOptional = need == .optional
        readValue = { reader, root throws(Rejection) in
            if isOptional, try reader.null() { return false }
            let value = try format.read(&reader)
            try place.update(in: &root) { $0 = value }
            return true
        }
        withoutValue = { root throws(Rejection) in
            let value = try absent(root)
            try place.update(in: &root) { $0 = value }
        }
        writeValue = { root, key, writer in
            let value = place.get(from: root)
            guard key == nil || isWritten(value) else { return }
            if let key { writer.key(key) }
            format.write(value, &writer)
        }
    }

    /// A field that is written for clients that only look, and never read; `nil` leaves it out.
    convenience init<Value>(
        _ key: StaticString, written format: Format<Value>, _ value: @escaping @Sendable (Root) -> Value?
    ) {
        self.init(key, type: format.name, .written) { root, key, writer in
            guard let value = value(root.pointee) else { return }
            if let key { writer.key(key) }
            format.write(value, &writer)
        }
    }

    /// The field that names the kind of an object; the reader has read it before.
    convenience init(_ key: StaticString, kind: String) {
        self.init(key, type: "`\(kind)`", .required) { _, key, writer in
            if let key { writer.key(key) }
            writer.value(kind)
        }
    }

    /// A field that a reader skips.
    private init(
        _ key: StaticString, type: String, _ need: FieldTable.Need,
        write: @escaping @Sendable (UnsafePointer<Root>, StaticString?, inout JSONWriter) -> Void
    ) {
        self.key = key
        row = FieldTable.Row(key: "\(key)", type: type, need: need)
        tables = []
        readValue = { reader, _ throws(Rejection) in
            try reader.skip()
            return true
        }
        withoutValue = { _ throws(Rejection) in }
        writeValue = write
    }

    /// The same field as part of a larger object.
    init<Part>(_ field: Field<Part>, within path: Path<Root, Part>) {
        let place = Place(path)
        row = field.row
        key = field.key
        tables = field.tables
        readValue = { reader, root throws(Rejection) in
            try place.update(in: &root) { part throws(Rejection) in try field.readValue(&reader, &part) }
        }
        withoutValue = { root throws(Rejection) in
            try place.update(in: &root) { part throws(Rejection) in try field.withoutValue(&part) }
        }
        writeValue = { root, key, writer in
            withUnsafePointer(to: place.get(from: root)) { field.writeValue($0, key, &writer) }
        }
    }

    /// The same field as part of a larger object, in which the whole part is optional.
    /// - Parameter decides: Whether the presence of this field decides on the presence of the part.
    init<Part: Sendable>(
        _ field: Field<Part>, within path: Path<Root, Part?>, blank: Part, decides: Bool
    ) {
        key = field.key
        row = FieldTable.Row(key: field.row.key, type: field.row.type, need: decides ? .optional : field.row.need)
        tables = field.tables
        readValue = { reader, root throws(Rejection) in
            if try reader.null() { return false }
            var part = root[keyPath: path] ?? blank
            let isThere = try field.readValue(&reader, &part)
            root[keyPath: path] = part
            return isThere
        }
        withoutValue = { root throws(Rejection) in
            guard !decides, var part = root[keyPath: path] else { return root[keyPath: path] = nil }
            try field.withoutValue(&part)
            root[keyPath: path] = part
        }
        writeValue = { root, key, writer in
            if let part = root.pointee[keyPath: path] {
                withUnsafePointer(to: part) { field.writeValue($0, key, &writer) }
            }
        }
    }

    /// Reads the value; returns `false` for a `null` that means absence.
    func read(_ reader: inout JSONReader, into root: inout Root) throws(Rejection) -> Bool {
        do throws(Rejection) {
            return try readValue(&reader, &root)
        } catch {
            throw error.within(row.key)
        }
    }

    /// Writes key and value, if there is a value. The object is not copied for each of its fields.
    func write(_ root: UnsafePointer<Root>, to writer: inout JSONWriter) { writeValue(root, key, &writer) }

    /// Writes the value alone, and `null` for an absent one.
    func writeItem(_ root: UnsafePointer<Root>, to writer: inout JSONWriter) { writeValue(root, nil, &writer) }

    /// Sets the value that holds if the field is absent or `null`.
    func skip(_ root: inout Root) throws(Rejection) {
        do throws(Rejection) {
            try withoutValue(&root)
        } catch {
            throw error.within(row.key)
        }
    }
}

/// The fields of an object as Protocol.md lists them.
struct FieldTable: Hashable, Sendable {
    enum Need: String {
        case required = ""
        case optional = ", optional"
        case written = ", not read"
    }

    struct Row: Hashable, Sendable {
        var key: String
        var type: String
        var need: Need
    }

    var name: String
    var rows: [Row]
}
