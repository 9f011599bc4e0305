// SPDX-License-Identifier: Apache-2.0

import Display
import Hummingbird
import NIOCore
import Session
import Wire

/// The routes for people's screens: the kiosk page, its timeline, widgets; and for those who look after the node.
struct PageRoutes: Sendable {
    let node: any NodeAccess
    let displays: Displays
    let kiosk: KioskReport

    func addRoutes(to router: Router<WebContext>) {
        router.get("/") { request, _ in try page(request) }
        router.get("/kiosk.css") { _, _ in try Self.file("kiosk.css", "text/css; charset=utf-8") }
        router.get("/kiosk.js") { _, _ in try Self.file("kiosk.js", "text/javascript; charset=utf-8") }
        router.get("/openapi.json") { _, _ in try Self.file("openapi.json", "application/json") }
        router.get("/v1/timeline") { request, context in try await timeline(request, context) }
        router.get("/qr.svg") { request, context in try qr(request, context) }
        router.get("/v1/clock") { _, _ in
            Response(Array(#"{"boot":\#(await node.shown().boot)}"#.utf8), type: "application/json")
        }
        router.get("/health") { _, _ in
            let metrics = await node.metrics()
            let word = metrics.isSaved ? "ok" : "unsaved"
            return Response(
                Array(#"{"status":"\#(word)","linked":\#(metrics.isLinked)}"#.utf8), type: "application/json",
                status: metrics.isSaved ? .ok : .serviceUnavailable)
        }
        router.get("/metrics") { _, _ in
            let metrics = Metrics(await node.metrics(), displays: await displays.count)
            return Response(Array(metrics.text.utf8), type: "text/plain; version=0.0.4; charset=utf-8")
        }
    }

    static func file(_ name: String, _ type: String) throws -> Response {
        guard let bytes = Assets.bytes(named: name) else { throw HTTPError(.notFound) }
        // Another version of the program has another page under the same name.
        return Response(bytes, type: type, cache: "no-cache")
    }

    /// The page, unless its address holds what it could only pass over.
    private func page(_ request: Request) throws -> Response {
        do throws(Refused) {
            try PageParameters.check(request.query)
        } catch {
            return error.response
        }
        return try Self.file("kiosk.html", "text/html; charset=utf-8")
    }

    /// The page's own address as whoever stands before it can open it: with the key that this page has itself.
    private func qr(_ request: Request, _ context: WebContext) throws -> Response {
        var query = request.query
        do throws(Refused) {
            try PageParameters.check(query)
        } catch {
            return error.response
        }
        let wantsControl = !Displays.Wish.isOff(query.removeValue(forKey: "controls")) && context.access == .control
        query["qr"] = nil
        let isOpen = kiosk.isLoopback && context.isLocal && kiosk.needsLocalKey != true
        query["key"] = isOpen ? nil : wantsControl ? kiosk.controlKey : kiosk.viewKey
        let authority = request.head.authority ?? ""
        let host = Gate.host(of: authority)
        let isHere = host == "localhost" || host.hasPrefix("127.") || host == "::1"
        let reachable = isHere && !kiosk.isLoopback ? "\(kiosk.machine).local:\(kiosk.port ?? 80)" : authority
        let address = KioskReport.link(to: reachable, query: query)
        guard let code = QRCode(address) else {
            return Refused(.unprocessableContent, "the address is too long for a QR code").response
        }
        return Response(Array(code.svg.utf8), type: "image/svg+xml")
    }

    private static let full = Refused(
        .serviceUnavailable, "all event streams of this node are in use; it has \(Displays.most)")

    private func timeline(_ request: Request, _ context: WebContext) async throws -> Response {
        do throws(Refused) {
            let wish = try Displays.Wish(
                request.query, header: request.headers[.acceptLanguage], access: context.access)
            let viewer: Displays.Viewer = context.isLocal ? .local : .key(context.access)
            guard await displays.hasRoom(for: viewer) else { throw Self.full }
            return .eventStream { [displays, channel = context.channel] writer in
                // An empty write: the head has gone before it.
                try await writer.write(ByteBuffer())
                guard let seat = await displays.join(wish, as: viewer, on: channel) else { return }
                for await _ in seat.end {}
                await displays.leave(seat.id)
            }
        } catch {
            return error.response
        }
    }
}

extension Displays.Wish {
    init(_ query: [String: String], header: String?, access: Access) throws(Refused) {
        face = try PageParameters.face(query)
        language = Strings.wished(query["lang"], header: header).language
        isReadOnly = access == .view || Self.isOff(query["controls"])
    }

    static func isOff(_ value: String?) -> Bool { ["0", "no", "off", "false"].contains(value ?? "") }
}

extension Strings {
    /// The language that a request asks for: by name, else as the browser has it.
    static func wished(_ language: String?, header: String?) -> Strings {
        if let language, !language.isEmpty { return Catalogue.best(for: [language]) }
        return Catalogue.best(forAcceptLanguage: header ?? "")
    }
}
