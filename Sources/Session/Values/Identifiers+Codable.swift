// SPDX-License-Identifier: Apache-2.0

// Each decoder throws `DecodingError` for a text that does not follow the grammar.

extension NodeID: Codable {
    public init(from decoder: any Decoder) throws { self = try decoder.text(as: Self.init) }

    public func encode(to encoder: any Encoder) throws { try rawValue.encode(to: encoder) }
}

extension SpaceID: Codable {
    public init(from decoder: any Decoder) throws { self = try decoder.text(as: Self.init) }

    public func encode(to encoder: any Encoder) throws { try rawValue.encode(to: encoder) }
}

extension Token: Codable {
    public init(from decoder: any Decoder) throws { self = try decoder.text(as: Self.init) }

    public func encode(to encoder: any Encoder) throws { try rawValue.encode(to: encoder) }
}

extension Decoder {
    fileprivate func text<Value>(as value: (String) -> Value?) throws -> Value {
        let container = try singleValueContainer()
        guard let value = value(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not an id")
        }
        return value
    }
}
