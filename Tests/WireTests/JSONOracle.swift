// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Any JSON value, read by Foundation: an independent parser for tests.
enum JSONOracle: Codable, Equatable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSONOracle])
    case object([String: JSONOracle])

    /// Tries the most frequent types first, since the test library takes a backtrace of every error.
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if var items = try? decoder.unkeyedContainer() {
            var values: [JSONOracle] = []
            while !items.isAtEnd { values.append(try items.decode(JSONOracle.self)) }
            self = .array(values)
        } else {
            let fields = try decoder.container(keyedBy: Key.self)
            var values: [String: JSONOracle] = [:]
            for key in fields.allKeys { values[key.stringValue] = try fields.decode(JSONOracle.self, forKey: key) }
            self = .object(values)
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }

    static func accepts(_ bytes: [UInt8]) -> Bool {
        (try? JSONDecoder().decode(JSONOracle.self, from: Data(bytes))) != nil
    }

    subscript(key: String) -> JSONOracle? {
        guard case .object(let fields) = self else { return nil }
        return fields[key]
    }

    private struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
