// SPDX-License-Identifier: Apache-2.0

import API
import Display
import Hummingbird
import NIOCore
import Session
import Support
import Testing
import Wire

@testable import Web

/// `openapi.json` describes all routes and fields, and no others.
@Suite(.timeLimit(.minutes(15))) struct OpenAPITests {
    private let router: Router<WebContext>
    private let document: JSON

    init() async throws {
        let node = FakeNode()
        let keys = KioskReport(machine: "pi", viewKey: "view", controlKey: "control")
        router = HTTPServer.router(
            node: node, streams: EventStreams(node: node), kiosk: keys,
            auth: AuthMiddleware(keys: SharedKeys(keys), phones: try LiveServer.phones(), hosts: ["localhost"]))
        let answer = try await RouteClient(router).execute(
            uri: "/openapi.json", method: .get, headers: [.authorization: "Bearer view"])
        document = try JSON(Array(answer.body.readableBytesView))
    }

    private var schemas: JSON { document.components.schemas }

    @Test func descriptionsMatchTheRoutes() throws {
        let routes = Set(
            router.routes.filter { $0.method != .head }.map { "\($0.method.rawValue.lowercased()) \($0.path)" })
        #expect(document.openapi == "3.1.0")
        let paths = document.paths
        let operations = paths.keys.flatMap { path in paths[path].keys.map { ("\($0) \(path)", paths[path][$0]) } }
        #expect(Set(operations.map(\.0)) == routes)
        #expect(Set(operations.compactMap(\.1.operationId.text)).count == routes.count)
        for (route, operation) in operations where route.hasPrefix("post") {
            // A sound level has no reply, and no owner answers for an added session.
            let own: Set =
                route.hasSuffix("/v1/sound")
                ? ["204", "503"] : route.hasSuffix("/v1/debt") ? ["200", "503"] : ["200", "404", "409", "504"]
            let shared: Set = ["400", "401", "403", "408", "413", "415", "417", "421", "422"]
            #expect(operation.responses.keys == own.union(shared))
        }
    }

    @Test func descriptionListsAllColoursAndDrawings() {
        let start = schemas.StartRequest.oneOf[0].properties
        #expect(start.colour.pattern.text?.hasSuffix("|" + NamedColours.names.joined(separator: "|") + ")$") == true)
        let icons = Icon.names.split(separator: ", ").joined(separator: "|")
        #expect(start.icon.pattern.text?.hasPrefix("^(\(icons)|") == true)
    }

    @Test func schemasMatchTheReports() async throws {
        let session = schemas.Session
        let fields = try JSON(await FakeNode().status().encoded).keys
        #expect(fields == session.properties.keys)
        #expect(fields == Set(session.required.items.compactMap(\.text)))
        #expect(
            session.properties.stale == [
                "type": "boolean",
                "description":
                    "Whether there has been no contact with the owner for 30 seconds: it is offline, or this node is.",
            ])
        #expect(session.properties.phase.type == ["integer", "null"])
        #expect(session.properties.stamp.anyOf == [["$ref": "#/components/schemas/Stamp"], ["type": "null"]])
        #expect(schemas.PhaseRequest.required == ["seconds"])
        #expect(schemas.PhaseRequest.properties.seconds == ["type": "integer", "minimum": 1, "maximum": 86_400])
        #expect(schemas.SoundRequest.properties.level.minimum == -200)
    }

    /// A schema counts characters and the node counts bytes: each text states both, and the node accepts exactly that.
    @Test func textLimitsMatchTheSchema() {
        var texts = 0
        for name in schemas.keys {
            let forms = schemas[name].oneOf.items
            for form in forms.isEmpty ? [schemas[name]] : forms {
                for field in form.properties.keys {
                    let text = form.properties[field]
                    guard let most = text.maxLength.int.map(Int.init) else { continue }
                    texts += 1
                    #expect(text["x-maxBytes"] == text.maxLength, "\(name).\(field)")
                    #expect(text.description.text?.contains("\(most) bytes of UTF-8") == true, "\(name).\(field)")
                    for character in ["a", "é", "📚"] {
                        let fitting = String(repeating: character, count: most / character.utf8.count)
                        #expect(accepts(fitting, as: field, of: name), "\(name).\(field): \(fitting)")
                        // One character more is too many bytes; the schema alone would still allow it for é and 📚.
                        #expect(!accepts(fitting + character, as: field, of: name), "\(name).\(field): \(fitting)")
                    }
                }
            }
        }
        #expect(texts == 18)
    }

    private func accepts(_ text: String, as field: String, of schema: String) -> Bool {
        if schema == "IntentRequest" {
            let json = "{\"op\":\"correct\",\"\(field)\":\"\(text)\"}"
            return (try? IntentRequest(request: Array(json.utf8)).press()) != nil
        }
        if schema == "AddRequest" {
            let json = "{\"\(field)\":\"\(text)\",\"from\":\"09:00\",\"to\":\"09:50\"}"
            return (try? AddRequest(request: Array(json.utf8)).session(at: 1_800_040_000_000) { _ in 0 }) != nil
        }
        if schema == "MessageRequest" {
            return (try? MessageRequest(request: Array("{\"\(field)\":\"\(text)\"}".utf8)).checked()) != nil
        }
        var request: [String: String] = [field: "\"\(text)\"", "seconds": "60"]
        if schema == "PhaseRequest" { request = ["phases": "[{\"seconds\":60,\"\(field)\":\"\(text)\"}]"] }
        let json = "{" + request.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
        return (try? StartRequest(request: Array(json.utf8)).start()) != nil
    }

    /// The parameters of the kiosk page, and the parts that it can hide.
    @Test func parametersOfTheKioskPageAreThoseOfTheDescription() throws {
        let page = try Project.read("Sources/Web/README.md")
        let rows = page.split(separator: "\n").drop { $0 != "| parameter | effect |" }.dropFirst(2).prefix {
            $0.first == "|"
        }
        let parameters = document.paths["/"].get.parameters.items
        let told = rows.compactMap { row in
            row.split(separator: "`").dropFirst().first.map { String($0.prefix { $0 != "=" }) }
        }
        #expect(told.count > 8)
        #expect(Set(told) == Set(parameters.compactMap(\.name.text)).subtracting(["key"]))
        let parts = rows.first { $0.hasPrefix("| `hide` |") }?.split(separator: "`").map(String.init) ?? []
        let words = stride(from: 3, to: parts.count - 2, by: 2).map { parts[$0] }
        let hide = parameters.first { $0.name == "hide" }?.description.text ?? ""
        #expect(hide.hasSuffix(": " + words.joined(separator: ", ") + "."), "\(words)")
    }
}
