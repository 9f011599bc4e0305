// SPDX-License-Identifier: Apache-2.0

import Support
import Synchronization
import Testing

@testable import Web

/// A request over loopback needs no key, unless it was forwarded or all clients need one.
@Suite(.limitedConcurrency) struct LocalRequestTests {
    private static let forwarding = [
        "Forwarded: for=10.0.0.7", "X-Forwarded-For: 10.0.0.7", "X-Forwarded-Host: evil.example",
        "X-Forwarded-Proto: https", "x-real-ip: 10.0.0.7", "Via: 1.1 proxy",
        "X-Client-IP: 10.0.0.7", "CF-Connecting-IP: 10.0.0.7", "X-Original-Forwarded-For: 10.0.0.7",
        "X-Envoy-External-Address: 10.0.0.7", "Tailscale-User-Login: somebody@example.com",
        "CDN-Loop: cloudflare", "CF-Ray: 1", "X-Azure-ClientIP: 10.0.0.7",
    ]
    private static let key = "Authorization: Bearer \(AuthMiddlewareTests.view)"

    @Test func forwardedRequestNeedsAKey() async throws {
        try await LiveServer.with { port, node in
            #expect(try await LiveServer.get(port, "/v1/session").hasPrefix("HTTP/1.1 200"))
            for header in Self.forwarding {
                let answer = try await LiveServer.get(port, "/v1/session", header)
                #expect(answer.hasPrefix("HTTP/1.1 401"), "\(header): \(answer.prefix(40))")
                let known = try await LiveServer.get(port, "/v1/session", header, Self.key)
                #expect(known.hasPrefix("HTTP/1.1 200"), "\(header): \(known.prefix(40))")
            }
            let press = try await LiveServer.answer(
                port,
                "POST /v1/intents HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-Forwarded-For: 10.0.0.7\r\n"
                    + "Content-Type: application/json\r\nContent-Length: 13\r\n\r\n{\"op\":\"stop\"}")
            #expect(press.hasPrefix("HTTP/1.1 401"))
            #expect(node.asked.withLock(\.self).isEmpty)
        }
    }

    /// A proxy and the node could read different ones.
    @Test func aRequestThatNamesTwoHostsOrANameBehindAnAddressIsRefused() async throws {
        try await LiveServer.with { port, _ in
            for second in ["Host: evil.example", "host: localhost"] {
                let answer = try await LiveServer.get(port, "/v1/session", second)
                #expect(answer.hasPrefix("HTTP/1.1 400"), "\(answer)")
            }
            for host in ["[::1]evil", "[::1].evil.example:80", "127.0.0.1:80.evil.example"] {
                let answer = try await LiveServer.get(port, "/v1/session", host: host)
                #expect(answer.hasPrefix("HTTP/1.1 421"), "\(host): \(answer)")
            }
        }
    }

    @Test func theAddressOfAnIPv6ListenerIsThatOfAURL() {
        #expect(HTTPListener(host: "::", port: 7_780).address == "[::]:7780")
        #expect(HTTPListener(host: "0.0.0.0", port: 7_780).address == "0.0.0.0:7780")
    }

    @Test func requestForConfiguredHostNeedsAKey() async throws {
        try await LiveServer.with(configuredHosts: ["proxy.example"]) { port, _ in
            for host in ["proxy.example", "PROXY.example:443"] {
                #expect(try await LiveServer.get(port, "/v1/session", host: host).hasPrefix("HTTP/1.1 401"))
                let known = try await LiveServer.get(port, "/v1/session", host: host, Self.key)
                #expect(known.hasPrefix("HTTP/1.1 200"))
            }
            #expect(try await LiveServer.get(port, "/v1/session", host: "other.example").hasPrefix("HTTP/1.1 421"))
        }
    }

    /// A proxy without a forwarding header passes the host that its client asked for.
    @Test func requestForAnotherHostThanLoopbackNeedsAKey() async throws {
        try await LiveServer.with(hosts: ["pi", "pi.local"]) { port, _ in
            for host in ["localhost", "127.0.0.1", "127.0.1.1:7780", "[::1]:7780"] {
                #expect(try await LiveServer.get(port, "/v1/session", host: host).hasPrefix("HTTP/1.1 200"), "\(host)")
            }
            for host in ["pi", "pi.local:7780", "10.0.0.7", "[2001:db8::1]", "0.0.0.0"] {
                #expect(try await LiveServer.get(port, "/v1/session", host: host).hasPrefix("HTTP/1.1 401"), "\(host)")
                let known = try await LiveServer.get(port, "/v1/session", host: host, Self.key)
                #expect(known.hasPrefix("HTTP/1.1 200"), "\(host)")
            }
        }
    }

    @Test func nodeCanRequireTheKeyOnLoopback() async throws {
        try await LiveServer.with(needsLocalKey: true) { port, _ in
            for path in ["/", "/v1/session", "/metrics", "/widgets/inline.txt"] {
                #expect(try await LiveServer.get(port, path).hasPrefix("HTTP/1.1 401"), "\(path)")
                let known = try await LiveServer.get(port, path, Self.key)
                #expect(known.hasPrefix("HTTP/1.1 200"), "\(path)")
            }
            #expect(try await LiveServer.get(port, "/health").hasPrefix("HTTP/1.1 200"))
        }
    }
}
