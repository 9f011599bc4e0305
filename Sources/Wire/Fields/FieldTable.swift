// SPDX-License-Identifier: Apache-2.0

/// The fields of an object as Protocol.md lists them.
package struct FieldTable: Hashable, Sendable {
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
    var rows: [Row] = []
}

extension Described {
    /// The tables of this object and of all objects within.
    static var tables: [FieldTable] {
        var tables = FieldTables(of: objectName)
        var value = blank
        value.describe(to: &tables)
        return [tables.own] + tables.inner
    }
}

/// Documents the fields of an object.
private struct FieldTables: Form {
    private(set) var own: FieldTable
    /// The tables of the objects within.
    private(set) var inner: [FieldTable] = []

    init(of name: String) { own = FieldTable(name: name) }

    private mutating func add(_ key: StaticString, _ format: some Format, _ need: FieldTable.Need) {
        own.rows.append(FieldTable.Row(key: "\(key)", type: format.name, need: need))
        inner += format.tables
    }

    mutating func field<F: Format>(_ key: StaticString, _ value: inout F.Value, _ format: F) {
        add(key, format, .required)
    }

    mutating func field<F: Format>(_ key: StaticString, optional value: inout F.Value?, _ format: F) {
        add(key, format, .optional)
    }

    mutating func field<F: Format>(_ key: StaticString, written value: @autoclosure () -> F.Value?, _ format: F) {
        own.rows.append(FieldTable.Row(key: "\(key)", type: format.name, need: .written))
    }

    mutating func field(_ key: StaticString, kind: String) {
        own.rows.append(FieldTable.Row(key: "\(key)", type: "`\(kind)`", need: .required))
    }

    mutating func fields<Part: Described>(of part: inout Part?, decidedBy first: StaticString) {
        var tables = FieldTables(of: Part.objectName)
        var value = Part.blank
        value.describe(to: &tables)
        var table = tables.own
        for index in table.rows.indices where table.rows[index].key == "\(first)" { table.rows[index].need = .optional }
        own.rows += table.rows
        inner += tables.inner
    }
}
