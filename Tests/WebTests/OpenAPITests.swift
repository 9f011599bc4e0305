// SPDX-License-Identifier: Apache-2.0

import Control
import Display
import FoundationEssentials
import Hummingbird
import Session
import Testing
import Wire

@testable import Web

/// `openapi.json` describes all routes and fields, and no others.
@Suite(.timeLimit(.minutes(5))) struct OpenAPITests {
    private struct Document: Decodable {
        var openapi: String
        var paths: [String: [String: Operation]]
        var components: Components

        struct Operation: Decodable {
            var operationId: String
            var responses: [String: Anything]
        }

        struct Components: Decodable {
            var schemas: [String: Schema]
        }

        struct Schema: Decodable {
            var type: String?
            var properties: [String: Anything]?
            var required: [String]?
        }

        struct Anything: Decodable {}
    }

    private static func document() throws -> Document {
        let bytes = try #require(PageRoutes.bytes(named: "openapi.json"))
        return try JSONDecoder().decode(Document.self, from: Data(bytes))
    }

    @Test func descriptionsMatchTheRoutes() throws {
        let node = FakeNode()
        let kiosk = KioskReport(machine: "pi")
        let router = HTTPServer.router(
            node: node, displays: Displays(node: node), kiosk: kiosk,
            auth: AuthMiddleware(keys: nil, phones: try LiveServer.phones(), hosts: []))
        let routes = Set(router.routes.map { "\($0.method.rawValue.lowercased()) \($0.path)" })
        let document = try Self.document()
        #expect(document.openapi == "3.1.0")
        let described = Set(document.paths.flatMap { path, item in item.keys.map { "\($0) \(path)" } })
        #expect(routes.subtracting(described) == [], "routes without description")
        #expect(described.subtracting(routes) == [], "descriptions without route")
        let ids = document.paths.values.flatMap { $0.values.map(\.operationId) }
        #expect(Set(ids).count == ids.count)
        for (path, item) in document.paths {
            for (method, operation) in item where method == "post" {
                let known = Set(operation.responses.keys)
                // A sound level has no reply.
                let own: Set = path == "/v1/sound" ? ["204", "503"] : ["200", "404", "409", "504"]
                #expect(known.isSuperset(of: own.union(["413", "415", "422"])), "\(path)")
            }
        }
    }

    @Test func descriptionListsAllColoursAndDrawings() throws {
        let bytes = try #require(PageRoutes.bytes(named: "openapi.json"))
        let document = String(decoding: bytes, as: UTF8.self)
        #expect(document.contains("|" + NamedColours.names.joined(separator: "|") + ")$"))
        #expect(document.contains("a built-in drawing: \(Icon.names)."))
    }

    @Test func schemasMatchTheReports() async throws {
        let schemas = try Self.document().components.schemas
        func fields(_ report: some Encodable) throws -> Set<String> {
            let decoded = try JSONDecoder().decode([String: Any_].self, from: Data(ReportJSON.encode(report)))
            return Set(decoded.keys)
        }
        let session = try #require(schemas["Session"])
        #expect(try fields(await FakeNode().status()) == Set(session.properties?.keys.map(\.self) ?? []))
        #expect(Set(session.required ?? []) == Set(session.properties?.keys.map(\.self) ?? []))
        let reply = try #require(schemas["Reply"])
        #expect(try fields(ReplyReport(.noSession)) == Set(reply.properties?.keys.map(\.self) ?? []))
    }

    /// A schema counts characters and the node counts bytes: each text states both, and the node accepts exactly that.
    @Test func textLimitsMatchTheSchema() throws {
        let bytes = try #require(PageRoutes.bytes(named: "openapi.json"))
        let schemas = try JSONDecoder().decode(Texts.self, from: Data(bytes)).components.schemas
        var texts = 0
        for (name, schema) in schemas {
            for alternative in schema.oneOf ?? [schema] {
                for (field, text) in alternative.properties ?? [:] {
                    guard let most = text.maxLength else { continue }
                    texts += 1
                    #expect(text.maxBytes == most, "\(name).\(field)")
                    #expect(text.description?.contains("UTF-8") == true, "\(name).\(field)")
                    for character in ["a", "é", "📚"] {
                        let fitting = String(repeating: character, count: most / character.utf8.count)
                        #expect(accepts(fitting, as: field, of: name), "\(name).\(field): \(fitting)")
                        // One character more is too many bytes; the schema alone would still allow it for é and 📚.
                        #expect(!accepts(fitting + character, as: field, of: name), "\(name).\(field): \(fitting)")
                    }
                }
            }
        }
        #expect(texts == 13)
    }

    private func accepts(_ text: String, as field: String, of schema: String) -> Bool {
        if schema == "IntentRequest" {
            let json = "{\"op\":\"correct\",\"\(field)\":\"\(text)\"}"
            let intent: IntentRequest? = try? ReportJSON.decode(from: Array(json.utf8))
            return intent.flatMap { try? $0.press() } != nil
        }
        var request: [String: String] = [field: "\"\(text)\"", "seconds": "60"]
        if schema == "PhaseRequest" { request = ["phases": "[{\"seconds\":60,\"\(field)\":\"\(text)\"}]"] }
        let json = "{" + request.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
        let start: StartRequest? = try? ReportJSON.decode(from: Array(json.utf8))
        return start.flatMap { try? $0.start() } != nil
    }

    private struct Texts: Decodable {
        var components: Components

        struct Components: Decodable { var schemas: [String: Schema] }

        struct Schema: Decodable {
            var properties: [String: Text]?
            var oneOf: [Schema]?
        }

        struct Text: Decodable {
            var maxLength: Int?
            var maxBytes: Int?
            var description: String?

            enum CodingKeys: String, CodingKey {
                case maxLength, description
                case maxBytes = "x-maxBytes"
            }
        }
    }

    private struct Any_: Decodable {
        init(from decoder: any Decoder) throws {}
    }
}
