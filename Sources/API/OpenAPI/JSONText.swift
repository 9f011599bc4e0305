// SPDX-License-Identifier: Apache-2.0

package import Wire

/// JSON that is written and not read, such as `openapi.json`.
package struct JSONText: Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package static let null = JSONText(raw: "null")

    package let text: String

    private init(raw text: String) { self.text = text }

    /// Encodes an object by its own description.
    package init(_ object: some Described) { text = String(decoding: object.encoded, as: UTF8.self) }
    package init(_ string: String) { text = String(decoding: TextRule().json(string), as: UTF8.self) }
    package init(stringLiteral string: String) { self.init(string) }
    package init(integerLiteral number: Int64) { self.init(number) }
    package init(_ number: Int64) { text = "\(number)" }
    package init(_ number: Double) { text = "\(number)" }
    package init(booleanLiteral isTrue: Bool) { text = "\(isTrue)" }
    package init(_ items: [JSONText]) { text = "[" + items.map(\.text).joined(separator: ",") + "]" }
    package init(arrayLiteral items: JSONText...) { self.init(items) }

    /// Creates an object; a field without a value is left out.
    package init(_ fields: [(String, JSONText?)]) {
        let fields = fields.compactMap { key, value in value.map { "\(JSONText(key).text):\($0.text)" } }
        text = "{" + fields.joined(separator: ",") + "}"
    }

    package init(dictionaryLiteral fields: (String, JSONText?)...) { self.init(fields) }
}

/// A value that can be written as JSON text.
package protocol JSONWritable {
    var json: JSONText { get }
}

extension String: JSONWritable { package var json: JSONText { JSONText(self) } }
extension Int: JSONWritable { package var json: JSONText { JSONText(Int64(self)) } }
extension Int64: JSONWritable { package var json: JSONText { JSONText(self) } }
extension Bool: JSONWritable { package var json: JSONText { JSONText(booleanLiteral: self) } }
/// A missing value is written as `null`.
extension Optional: JSONWritable where Wrapped: JSONWritable { package var json: JSONText { self?.json ?? .null } }
extension Array: JSONWritable where Element: JSONWritable { package var json: JSONText { JSONText(map(\.json)) } }
