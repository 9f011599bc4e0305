// SPDX-License-Identifier: Apache-2.0

import Support
import Testing

@testable import Web

/// Every response of a real server has the security headers, errors included.
@Suite(.limitedConcurrency) struct SafeHeadersTests {
    private static let always = [
        "content-security-policy: default-src 'none';", "x-content-type-options: nosniff",
        "referrer-policy: no-referrer",
    ]

    @Test func everyResponseHasSecurityHeaders() async throws {
        try await LiveServer.with(configuredHosts: ["proxy.example"]) { port, _ in
            let own = "cross-origin-resource-policy: same-origin"
            let get = { (path: String) in "GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n" }
            let cases: [(request: String, status: String, policy: String)] = [
                (get("/"), "200", own), (get("/week"), "200", own), (get("/v1/session"), "200", own),
                (get("/health"), "200", own), (get("/nothing"), "404", own), (get("/?face=none"), "422", own),
                (get("/?key=\(AuthMiddlewareTests.view)"), "303", own),
                (get("/widgets/circular.svg"), "200", "cross-origin-resource-policy: cross-origin"),
                ("GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n", "421", own),
                ("GET / HTTP/1.1\r\nHost: proxy.example\r\nConnection: close\r\n\r\n", "401", own),
                ("POST /v1/take HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", "415", own),
                ("NO SUCH REQUEST\r\n\r\n", "400", own),
                (
                    "GET / HTTP/1.1\r\nHost: localhost\r\nX: " + String(repeating: "y", count: 20_000) + "\r\n\r\n",
                    "400", own
                ),
            ]
            for (request, status, policy) in cases {
                let answer = try await LiveServer.answer(port, request)
                #expect(answer.hasPrefix("HTTP/1.1 \(status)"), "\(request.prefix(60)): \(answer.prefix(60))")
                let head = answer.lowercased()
                for line in Self.always + [policy] { #expect(head.contains(line), "\(line) in \(head)") }
            }
        }
    }
}
