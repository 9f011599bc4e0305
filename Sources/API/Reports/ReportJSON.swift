// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The JSON of private files and of the output of commands, with sorted keys and without escaped slashes.
package enum ReportJSON {
    package static func encode(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Only a number that is not finite could fail, and no value has one.
        return (try? encoder.encode(value)).map { [UInt8]($0) } ?? Array("{}".utf8)
    }

    package static func text(_ value: some Encodable) -> String { String(decoding: encode(value), as: UTF8.self) }

    package static func decode<Value: Decodable>(_ type: Value.Type = Value.self, from json: [UInt8]) throws -> Value {
        try JSONDecoder().decode(type, from: Data(json))
    }

    /// Returns JSON with one field per line.
    package static func pretty(_ json: [UInt8]) -> [UInt8] {
        var (text, depth, isString, isEscaped) = ([UInt8](), 0, false, false)
        func newLine() { text += [10] + Array(repeating: 32, count: 2 * depth) }
        for (index, byte) in json.enumerated() {
            guard !isString else {
                text.append(byte)
                isString = isEscaped || byte != UInt8(ascii: "\"")
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
                continue
            }
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                text.append(byte)
                if ![UInt8(ascii: "}"), UInt8(ascii: "]")].contains(json[index + 1]) { newLine() }
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if ![UInt8(ascii: "{"), UInt8(ascii: "[")].contains(json[index - 1]) { newLine() }
                text.append(byte)
            case UInt8(ascii: ","):
                text.append(byte)
                newLine()
            case UInt8(ascii: ":"): text += [byte, 32]
            default:
                text.append(byte)
                isString = byte == UInt8(ascii: "\"")
            }
        }
        return text
    }
}
