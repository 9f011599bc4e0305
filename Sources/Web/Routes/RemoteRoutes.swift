// SPDX-License-Identifier: Apache-2.0

import API
import Display
import Hummingbird
import Session

/// The routes of the remote page, which a phone can install.
struct RemoteRoutes: Sendable {
    /// The files that a browser may ask for without its cookie, when it installs the page.
    static let pathsWithoutKey = ["/remote.webmanifest", "/remote.svg", "/remote-192.png", "/remote-512.png"]

    /// The path of what the page shows beside the session. Each open page asks for it again and again.
    static let overviewPath = "/v1/overview"

    let node: any NodeAccess

    func addRoutes(to routes: Routes) {
        routes.get(
            "/remote",
            .page("The remote page, which starts and controls sessions.", query: [.lang, .theme, .controls])
        ) { request, _ in
            try PageParameters.check(request.query)
            return try PageRoutes.file("remote.html", "text/html; charset=utf-8")
        }
        routes.file("remote.css", "text/css; charset=utf-8", "The page's style sheet.")
        routes.file("remote.js", "text/javascript; charset=utf-8", "The page's script.")
        routes.file(
            "remote-worker.js", "text/javascript; charset=utf-8", "The page's service worker, which keeps its files.")
        routes.file(
            "remote.webmanifest", "application/manifest+json",
            "The page's manifest, with which a browser installs it.")
        routes.file("remote.svg", "image/svg+xml", "The page's icon.")
        for size in [192, 512] { routes.file("remote-\(size).png", "image/png", "The page's icon.") }
        routes.get(
            Self.overviewPath,
            Route(
                "What the remote page shows besides the session, in words of a language; its fields may change with the "
                    + "page.",
                [
                    .json("Starts, machines, the week, the sessions of seven days, and the page's words.") { _ in
                        ["type": "object"]
                    },
                    .badParameter,
                ], query: [.lang, .controls])
        ) { request, context in try await overview(request, context) }
    }

    private func overview(_ request: Request, _ context: WebContext) async throws -> Response {
        let mayPress = try context.access.mayPress(by: request.query)
        let strings = Strings.requested(request.query["lang"], header: request.headers[.acceptLanguage])
        let (shown, nodes) = (await node.snapshot(), await node.nodes())
        let overview = Overview.json(
            shown.nodeView, nodes: nodes.nodes, week: shown.weekNumbers, recent: shown.recent, presets: shown.presets,
            mayPress: mayPress, groupTime: shown.groupTime, utcOffset: shown.utcOffset, strings: strings)
        return .json(Array(overview.text.utf8))
    }
}
