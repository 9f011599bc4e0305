// SPDX-License-Identifier: Apache-2.0

package import Wire

/// A coder that collects the fields of requests and reports as JSON schemas.
package struct Schemas: FieldCoder {
    package typealias Failure = Never

    /// A field of an object with its schema.
    struct Field {
        var key: String
        var schema: JSONText
        /// The schema of the field once it is required, without `null`.
        fileprivate var needed: JSONText
        fileprivate(set) var isRequired: Bool

        mutating func require() { (schema, isRequired) = (needed, true) }
    }

    /// The schemas of all objects so far, by name.
    package private(set) var components: [String: JSONText] = [:]
    private var fields: [Field] = []
    private var about: JSONText?

    package init() {}

    /// Adds the schema of an object, unless it was added before, and returns a reference to it.
    package mutating func reference<Object: Described>(to type: Object.Type) -> JSONText {
        let name = type.objectName.prefix(1).uppercased() + type.objectName.dropFirst()
        if components[name] == nil {
            components[name] = [:]
            let fields = fields(of: type)
            components[name] = (type as? any Alternatives.Type)?.schema(of: fields) ?? Self.object(fields)
        }
        return ["$ref": JSONText("#/components/schemas/\(name)")]
    }

    package mutating func list<Object: Described>(of type: Object.Type) -> JSONText {
        ["type": "array", "items": reference(to: type)]
    }

    static func object(_ fields: [Field], about: JSONText? = nil, further: [(String, JSONText?)] = []) -> JSONText {
        let required = fields.filter(\.isRequired).map { JSONText($0.key) }
        return JSONText(
            [
                ("type", "object"), ("description", about),
                ("properties", JSONText(fields.map { ($0.key, $0.schema) })), ("required", JSONText(required)),
                ("additionalProperties", false),
            ] + further)
    }

    /// Returns a schema that an object matches if it has the field, with a value of the given schema.
    static func requiring(_ key: String, _ schema: JSONText) -> JSONText {
        ["properties": JSONText([(key, schema)]), "required": [JSONText(key)]]
    }

    private mutating func fields<Object: Described>(of type: Object.Type) -> [Field] {
        let outer = fields
        fields = []
        var blank = type.blank
        blank.describe(to: &self)
        defer { fields = outer }
        return fields
    }

    private mutating func add(_ key: StaticString, _ need: Need, _ schema: (Need) -> [(String, JSONText?)]) {
        let about = [("description", about)]
        fields.append(
            Field(
                key: "\(key)", schema: JSONText(schema(need) + about), needed: JSONText(schema(.required) + about),
                isRequired: need != .optional))
        self.about = nil
    }

    private static func type(_ name: String, _ need: Need) -> (String, JSONText?) {
        ("type", need == .required ? JSONText(name) : [JSONText(name), "null"])
    }

    package mutating func note(_ about: StaticString) { self.about = JSONText("\(about)") }

    package mutating func whole(_ key: StaticString, _ value: inout Int64?, _ format: Whole, _ need: Need) {
        let unit: Int64 = format.isTenths ? 10 : 1
        let (least, most) = (JSONText(format.range.lowerBound / unit), JSONText(format.range.upperBound / unit))
        let bounds = format.isAny ? [] : [("minimum", least), ("maximum", most)]
        add(key, need) { [Self.type(format.isTenths ? "number" : "integer", $0)] + bounds }
    }

    package mutating func flag(_ key: StaticString, _ value: inout Bool?, _ need: Need) {
        add(key, need) { [Self.type("boolean", $0)] }
    }

    package mutating func text<Text: TextFormat>(
        _ key: StaticString, _ value: inout Text.Value?, _ format: Text, _ need: Need
    ) { add(key, need) { Self.text(format, $0) } }

    /// Returns the schema of a text. Its lengths count characters, while the node counts bytes: equal for ASCII only.
    package static func text(_ format: some TextFormat, _ need: Need = .required) -> [(String, JSONText?)] {
        let words = format.words.map { JSONText($0) } + (need == .required ? [] : [.null])
        let (least, most) = (Int64(format.bytes?.lowerBound ?? 0), format.bytes.map { JSONText(Int64($0.upperBound)) })
        return [
            format.words.isEmpty ? type("string", need) : ("enum", JSONText(words)),
            ("pattern", format.pattern.map { JSONText($0) }), ("minLength", least > 0 ? JSONText(least) : nil),
            ("maxLength", most), ("x-maxBytes", most),
        ]
    }

    package mutating func object<Object: Described>(
        _ key: StaticString, _ value: inout Object?, _ shape: Shape, _ need: Need
    ) {
        let about = about
        let schema = reference(to: Object.self)
        self.about = about
        add(key, need) { $0 == .required ? [("allOf", [schema])] : [("anyOf", [schema, ["type": "null"]])] }
    }

    package mutating func list<Element: Format>(
        _ key: StaticString, _ values: inout [Element.Value]?, of element: Element, _ counts: Counts, _ need: Need
    ) {
        let (outer, about) = (fields, about)
        self.about = nil
        var value: Element.Value?
        element.pass("", &value, .required, to: &self)
        let items = fields.last?.schema
        (fields, self.about) = (outer, about)
        let (least, most) = (JSONText(Int64(counts.range.lowerBound)), JSONText(Int64(counts.range.upperBound)))
        add(key, need) { [Self.type("array", $0), ("items", items), ("minItems", least), ("maxItems", most)] }
    }

    package mutating func fields<Part: Described>(of part: inout Part?, decidedBy first: StaticString) {
        part?.describe(to: &self)
    }
}

/// A request that has several forms, which exclude each other.
protocol Alternatives: Described {
    static func schema(of fields: [Schemas.Field]) -> JSONText
}
