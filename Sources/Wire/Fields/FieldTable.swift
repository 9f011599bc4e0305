// SPDX-License-Identifier: Apache-2.0

/// The fields of an object as Protocol.md lists them.
package struct FieldTable: Hashable, Sendable {
    /// A row of the table: one field.
    struct Row: Hashable, Sendable {
        var key: String
        var type: String
        var need: Need
    }

    var name: String
    var rows: [Row] = []
}

extension Need {
    /// The words after a type.
    var text: String {
        switch self {
        case .required, .kind: ""
        case .optional: ", optional"
        case .written: ", not read"
        case .nullable: " or `null`"
        case .writtenOrNull: " or `null`, not read"
        }
    }
}

extension Described {
    static var tables: [FieldTable] {
        var tables = FieldTables(of: objectName)
        var value = blank
        value.describe(to: &tables)
        return [tables.own] + tables.inner
    }
}

extension Counts {
    /// The type of a list in Protocol.md.
    func name(of element: some Format) -> String { "\(name) of \(FieldTables(of: element).type)" }
}

/// Makes the tables of an object's fields.
private struct FieldTables: FieldCoder {
    private(set) var own: FieldTable
    /// The tables of the objects within.
    private(set) var inner: [FieldTable] = []

    init(of name: String) { own = FieldTable(name: name) }

    /// Documents the elements of a list, as the only field.
    init<Element: Format>(of element: Element) {
        self.init(of: "")
        var value: Element.Value?
        element.pass("", &value, .required, to: &self)
    }

    var type: String { own.rows.map { $0.type + ($0.need == .optional ? " or `null`" : "") }.joined() }

    private mutating func add(_ key: StaticString, _ type: String, _ need: Need, _ tables: [FieldTable] = []) {
        own.rows.append(FieldTable.Row(key: "\(key)", type: type, need: need))
        inner += tables
    }

    mutating func whole(_ key: StaticString, _ value: inout Int64?, _ format: Whole, _ need: Need) {
        add(key, format.name, need)
    }

    mutating func flag(_ key: StaticString, _ value: inout Bool?, _ need: Need) { add(key, "bool", need) }

    mutating func text<Text: TextFormat>(
        _ key: StaticString, _ value: inout Text.Value?, _ format: Text, _ need: Need
    ) { add(key, format.name, need) }

    mutating func object<Object: Described>(
        _ key: StaticString, _ value: inout Object?, _ shape: Shape, _ need: Need
    ) { add(key, shape.name(of: Object.self), need, Object.tables) }

    mutating func list<Element: Format>(
        _ key: StaticString, _ values: inout [Element.Value]?, of element: Element, _ counts: Counts, _ need: Need
    ) { add(key, counts.name(of: element), need, FieldTables(of: element).inner) }

    mutating func fields<Part: Described>(of part: inout Part?, decidedBy first: StaticString) {
        var tables = FieldTables(of: Part.objectName)
        var value = Part.blank
        value.describe(to: &tables)
        for row in tables.own.rows {
            own.rows.append(row)
            if row.key == "\(first)" { own.rows[own.rows.count - 1].need = .optional }
        }
        inner += tables.inner
    }
}
