// SPDX-License-Identifier: Apache-2.0

import API
import HTTPTypes
import Hummingbird
import NIOCore
import Platform
import Support
import Synchronization
import Testing
import Wire

@testable import Web

/// Authentication, authorization and CSRF protection of requests from the network.
@Suite(.timeLimit(.minutes(15))) struct AuthMiddlewareTests {
    static let view = String(repeating: "v", count: 32)
    static let control = String(repeating: "c", count: 32)
    private static let calendar = String(repeating: "k", count: 32)

    static func with(
        _ node: FakeNode = FakeNode(), phones: PairedPhones? = nil, _ body: (RouteClient) async throws -> Void
    ) async throws {
        let kiosk = KioskReport(
            host: "0.0.0.0", port: 7_780, isLoopback: false, machine: "pi", viewKey: view, controlKey: control,
            calendarKey: calendar)
        let router = HTTPServer.router(
            node: node, streams: EventStreams(node: node), kiosk: kiosk,
            auth: AuthMiddleware(
                keys: SharedKeys(kiosk), phones: try phones ?? LiveServer.phones(), hosts: ["localhost", "pi"]))
        try await body(RouteClient(router))
    }

    private static let json: HTTPFields = [.contentType: "application/json"]

    private static func bearing(_ key: String) -> HTTPFields { [.authorization: "Bearer \(key)"] }

    @Test func requestsWithoutKeyAreRefused() async throws {
        try await Self.with { client in
            for path in [
                "/", "/kiosk.js", "/week", "/week.css", "/v1/session", "/v1/nodes", "/v1/clock", "/metrics", "/qr.svg",
                "/nothing",
            ] {
                let answer = try await client.get(path)
                #expect(answer.status == .unauthorized, "\(path)")
                #expect(String(buffer: answer.body).contains("lockstep kiosk"), "\(path)")
            }
            #expect(try await client.get("/health").status == .ok)
            for key in ["", "x", Self.view + "v", String(Self.control.dropLast())] {
                #expect(try await client.get("/v1/session", Self.bearing(key)).status == .unauthorized, "\(key)")
            }
            // An invalid key is an error even on a path that needs no key.
            #expect(try await client.get("/health", Self.bearing("x")).status == .unauthorized)
        }
    }

    /// A proxy before the node passes its own password on.
    @Test func thePasswordOfAProxyIsNoKey() async throws {
        try await Self.with { client in
            for (path, cookie, status) in [
                ("/health", nil, 200), ("/v1/session", nil, 401), ("/v1/session", "lockstep=\(Self.view)", 200),
            ] {
                var headers: HTTPFields = [.authorization: "Basic dXNlcjpwYXNz"]
                headers[.cookie] = cookie
                let answer = try await client.get(path, headers)
                #expect(answer.status.code == status, "\(path), \(cookie ?? "no cookie")")
            }
        }
    }

    /// The node reads a connection over TLS for some seconds after it has closed it.
    @Test func aRequestWhosePhoneIsRemovedMeanwhileIsRefused() async throws {
        let directory = try TemporaryDirectory()
        let phones = try LiveServer.phones(at: directory.file("phones"))
        let node = FakeNode()
        try await Self.with(node, phones: phones) { client in
            let key = try #require(try phones.pair(try phones.invite("gone", mayPress: true).code))
            let parts = Mutex(["{\"op\":", "\"pause\"}"])
            let body = AsyncStream<ByteBuffer> {
                let part = parts.withLock { $0.isEmpty ? nil : $0.removeFirst() }
                if part != nil { try? phones.remove("gone") }
                return part.map { ByteBuffer(string: $0) }
            }
            let answer = try await client.execute(
                uri: "/v1/intents", method: .post,
                headers: [.authorization: "Bearer \(key)", .contentType: "application/json"],
                body: RequestBody(asyncSequence: body))
            #expect(answer.status == .unauthorized)
            #expect(node.asked.withLock(\.self).isEmpty)
        }
    }

    @Test func theKeyOfTheCalendarOpensTheCalendarAlone() async throws {
        try await Self.with { client in
            let calendar = try await client.get("/calendar.ics?key=\(Self.calendar)")
            #expect(calendar.status == .ok)
            #expect(calendar.headers[.contentType] == "text/calendar; charset=utf-8")
            #expect(calendar.headers[.setCookie] == nil)
            for path in [
                "/calendar.ics", "/calendar.ics?key=x", "/v1/session?key=\(Self.calendar)", "/?key=\(Self.calendar)",
            ] {
                #expect(try await client.get(path).status == .unauthorized, "\(path)")
            }
            #expect(try await client.get("/v1/session", Self.bearing(Self.calendar)).status == .unauthorized)
        }
    }

    @Test func viewKeyIsReadOnlyAndControlKeyMayPress() async throws {
        let node = FakeNode()
        try await Self.with(node) { client in
            #expect(try await client.get("/v1/session", Self.bearing(Self.view)).status == .ok)
            for path in ["/v1/intents", "/v1/start", "/v1/take", "/v1/sound"] {
                let answer = try await client.post(path, #"{"op":"pause"}"#, Self.json + Self.bearing(Self.view))
                #expect(answer.status == .forbidden, "\(path)")
                #expect(String(buffer: answer.body).contains(#""outcome":"failed""#), "\(path)")
            }
            #expect(node.asked.withLock(\.self).isEmpty)
            let answer = try await client.post(
                "/v1/intents", #"{"op":"pause"}"#, Self.json + Self.bearing(Self.control))
            #expect(answer.status == .notFound)
            #expect(String(buffer: answer.body).contains(#""outcome":"noSession""#))
        }
        #expect(node.asked.withLock(\.self) == ["press pause"])
    }

    @Test func aRequestThatNothingHasCheckedChangesNothing() async throws {
        let (node, router) = (FakeNode(), Router(context: WebContext.self))
        APIRoutes(node: node).addRoutes(to: Routes(router: router))
        #expect(try await RouteClient(router).post("/v1/take", "{}", Self.json).status == .forbidden)
        #expect(node.asked.withLock(\.self).isEmpty)
    }

    @Test func pairedLinkMovesTheKeyToACookie() async throws {
        try await Self.with { client in
            let link = "/?controls=0&face=calm&key=\(Self.view)"
            let answer = try await client.get(link)
            #expect(answer.status == .seeOther)
            #expect(answer.headers[.location] == "/?controls=0&face=calm")
            let cookie = try #require(answer.headers[.setCookie])
            #expect(cookie.contains("HttpOnly"))
            #expect(cookie.contains("SameSite=Lax"))
            let page = try await client.get("/", [.cookie: "lockstep=\(Self.view)"])
            #expect(page.status == .ok)
            #expect(page.headers[.contentType] == "text/html; charset=utf-8")
            #expect(try await client.get("/?key=guess").status == .unauthorized)
            for path in ["/", "/week", "/v1/session", "/widgets/circular.svg", "/kiosk.js"] {
                let answer = try await client.get("\(path)?key=\(Self.view)")
                #expect(answer.status == .seeOther)
                #expect(answer.headers[.location] == path)
            }
            // A form on another site can send a `POST` to a link, which must not pair.
            let posted = try await client.execute(uri: "/?key=\(Self.control)", method: .post)
            #expect(posted.status == .unauthorized)
            #expect(posted.headers[.setCookie] == nil)
        }
    }

    /// Browsers read several forms of a path as another site.
    @Test(arguments: [
        "//evil.example/", "///evil.example", "/\\evil.example", "/\\/evil.example", "/%2Fevil.example",
        "/%5Cevil.example",
        "/%09/evil.example", "/a//evil.example", "/:80", "/a@evil.example", "evil.example", "http://evil.example/a",
    ])
    func pairedLinkNeverRedirectsToAnotherSite(path: String) async throws {
        try await Self.with { client in
            let answer = try await client.get("\(path)?key=\(Self.view)")
            let location = answer.headers[.location] ?? "/"
            #expect(AuthMiddleware.isOwnPath(location), "\(path) leads to \(location)")
            #expect(path.hasPrefix("http") || answer.status == .unauthorized, "\(path): \(answer.status)")
        }
    }

    @Test func addressesAreToldFromNames() {
        for host in [
            "evil.example", "desk.example:7780", "1.2.3.4.5", "256.1.1.1", "", "[evil]", "[::1]evil", "[::1",
            "[::1].evil:80", "[127.0.0.1]", "[::1]:80x", "127.0.0.1:evil", "127.0.0.1:80:80",
        ] {
            #expect(!HostText.isAddress(AuthMiddleware.host(of: host)), "\(host)")
        }
        for host in ["127.0.0.1:7780", "10.0.0.7", "[::1]:7780", "[fe80::1]"] {
            #expect(HostText.isAddress(AuthMiddleware.host(of: host)), "\(host)")
        }
    }

    @Test func crossOriginPressIsRefused() async throws {
        let node = FakeNode()
        try await Self.with(node) { client in
            let body = ByteBuffer(string: #"{"op":"stop"}"#)
            let key = Self.bearing(Self.control)
            for origin in ["http://evil.example", "null", "https://localhost.evil.example", "http://localhost:1"] {
                let answer = try await client.execute(
                    uri: "/v1/intents", method: .post, headers: Self.json + key + [.origin: origin], body: body)
                #expect(answer.status == .forbidden, "\(origin)")
            }
            for type in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""] {
                let answer = try await client.execute(
                    uri: "/v1/intents", method: .post, headers: key + [.contentType: type], body: body)
                #expect(answer.status == .unsupportedMediaType, "\(type)")
            }
            #expect(node.asked.withLock(\.self).isEmpty)
            let own = try await client.execute(
                uri: "/v1/intents", method: .post,
                headers: key + [.origin: "http://localhost", .contentType: "application/json; charset=utf-8"],
                body: body)
            #expect(own.status == .notFound)
        }
        #expect(node.asked.withLock(\.self) == ["press stop"])
    }

    @Test func errorsAreReportedInJSON() async throws {
        try await Self.with { client in
            let key = Self.bearing(Self.control)
            let nothing = try await client.get("/v2/session", key)
            #expect(nothing.status == .notFound)
            #expect(nothing.headers[.contentType] == "application/json")
            let wrong = try await client.execute(uri: "/v1/session", method: .delete, headers: key + Self.json)
            #expect(wrong.status == .methodNotAllowed)
            #expect(wrong.headers[.allow] == "GET, HEAD")
            for (name, value) in [
                ("face", "clock"), ("idle", "weather"), ("idle", ""), ("near", "soon"), ("near", "0s"), ("near", "5"),
            ] {
                for path in ["/v1/timeline", "/"] {
                    let answer = try await client.get("\(path)?\(name)=\(value)", key)
                    #expect(answer.status == .unprocessableContent, "\(path) \(name)=\(value)")
                    #expect(String(buffer: answer.body).contains(#""field":"\#(name)""#), "\(path) \(name)=\(value)")
                }
            }
            let large = try await client.execute(
                uri: "/v1/start", method: .post, headers: key + Self.json,
                body: ByteBuffer(repeating: 0x20, count: 16_385))
            #expect(large.status == .contentTooLarge)
        }
    }

    @Test func aBrowserThatOpensAnAddressGetsAnErrorAsAPage() async throws {
        try await Self.with { client in
            let opens: HTTPFields = [.accept: "text/html,application/xhtml+xml,*/*;q=0.8"]
            let key = Self.bearing(Self.control)
            for (address, headers, status, text) in [
                ("/", opens, 401, "lockstep phone add"),
                ("/no&where", opens + key, 404, "<p>/no&amp;where does not exist"),
                ("/?controls=2", opens + key, 422, "<p>controls: “2” is not 0 or 1"),
            ] {
                let answer = try await client.get(address, headers)
                #expect(answer.status.code == status, "\(address)")
                #expect(answer.headers[.contentType] == "text/html; charset=utf-8", "\(address)")
                let page = String(buffer: answer.body)
                #expect(page.contains("<h1>\(status) "), "\(page)")
                #expect(page.contains(text), "\(page)")
            }
            let press = try await client.post("/v1/intents", "{", opens + key + Self.json)
            #expect(press.headers[.contentType] == "application/json")
        }
    }
}

extension HTTPFields {
    fileprivate static func + (a: HTTPFields, b: HTTPFields) -> HTTPFields {
        var fields = a
        fields.append(contentsOf: b)
        return fields
    }
}
