// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Any JSON, so that tests write and read payloads without the code under test.
@dynamicMemberLookup
package enum JSON: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(Int64)
    case fraction(Double)
    case string(String)
    case array([JSON])
    case object([String: JSON])

    package init(_ bytes: [UInt8]) throws { self = try JSONDecoder().decode(JSON.self, from: Data(bytes)) }
    package init(_ text: String) throws { try self.init(Array(text.utf8)) }

    package var bytes: [UInt8] { (try? JSONEncoder().encode(self)).map { [UInt8]($0) } ?? [] }

    /// A field; `null` if there is none.
    package subscript(dynamicMember key: String) -> JSON {
        get { self[key] }
        set { self[key] = newValue }
    }

    package subscript(key: String) -> JSON {
        get { if case .object(let fields) = self { fields[key] ?? .null } else { .null } }
        set {
            guard case .object(var fields) = self else { return }
            fields[key] = newValue
            self = .object(fields)
        }
    }

    package subscript(index: Int) -> JSON { items.indices.contains(index) ? items[index] : .null }

    package var items: [JSON] { if case .array(let items) = self { items } else { [] } }
    package var text: String? { if case .string(let text) = self { text } else { nil } }
    /// The bytes of a text in Base64; empty if it is none.
    package var base64: [UInt8] { text.flatMap { Data(base64Encoded: $0) }.map { [UInt8]($0) } ?? [] }
    package var int: Int64? { if case .number(let number) = self { number } else { nil } }
    package var keys: Set<String> { if case .object(let fields) = self { Set(fields.keys) } else { [] } }
}

extension JSON: Codable {
    /// Tries the most frequent types first, since the test library takes a backtrace of every error.
    package init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let string = try? value.decode(String.self) {
            self = .string(string)
        } else if let number = try? value.decode(Int64.self) {
            self = .number(number)
        } else if let bool = try? value.decode(Bool.self) {
            self = .bool(bool)
        } else if let fraction = try? value.decode(Double.self) {
            self = .fraction(fraction)
        } else if let items = try? value.decode([JSON].self) {
            self = .array(items)
        } else {
            self = .object(try value.decode([String: JSON].self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .null: try value.encodeNil()
        case .bool(let bool): try value.encode(bool)
        case .number(let number): try value.encode(number)
        case .fraction(let fraction): try value.encode(fraction)
        case .string(let string): try value.encode(string)
        case .array(let items): try value.encode(items)
        case .object(let fields): try value.encode(fields)
        }
    }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(stringLiteral text: String) { self = .string(text) }
    package init(integerLiteral number: Int64) { self = .number(number) }
    package init(booleanLiteral bool: Bool) { self = .bool(bool) }
    package init(arrayLiteral items: JSON...) { self = .array(items) }
    package init(dictionaryLiteral fields: (String, JSON)...) {
        self = .object(Dictionary(fields) { _, later in later })
    }
}
