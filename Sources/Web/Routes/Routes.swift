// SPDX-License-Identifier: Apache-2.0

import API
import Display
import Hummingbird
import Session
import Wire

/// The routes of a server that `openapi.json` describes. Each is described where it is registered.
///
/// Those of the control socket alone, for phones and the kiosk page, are for commands, and are added to its router.
struct Routes {
    let router: Router<WebContext>
    /// Called with the description of each route; `nil` unless `openapi.json` is being printed.
    var describe: ((_ method: HTTPRequest.Method, _ path: String, Route) -> Void)?

    func get(
        _ path: String, _ route: @autoclosure () -> Route,
        _ handler: @escaping @Sendable @concurrent (Request, WebContext) async throws -> Response
    ) {
        router.get(RouterPath(path), use: handler)
        describe?(.get, path, route())
    }

    func post(
        _ path: String, _ route: @autoclosure () -> Route,
        _ handler: @escaping @Sendable @concurrent (Request, WebContext) async throws -> Response
    ) {
        router.post(RouterPath(path), use: handler)
        describe?(.post, path, route())
    }

    func file(_ name: String, _ type: String, _ summary: String, cache: String = "no-cache") {
        get("/\(name)", Route(summary, [.ok(type, "The file.")])) { _, _ in
            try PageRoutes.file(name, type, cache: cache)
        }
    }
}

/// The description of a route in `openapi.json`.
struct Route {
    var summary: String
    var answers: [Answer]
    var query: [Parameter]
    /// The schema of the body.
    var request: Schema?

    typealias Schema = (inout Schemas) -> JSONText

    init(_ summary: String, _ answers: [Answer], query: [Parameter] = [], request: Schema? = nil) {
        self.summary = summary
        self.answers = answers + [.problem(421, "The Host header is not a name of this node.")]
        self.query = query
        self.request = request
    }

    /// Describes a page with its parameters.
    static func page(_ summary: String, query: [Parameter]) -> Route {
        let paired = Answer(status: 303, about: "Moves the key of a paired link to a cookie.")
        return Route(summary, [.ok("text/html", "The page."), paired, .badParameter], query: query + [.key])
    }

    static func action<Object: Described>(_ summary: String, _ type: Object.Type, _ answers: [Answer]) -> Route {
        let problems: [Answer] = [
            .problem(400, "The request ended before its body was complete."),
            .problem(403, "The request comes from another site's page, or the key is read-only."),
            .problem(408, "The body took longer than \(Timeouts().body.components.seconds) seconds."),
            .problem(413, "The body has more than \(Limits.payloadBytes) bytes."),
            .problem(415, "The content type is not application/json."),
            .problem(417, "The Expect header is not 100-continue."),
            .problem(422, "A value is invalid; field names it."),
        ]
        return Route(summary, answers + problems, request: { $0.reference(to: type) })
    }

    /// Describes a request that the owner of the session answers.
    static func press<Object: Described>(_ summary: String, _ type: Object.Type) -> Route {
        action(
            summary, type,
            [
                .reply(200, "Applied, or no change was needed."),
                .problem(404, "There is no session, or no preset of that name."),
                .problem(409, "The owner refused the request; see reason."),
                .problem(504, "The owner did not answer in time."),
            ])
    }

    /// A response to a request.
    struct Answer {
        var status: Int
        var about: String
        var type: String?
        var schema: Schema = { _ in ["type": "string"] }

        static func ok(_ type: String, _ about: String) -> Answer {
            // The type alone, without its character set.
            Answer(status: 200, about: about, type: String(type.prefix { $0 != ";" })) { _ in
                // No schema: it would be that of one event, which has several fields.
                type == "text/event-stream" ? [:] : ["type": type.hasSuffix("json") ? "object" : "string"]
            }
        }

        static func json(_ about: String, status: Int = 200, _ schema: @escaping Schema) -> Answer {
            Answer(status: status, about: about, type: "application/json", schema: schema)
        }

        /// A response with a ``ReplyReport``.
        static func reply(_ status: Int, _ about: String) -> Answer {
            json(about, status: status) { $0.reference(to: ReplyReport.self) }
        }

        /// An error response, which has a ``ReplyReport`` too.
        static func problem(_ status: Int, _ about: String) -> Answer { reply(status, about) }

        static var badParameter: Answer { problem(422, "A parameter is invalid; field names it.") }
    }

    /// A query parameter as the OpenAPI page describes it.
    struct Parameter {
        var name: String
        var about: String
        var schema: [(String, JSONText?)] = [("type", "string")]
        var isRequired = false

        static let lang = Parameter(name: "lang", about: "The language; by default the browser's.")
        static let key = Parameter(name: "key", about: "The key of a paired link.")
        static let controls = Parameter(
            name: "controls",
            about: "0: no buttons. 1: on the kiosk page, also buttons that start presets while there is no session.")
        static let screen = Parameter(
            name: "screen",
            about: "If given by a browser of this machine, the page is that of the machine's own screen. It opens its "
                + "stream when it is seen.")
        static var face: Parameter { .word("face", "The style of the display.", Face.allCases.map(\.rawValue)) }
        static var idle: Parameter {
            .word(
                "idle", "What the page shows without a session, except on the boring face; by default clock.",
                Idle.allCases.map(\.rawValue))
        }
        static let near = Parameter(
            name: "near",
            about: "How long before its end a running phase is marked, as 5m; never on the boring face. The pattern is "
                + "incomplete.", schema: [("type", "string"), ("pattern", "^[1-9][0-9]{0,2}[sm]$")])
        static var theme: Parameter {
            .word("theme", "By default the browser's; dark on the kiosk page.", Theme.allCases.map(\.rawValue))
        }

        static func word(_ name: String, _ about: String, _ words: [String]) -> Parameter {
            Parameter(
                name: name, about: about, schema: [("type", "string"), ("enum", JSONText(words.map { JSONText($0) }))])
        }

        /// A number. The bounds are JSON.
        static func number(
            _ name: String, _ about: String, _ least: JSONText, _ most: JSONText, type: JSONText = "number"
        ) -> Parameter {
            Parameter(name: name, about: about, schema: [("type", type), ("minimum", least), ("maximum", most)])
        }
    }
}
