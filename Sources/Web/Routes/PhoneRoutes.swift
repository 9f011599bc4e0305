// SPDX-License-Identifier: Apache-2.0

import API
import Display
import Hummingbird
import Session
import Wire

/// The routes of paired phones: their list on the control socket, and the link that pairs one.
struct PhoneRoutes: Sendable {
    /// The path of a link, which needs no key.
    static let path = "/pair"

    let phones: PairedPhones

    /// Adds the routes of the control socket, whose users alone may add and remove phones.
    func addControlRoutes(to router: Router<WebContext>) {
        router.get("/v1/phones") { _, _ in Response.json(phones.report.encoded) }
        router.post("/v1/phones") { request, context in try await add(request, context) }
        router.delete("/v1/phones") { request, context in try await remove(request, context) }
    }

    func addRoutes(to routes: Routes) {
        let code = Route.Parameter(name: "code", about: "The secret part of the link.", isRequired: true)
        let spent = "The link was used, is older than \(PhoneBook.linkLife / 60_000) minutes, or never existed."
        let tooMany = "More than \(PhoneBook.wrongLinksPerMinute) wrong links were opened within a minute."
        routes.get(
            Self.path,
            Route(
                "The link of lockstep phone add, which gives one phone a key of its own; needs no key, and works once.",
                [
                    Route.Answer(status: 303, about: "Moves the phone's key to a cookie."),
                    Route.Answer(status: 404, about: spent, type: "text/html"), .problem(429, tooMany),
                    .problem(503, "The phone cannot be saved; the link still works."),
                ], query: [code, .lang])
        ) { request, context in try pair(request, context) }
    }

    private func add(_ request: Request, _ context: WebContext) async throws -> Response {
        let wanted = try PhoneRequest(request: try await context.body(of: request))
        let link = try phones.invite(wanted.name, mayPress: wanted.look != true)
        return .json(link.encoded)
    }

    private func remove(_ request: Request, _ context: WebContext) async throws -> Response {
        try phones.remove(try PhoneRequest(request: try await context.body(of: request)).name)
        return .json(phones.report.encoded)
    }

    /// Gives the phone its key in a cookie and redirects it to the remote page, whose address has no key.
    private func pair(_ request: Request, _ context: WebContext) throws -> Response {
        // A preview of the link must not use it up.
        guard request.method == .get else { return Response(status: .ok) }
        guard let code = request.query["code"], let key = try phones.pair(code) else {
            let strings = Strings.requested(request.query["lang"], header: request.headers[.acceptLanguage])
            return .html(MessagePage.spentPairing(strings), status: .notFound)
        }
        return KeyCookie.redirect(to: "/remote", with: key, isSecure: context.isSecure)
    }
}
