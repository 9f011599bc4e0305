// SPDX-License-Identifier: Apache-2.0

import API
import Hummingbird
import Wire

/// The page `openapi.json`. It is printed for each request, so that it takes no memory between requests.
enum OpenAPI {
    static func page(_ addRoutes: (Routes) -> Void) -> [UInt8] {
        var schemas = Schemas()
        var paths: [(String, JSONText?)] = []
        let router = Router(context: WebContext.self)
        addRoutes(
            Routes(router: router) { method, path, route in
                let method = method.rawValue.lowercased()
                let described = operation(
                    route, "\(method)\(path)", needsKey: !AuthMiddleware.openPaths.contains(path), &schemas)
                paths.append((path, JSONText([(method, described)])))
            })
        let page: JSONText = [
            "openapi": "3.1.0",
            "info": [
                "title": "Lockstep node", "version": "1", "summary": "One live session on every screen you own.",
                "description": JSONText(introduction),
                "license": ["name": "Apache 2.0", "identifier": "Apache-2.0"],
            ],
            "paths": JSONText(paths),
            "components": [
                "schemas": JSONText(schemas.components.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }),
                "securitySchemes": [
                    "bearer": ["type": "http", "scheme": "bearer"],
                    "cookie": ["type": "apiKey", "in": "cookie", "name": JSONText(KeyCookie.name)],
                ],
            ],
        ]
        return Array(page.text.utf8)
    }

    private static func operation(
        _ route: Route, _ name: String, needsKey: Bool, _ schemas: inout Schemas
    ) -> JSONText {
        let parameters = route.query.map { parameter -> JSONText in
            [
                "name": JSONText(parameter.name), "in": "query",
                "required": JSONText(booleanLiteral: parameter.isRequired),
                "description": JSONText(parameter.about), "schema": JSONText(parameter.schema),
            ]
        }
        var answers: [(String, JSONText?)] = []
        let refused = Route.Answer.problem(401, "The key is missing or not valid for this node.")
        for answer in (route.answers + (needsKey ? [refused] : [])).sorted(by: { $0.status < $1.status }) {
            let schema = answer.schema(&schemas)
            let content = answer.type.map { type in JSONText([(type, ["schema": schema] as JSONText)]) }
            let described: JSONText = ["description": JSONText(answer.about), "content": content]
            answers.append(("\(answer.status)", described))
        }
        var body: JSONText?
        if let request = route.request {
            let schema = request(&schemas)
            body = ["required": true, "content": ["application/json": ["schema": schema]]]
        }
        let id = name.split { !$0.isLetter && !$0.isNumber }.joined(separator: "-")
        let security: JSONText = [[:], ["bearer": []], ["cookie": []]]
        return [
            "summary": JSONText(route.summary), "operationId": JSONText(id), "parameters": JSONText(parameters),
            "requestBody": body, "responses": JSONText(answers), "security": needsKey ? security : [],
        ]
    }

    private static let introduction = """
        Served at the addresses in LOCKSTEP_HTTP and LOCKSTEP_HTTPS. Requests over loopback for a loopback host need no key, unless \
        LOCKSTEP_HTTP_LOCAL_KEY is on (by default with LOCKSTEP_HTTP_HOSTS) or a proxy forwarded the request (a \
        forwarding header, or a host of LOCKSTEP_HTTP_HOSTS). All other requests need a key: as a bearer token, or in the \
        cookie that a link sets (lockstep phone add, lockstep kiosk). Mutating requests must be JSON and same-origin \
        (programs send no Origin). Times are in milliseconds. The length of a text is limited in bytes of UTF-8 \
        (x-maxBytes); maxLength counts characters and is exact for ASCII only.
        """
}
