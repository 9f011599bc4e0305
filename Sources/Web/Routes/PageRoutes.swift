// SPDX-License-Identifier: Apache-2.0

import API
import CWebAssets
import Display
import Hummingbird
import NIOCore
import Platform
import Session
import Wire

/// The routes of the kiosk page, of files that pages share, and of monitoring.
struct PageRoutes: Sendable {
    let node: any NodeAccess
    let streams: EventStreams
    let kiosk: KioskReport
    let screen: OwnScreen
    /// Returns the node's own authority for HTTPS as PEM; `nil` if it has none.
    var authority: @Sendable () -> [UInt8]? = { nil }

    /// The path of the authority, which needs no key: a phone installs it before it is paired.
    static let authorityPath = "/authority.crt"

    func addRoutes(to routes: Routes) {
        routes.get("/", .page("The kiosk page.", query: Self.parameters)) { request, _ in try page(request) }
        routes.file("kiosk.css", "text/css; charset=utf-8", "The page's style sheet.")
        routes.file("kiosk.js", "text/javascript; charset=utf-8", "The page's script.")
        routes.file("live.js", "text/javascript; charset=utf-8", "The script that pages with a session share.")
        routes.file(
            "alerts.js", "text/javascript; charset=utf-8",
            "Sound, notification and vibration at the end of a phase, for all pages.")
        routes.file("look.css", "text/css; charset=utf-8", "The palette and the typeface of all pages.")
        for name in Self.typeface {
            routes.file(name, "font/woff2", "A part of the typeface.", cache: "max-age=31536000, immutable")
        }
        routes.get(
            Self.authorityPath,
            Route(
                "The node's own authority for HTTPS, which a phone installs to trust the node; needs no key.",
                [
                    .ok("application/x-x509-ca-cert", "The certificate in PEM format."),
                    .problem(404, "The node serves no HTTPS, or uses a certificate of another authority."),
                ])
        ) { _, _ in
            guard let authority = authority() else {
                throw HTTPProblem(.notFound, "this node has no authority of its own, which it makes with --https")
            }
            return Response(authority, type: "application/x-x509-ca-cert")
        }
        let summary = """
            What the kiosk page draws until the next change, sent again after each change; a heartbeat every \
            \(Timeouts().beat.components.seconds) seconds.
            """
        let tooManyStreams = """
            Too many event streams are open. The limit is \(EventStreams.limit); \(EventStreams.reservedForLocal) of them \
            are reserved for this machine; each shared key may open \(EventStreams.keyLimit), and each phone \
            \(EventStreams.phoneLimit).
            """
        routes.get(
            "/v1/timeline",
            Route(
                summary,
                [
                    .ok("text/event-stream", "Server-sent events named timeline and beat."), .badParameter,
                    .problem(503, tooManyStreams),
                ],
                query: [
                    .face, .lang, .controls, .screen, .idle, .near,
                    Route.Parameter(
                        name: "remote", about: "If given, every operation that the owner would apply has a button."),
                ])
        ) { request, context in try await timeline(request, context) }
        routes.get(
            "/qr.svg",
            Route(
                "A QR code of the kiosk page's address, with the key that only looks, or none where none is needed.",
                [.ok("image/svg+xml", "The image."), .badParameter], query: [.face, .lang])
        ) { request, context in try qr(request, context) }
        routes.get(
            "/v1/clock",
            Route("The node's boot clock.", [.json("The reading.") { $0.reference(to: BootReport.self) }])
        ) { _, _ in .json(BootReport(boot: await node.snapshot().boot).encoded) }
        let unsaved = "The node answers, but changes cannot be saved to its state directory."
        routes.get(
            "/health",
            Route(
                "The node's health; needs no key.",
                [
                    .json("The node answers, and all changes are on disk.") { $0.reference(to: HealthReport.self) },
                    .json(unsaved, status: 503) { $0.reference(to: HealthReport.self) },
                ])
        ) { _, _ in
            let metrics = await node.metrics()
            return .json(
                HealthReport(status: metrics.isSaved ? .ok : .unsaved, linked: metrics.isLinked).encoded,
                status: metrics.isSaved ? .ok : .serviceUnavailable)
        }
        routes.get(
            "/metrics",
            Route("The node's counters, for Prometheus.", [.ok("text/plain", "Text format 0.0.4.")])
        ) { _, _ in
            let metrics = PrometheusText(await node.metrics(), displays: await streams.count)
            return Response(Array(metrics.text.utf8), type: "text/plain; version=0.0.4; charset=utf-8")
        }
    }

    static var parameters: [Route.Parameter] {
        [
            .face, .lang, .theme, .controls, .screen, .idle, .near,
            Route.Parameter(
                name: "sound", about: "1: a chime at the end of each phase, never on the boring face."),
            Route.Parameter(
                name: "blank",
                about: "Hours such as 23:00-07:00 in which the page is black, or dim while a session is live."),
            Route.Parameter(name: "qr", about: "1: shows a QR code of this page."),
            .number(
                "scale", "The size, as a part of the largest that fits.",
                JSONText(PageParameters.scales.lowerBound), JSONText(PageParameters.scales.upperBound)),
            Route.Parameter(
                name: "hide",
                about: "Parts to leave out, separated by commas: \(PageParameters.parts.joined(separator: ", "))."),
        ]
    }

    /// The files of the typeface. A new version gets a new name, so that browsers can keep a file for a year.
    static let typeface = ["inter-text.v1.woff2", "inter-bold.v1.woff2", "inter-digits.v1.woff2"]

    /// Returns an embedded file.
    /// - Parameter cache: By default revalidated, because another version of the program serves another file under the
    ///   same name.
    static func file(_ name: String, _ type: String, cache: String = "no-cache") throws -> Response {
        guard let bytes = bytes(named: name) else { throw HTTPError(.notFound) }
        return Response(bytes, type: type, cache: cache)
    }

    static func bytes(named name: String) -> [UInt8]? {
        var count = 0
        guard let bytes = web_asset(name, &count) else { return nil }
        return Array(UnsafeBufferPointer(start: bytes, count: count))
    }

    private func page(_ request: Request) throws -> Response {
        try PageParameters.check(request.query)
        return try Self.file("kiosk.html", "text/html; charset=utf-8")
    }

    /// Returns a QR code of the page's address, with the key that only looks.
    ///
    /// Everyone who passes the screen can scan it, so it never has the key to press; phones that press are paired. A
    /// code shown on a phone has no key: the shared key would outlast the phone's own.
    private func qr(_ request: Request, _ context: WebContext) throws -> Response {
        var query = request.query
        try PageParameters.check(query)
        query["qr"] = nil
        query["controls"] = nil
        let page = kiosk.pageForOthers
        let isOpen = page?.isLoopback != false && context.isLocal && !kiosk.needsLocalKey
        query["key"] = isOpen || context.phone != nil ? nil : kiosk.viewKey
        let authority = request.head.authority ?? ""
        var origin = "\(context.isSecure ? "https" : "http")://\(authority)"
        if HostText.isLoopback(AuthMiddleware.host(of: authority)), let page, !page.isLoopback {
            origin = page.origin(at: "\(kiosk.machine).local")
        }
        let address = KioskReport.link(to: origin, query: query.values)
        guard let code = QRCode(address) else {
            throw HTTPProblem(.unprocessableContent, "the address is too long for a QR code")
        }
        return Response(Array(code.svg.utf8), type: "image/svg+xml")
    }

    private func timeline(_ request: Request, _ context: WebContext) async throws -> Response {
        let options = try EventStreams.StreamOptions(
            request.query, header: request.headers[.acceptLanguage], access: context.access)
        let viewer = EventStreams.Viewer(context)
        let isOnScreen = context.isLocal && request.query["screen"] != nil
        try await streams.checkRoom(for: viewer)
        return .eventStream(for: request) { [streams, screen, channel = context.channel] writer in
            // An empty write sends the response head.
            try await writer.write(ByteBuffer())
            guard let subscription = await streams.join(options, as: viewer, on: channel) else { return }
            if isOnScreen { screen.begin() }
            for await _ in subscription.end {}
            if isOnScreen { screen.end() }
            await streams.leave(subscription.id)
        }
    }
}

extension EventStreams.StreamOptions {
    init(_ query: Query, header: String?, access: AccessLevel) throws(RequestError) {
        face = try query.word("face") ?? .focus
        idle = try query.word("idle") ?? .clock
        near = face == .boring ? nil : try query.near()
        language = Strings.requested(query["lang"], header: header).language
        isReadOnly = try !access.mayPress(by: query)
        hasAllActions = query["remote"] != nil
        let wantsControls = try query.flag("controls") == true
        offersStarts = !isReadOnly && face.hasButtons && wantsControls
    }
}

extension Strings {
    /// Returns the strings of the `lang` parameter's language, else of the browser's preferred one.
    static func requested(_ language: String?, header: String?) -> Strings {
        if let language, !language.isEmpty { return Catalogue.best(for: [language]) }
        return Catalogue.best(forAcceptLanguage: header ?? "")
    }
}
