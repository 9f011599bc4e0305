// SPDX-License-Identifier: Apache-2.0

import Control
import Display
import Hummingbird
import Session
import Wire

/// The routes of the remote page, which a phone can install.
struct RemoteRoutes: Sendable {
    /// The files of the page and their types.
    static let files = [
        ("remote.css", "text/css; charset=utf-8"), ("remote.js", "text/javascript; charset=utf-8"),
        ("remote-worker.js", "text/javascript; charset=utf-8"), ("remote.webmanifest", "application/manifest+json"),
        ("remote.svg", "image/svg+xml"), ("remote-192.png", "image/png"), ("remote-512.png", "image/png"),
    ]
    /// The files that a browser may ask for without its cookie, when it installs the page.
    static let open = files.map { "/\($0.0)" }.filter { $0.hasSuffix(".webmanifest") || $0.hasSuffix("g") }

    /// The path of what the page shows beside the session. Each open page asks for it again and again.
    static let overviewPath = "/v1/overview"

    let node: any NodeAccess

    func addRoutes(to router: Router<WebContext>) {
        router.get("/remote") { request, _ in
            try PageParameters.check(request.query)
            return try PageRoutes.file("remote.html", "text/html; charset=utf-8")
        }
        for (name, type) in Self.files { router.get("/\(name)") { _, _ in try PageRoutes.file(name, type) } }
        router.get("\(Self.overviewPath)") { request, context in await overview(request, context) }
    }

    private func overview(_ request: Request, _ context: WebContext) async -> Response {
        let strings = Strings.requested(request.query["lang"], header: request.headers[.acceptLanguage])
        let (shown, nodes) = (await node.snapshot(), await node.nodes())
        let overview = Overview(
            shown.nodeView, nodes: nodes.nodes, week: shown.weekNumbers, recent: shown.recent, presets: shown.presets,
            mayPress: context.access == .control && !Displays.StreamOptions.isOff(request.query["controls"]),
            groupTime: shown.groupTime.milliseconds, utcOffset: shown.utcOffset, strings: strings)
        return Response(ReportJSON.encode(overview), type: "application/json")
    }
}
