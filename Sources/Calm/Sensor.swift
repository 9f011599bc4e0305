// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Settings

/// The reader of a third-party sensor's payload: a number, or JSON that contains one.
struct Sensor: Hashable, Sendable {
    /// The names and indices that lead to the number; empty for the payload itself.
    private let path: [String]
    private let scale: Double
    private let offset: Double

    /// - Parameter pointer: A JSON pointer (RFC 6901), as `/noise` or `/ANALOG/A0`; empty for the payload itself.
    init?(pointer: String, scale: Double = 1, offset: Double = 0) {
        guard pointer.isEmpty || pointer.hasPrefix("/") else { return nil }
        var path: [String] = []
        for part in pointer.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            var name = ""
            var rest = part
            while let character = rest.popFirst() {
                guard character == "~" else {
                    name.append(character)
                    continue
                }
                switch rest.popFirst() {
                case "0": name.append("~")
                case "1": name.append("/")
                default: return nil
                }
            }
            path.append(name)
        }
        self.path = path
        self.scale = scale
        self.offset = offset
    }

    /// Returns the level in a payload, in tenths of a decibel; `nil` without a level within ±200 dB.
    func level(in payload: [UInt8]) -> Int? {
        let value: JSONValue
        if path.isEmpty, let number = Double(String(decoding: payload, as: UTF8.self)[...].trimmed) {
            value = .number(number)
        } else if let json = try? JSONDecoder().decode(JSONValue.self, from: Data(payload)) {
            value = json
        } else {
            return nil
        }
        guard let number = value.number(at: path[...]) else { return nil }
        let level = number * scale + offset
        return abs(level) <= 200 ? Int((level * 10).rounded()) : nil
    }
}

/// A decoded JSON value; only what is needed to find a number.
private enum JSONValue: Decodable {
    case number(Double)
    case text(String)
    case list([JSONValue])
    case object([String: JSONValue])
    case other

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let text = try? value.decode(String.self) {
            self = .text(text)
        } else if let list = try? value.decode([JSONValue].self) {
            self = .list(list)
        } else if let object = try? value.decode([String: JSONValue].self) {
            self = .object(object)
        } else {
            self = .other
        }
    }

    func number(at path: ArraySlice<String>) -> Double? {
        guard let name = path.first else {
            switch self {
            case .number(let number): return number
            // Some firmware writes its numbers as text.
            case .text(let text): return Double(text[...].trimmed)
            default: return nil
            }
        }
        switch self {
        case .list(let list):
            guard let index = Int(name), list.indices.contains(index) else { return nil }
            return list[index].number(at: path.dropFirst())
        case .object(let fields): return fields[name]?.number(at: path.dropFirst())
        default: return nil
        }
    }
}
