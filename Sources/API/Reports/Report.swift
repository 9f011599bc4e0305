// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
package import Wire

extension Described {
    package var encoded: [UInt8] { ObjectFormat<Self>.object().json(self) }

    package init(encoded json: [UInt8]) throws(Rejection) { self = try ObjectFormat<Self>.object().value(of: json) }

    /// Reads a request. An unknown field is an error.
    package init(request json: [UInt8]) throws(RequestError) {
        do throws(Rejection) {
            self = try ObjectFormat<Self>.object().value(of: json, isRequest: true)
        } catch {
            throw RequestError(error.path, error.detail)
        }
    }
}

/// Why a request is not valid.
package struct RequestError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The field, as `phases.2.seconds`; empty when it is the request as a whole.
    package var field: String
    /// The mistake, and a valid value.
    package var message: String

    package init(_ field: String, _ message: String) {
        self.field = field
        self.message = message
    }

    package var description: String { field.isEmpty ? message : "\(field): \(message)" }
}

/// Encodes private files and the output of commands as JSON with sorted keys and without escaped slashes.
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
