// SPDX-License-Identifier: Apache-2.0

import API
import Display
import Session
import Support
import Synchronization
import Testing

@testable import Web

/// Paired phones of a real server. Their requests come through a proxy, so that they are not local.
@Suite(.limitedConcurrency) struct PhoneTests {
    private static let proxy = "X-Forwarded-For: 10.0.0.7"

    private static func with(
        _ body: (_ port: Int, _ node: FakeNode, _ phones: PairedPhones) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        let phones = try LiveServer.phones(at: directory.file("phones"))
        try await LiveServer.with(phones: phones) { port, node in try await body(port, node, phones) }
    }

    /// Opens a link and returns the line of the cookie for later requests.
    private static func pair(
        _ name: String, mayPress: Bool = true, with phones: PairedPhones, _ port: Int
    ) async throws -> String {
        let code = try phones.invite(name, mayPress: mayPress).code
        let answer = try await LiveServer.get(port, "/pair?code=\(code)", proxy)
        let value = try #require(answer.firstMatch(of: /lockstep=[A-Za-z0-9_-]{32}/), "\(answer)").output
        return "Cookie: \(value)"
    }

    private static func press(_ port: Int, _ cookie: String) async throws -> String {
        try await LiveServer.answer(
            port,
            "POST /v1/intents HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\(proxy)\r\n\(cookie)\r\n"
                + "Content-Type: application/json\r\nContent-Length: 14\r\n\r\n{\"op\":\"pause\"}")
    }

    private static func stream(_ port: Int, _ path: String, _ header: String) throws -> Client {
        try Client(port, sending: "GET \(path) HTTP/1.1\r\nHost: localhost\r\n\(proxy)\r\n\(header)\r\n\r\n")
    }

    @Test func aLinkMovesTheKeyToACookieThatIsKeptAndRenewed() async throws {
        try await Self.with { port, _, phones in
            let code = try phones.invite("kitchen phone", mayPress: true).code
            let answer = try await LiveServer.get(port, "/pair?code=\(code)", Self.proxy).lowercased()
            #expect(answer.hasPrefix("http/1.1 303"), "\(answer)")
            #expect(answer.contains("\r\nlocation: /remote\r\n"), "\(answer)")
            #expect(answer.contains("httponly; samesite=lax"), "\(answer)")
            #expect(answer.contains("cache-control: no-store"), "\(answer)")
            #expect(try await LiveServer.get(port, "/", Self.proxy).hasPrefix("HTTP/1.1 401"))
            let cookie = try await Self.pair("other", with: phones, port)
            #expect(try await LiveServer.get(port, "/", Self.proxy, cookie).hasPrefix("HTTP/1.1 200"))
            #expect(phones.report.phones.map(\.name) == ["kitchen phone", "other"])
            // Its use renews the cookie.
            let used = try await LiveServer.get(port, "/v1/overview", Self.proxy, cookie)
            #expect(used.hasPrefix("HTTP/1.1 200"), "\(used)")
            let key = try #require(cookie.split(separator: "=").last)
            #expect(used.contains("lockstep=\(key); Path=/; Max-Age="), "\(used)")
            // The code on a screen has the key that only shows, which replaces none.
            let view = "/?key=\(AuthMiddlewareTests.view)"
            let scanned = try await LiveServer.get(port, view, Self.proxy, cookie).lowercased()
            #expect(scanned.hasPrefix("http/1.1 303"), "\(scanned)")
            #expect(!scanned.contains("set-cookie"), "\(scanned)")
            let stranger = try await LiveServer.get(port, view, Self.proxy).lowercased()
            #expect(stranger.contains("set-cookie"), "\(stranger)")
        }
    }

    @Test func aUsedLinkSaysSoInTheLanguageOfTheBrowser() async throws {
        try await Self.with { port, _, phones in
            let code = try phones.invite("phone", mayPress: true).code
            _ = try await LiveServer.get(port, "/pair?code=\(code)", Self.proxy)
            for link in ["/pair?code=\(code)", "/pair?code=guess", "/pair?code=", "/pair"] {
                let answer = try await LiveServer.get(port, link, Self.proxy)
                #expect(answer.hasPrefix("HTTP/1.1 404"), "\(link): \(answer)")
                #expect(answer.contains("This link does not work any more"), "\(link): \(answer)")
                #expect(answer.contains("lockstep phone add"), "\(link): \(answer)")
                #expect(!answer.lowercased().contains("set-cookie"), "\(link): \(answer)")
            }
            let german = try await LiveServer.get(port, "/pair", Self.proxy, "Accept-Language: de")
            #expect(german.contains(#"lang="de""#))
            #expect(german.contains("Dieser Link gilt nicht mehr"))
        }
    }

    @Test func onlyAGetRequestUsesALinkUp() async throws {
        try await Self.with { port, _, phones in
            let code = try phones.invite("phone", mayPress: true).code
            for method in ["HEAD", "POST"] {
                let answer = try await LiveServer.answer(
                    port,
                    "\(method) /pair?code=\(code) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                        + "\(Self.proxy)\r\nContent-Length: 0\r\n\r\n")
                #expect(!answer.lowercased().contains("set-cookie"), "\(answer)")
            }
            #expect(try await LiveServer.get(port, "/pair?code=\(code)", Self.proxy).hasPrefix("HTTP/1.1 303"))
        }
    }

    @Test func openPagesOfARemovedPhoneEndAtOnce() async throws {
        try await Self.with { port, _, phones in
            let gone = try await Self.pair("gone", with: phones, port)
            let stays = try await Self.pair("stays", with: phones, port)
            let ended = try ["/v1/timeline", "/v1/events"].map { try Self.stream(port, $0, gone) }
            let others = [
                try Self.stream(port, "/v1/timeline", stays),
                try Self.stream(port, "/v1/timeline", "Authorization: Bearer \(AuthMiddlewareTests.control)"),
            ]
            for client in ended + others {
                try await eventually("the stream") { !client.isAtEnd && client.text.contains("data: ") }
            }
            #expect(phones.report.phones.map(\.online) == [true, true])
            try phones.remove("gone")
            for client in ended { try await eventually("the end", within: .seconds(5)) { client.isAtEnd } }
            for client in others { #expect(!client.isAtEnd) }
            #expect(try await LiveServer.get(port, "/", Self.proxy, gone).hasPrefix("HTTP/1.1 401"))
            #expect(try await LiveServer.get(port, "/", Self.proxy, stays).hasPrefix("HTTP/1.1 200"))
            #expect(phones.report.phones.map(\.name) == ["stays"])
        }
    }

    /// Streams of the API count as pages, so that one phone does not use up the connections.
    @Test func aPhoneHasALimitOfStreams() async throws {
        try await Self.with { port, _, phones in
            let cookie = try await Self.pair("phone", mayPress: false, with: phones, port)
            var open: [Client] = []
            for index in 0..<EventStreams.phoneLimit {
                let client = try Self.stream(port, index.isMultiple(of: 2) ? "/v1/events" : "/v1/timeline", cookie)
                try await eventually("stream \(index)") { !client.isAtEnd && client.text.contains("data: ") }
                open.append(client)
            }
            for path in ["/v1/events", "/v1/timeline"] {
                let answer = try await LiveServer.get(port, path, Self.proxy, cookie)
                #expect(answer.hasPrefix("HTTP/1.1 503"), "\(answer)")
            }
            open.removeFirst()
            try await eventually("room for another one") {
                let next = try Self.stream(port, "/v1/events", cookie)
                try await eventually("an answer") { next.isAtEnd || next.text.contains("\r\n\r\n") }
                return next.text.hasPrefix("HTTP/1.1 200")
            }
            #expect(open.allSatisfy { !$0.isAtEnd })
        }
    }

    /// A proxy sends the requests of several clients over one connection.
    @Test func aRemovalSparesAConnectionThatAnotherClientUsesNow() async throws {
        try await Self.with { port, _, phones in
            let phone = try await Self.pair("phone", with: phones, port)
            let client = try Self.stream(port, "/health", phone)
            try await eventually("the answer") { !client.isAtEnd && client.text.contains("status") }
            client.send(
                "GET /v1/timeline HTTP/1.1\r\nHost: localhost\r\n\(Self.proxy)\r\n"
                    + "Authorization: Bearer \(AuthMiddlewareTests.view)\r\n\r\n")
            try await eventually("the stream") { !client.isAtEnd && client.text.contains("event: timeline") }
            try phones.remove("phone")
            #expect(try await LiveServer.get(port, "/", Self.proxy, phone).hasPrefix("HTTP/1.1 401"))
            #expect(!client.isAtEnd)
        }
    }

    @Test func aPhoneIsOnlineWhileAPageIsOpen() async throws {
        try await Self.with { port, _, phones in
            let cookie = try await Self.pair("phone", with: phones, port)
            try await eventually("its request is over") { phones.report.phones.map(\.online) == [false] }
            do {
                let client = try Self.stream(port, "/v1/timeline", cookie)
                try await eventually("the stream") { !client.isAtEnd && client.text.contains("event: timeline") }
                #expect(phones.report.phones.map(\.online) == [true])
            }
            try await eventually("the page is closed") { phones.report.phones.map(\.online) == [false] }
        }
    }

    /// The keys in the page's QR code are shared, and would outlast the phone's own.
    @Test func aPhoneGetsNoSharedKeyAndAScreenNoneToPress() async throws {
        try await Self.with { port, _, phones in
            let cookie = try await Self.pair("phone", with: phones, port)
            let host = "localhost:\(port)"
            let picture = try await LiveServer.get(port, "/qr.svg", host: host, Self.proxy, cookie)
            let open = try #require(QRCode("http://\(host)/"))
            #expect(picture.hasSuffix(open.svg))
            let shared = try await LiveServer.get(
                port, "/qr.svg", host: host, Self.proxy, "Authorization: Bearer \(AuthMiddlewareTests.view)")
            #expect(!shared.hasSuffix(open.svg))
            // Everyone who passes the screen can scan it.
            let look = try #require(QRCode("http://\(host)/?key=\(AuthMiddlewareTests.view)"))
            for path in ["/qr.svg", "/qr.svg?controls=1"] {
                let picture = try await LiveServer.get(
                    port, path, host: host, Self.proxy, "Authorization: Bearer \(AuthMiddlewareTests.control)")
                #expect(picture.hasSuffix(look.svg), "\(path)")
            }
        }
    }
}
