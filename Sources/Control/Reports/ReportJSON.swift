// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Encodes reports and requests as JSON with sorted keys and without escaped slashes.
package enum ReportJSON {
    /// Writes a report.
    /// - Parameter pretty: Whether to write one field per line.
    package static func encode(_ report: some Encodable, pretty: Bool = false) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if pretty { encoder.outputFormatting.insert(.prettyPrinted) }
        // Only a number that is not finite could fail, and no report has one.
        return (try? encoder.encode(report)).map { [UInt8]($0) } ?? Array("{}".utf8)
    }

    /// Reads a report or a request.
    /// - Throws: ``RequestError`` that names the wrong field.
    package static func decode<Report: Decodable>(
        _ type: Report.Type = Report.self, from json: [UInt8]
    ) throws(RequestError) -> Report {
        do {
            return try JSONDecoder().decode(type, from: Data(json))
        } catch let error as RequestError {
            throw error
        } catch let error as DecodingError {
            throw RequestError(error)
        } catch {
            throw RequestError("", "\(error)")
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

    /// Names the field, then the message.
    package var description: String { field.isEmpty ? message : "\(field): \(message)" }

    init(_ error: DecodingError) {
        switch error {
        case .typeMismatch(let type, let context):
            self.init(Self.path(context.codingPath), "must be \(Self.words(for: type))")
        case .valueNotFound(let type, let context):
            self.init(Self.path(context.codingPath), "must be \(Self.words(for: type)), not null")
        case .keyNotFound(let key, let context):
            self.init(Self.path(context.codingPath + [key]), "is missing")
        case .dataCorrupted(let context):
            self.init(
                Self.path(context.codingPath), context.codingPath.isEmpty ? "not JSON" : context.debugDescription)
        @unknown default:
            self.init("", "\(error)")
        }
    }

    static func whole(_ field: String, in range: ClosedRange<Int>) -> RequestError {
        RequestError(field, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
    }

    /// The name of a type in JSON.
    private static func words(for type: Any.Type) -> String {
        switch "\(type)" {
        case "String": "a text"
        case "Bool": "true or false"
        case "Double": "a number"
        case let name where name.hasPrefix("Int"): "a whole number"
        case let name where name.hasPrefix("Array"): "a list"
        default: "an object"
        }
    }

    static func path(_ keys: [any CodingKey]) -> String {
        keys.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
    }
}

/// A key of any name, to find unknown ones.
struct AnyKey: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

extension KeyedDecodingContainer {
    /// A whole number, if the field is there and not `null`.
    /// - Throws: ``RequestError`` with the range for any other value.
    func wholeIfPresent(_ key: Key, in range: ClosedRange<Int>) throws -> Int? {
        guard contains(key), try !decodeNil(forKey: key) else { return nil }
        guard let value = try? decode(Int.self, forKey: key), range.contains(value) else {
            throw RequestError.whole(RequestError.path(codingPath + [key]), in: range)
        }
        return value
    }
}

extension Decoder {
    /// Refuses unknown fields, which are most likely misspelt.
    func refuseKeys(otherThan known: [String]) throws {
        let keys = try container(keyedBy: AnyKey.self).allKeys.map(\.stringValue)
        guard let stranger = keys.sorted().first(where: { !known.contains($0) }) else { return }
        let fields = known.isEmpty ? "it has none" : "fields are \(known.joined(separator: ", "))"
        throw RequestError(
            RequestError.path(codingPath + [AnyKey(stringValue: stranger)]), "is not a field of this request; \(fields)"
        )
    }
}
