// SPDX-License-Identifier: Apache-2.0

import API
import Logging
import Support
import Synchronization
import TLS
import Testing

@testable import Web

/// A real server over TLS with the node's own authority.
@Suite(.limitedConcurrency) struct HTTPSTests {
    private static let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    private static let proxy = "X-Forwarded-For: 10.0.0.7"

    /// A server over TLS, and a file with its authority.
    private struct Server {
        var port: Int
        var node: FakeNode
        var phones: PairedPhones
        var authority: String

        func curl(_ path: String, _ options: String..., host: String = "127.0.0.1") async throws -> (
            code: Int32, text: String
        ) {
            try await Curl.answer("https://\(host):\(port)\(path)", trusting: authority, options)
        }
    }

    private static func with(
        _ timeouts: Timeouts = Timeouts(), limits: ConnectionLimits = ConnectionLimits(openFiles: 1_024),
        _ body: (Server) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        let certificate = try ServerCertificate(
            stateDirectory: directory.path, machine: "desk", hosts: ["desk"], isForAnyAddress: false, log: log)
        let authority = try directory.write(
            String(decoding: try #require(certificate.authority), as: UTF8.self), to: "authority.crt")
        let phones = try LiveServer.phones(at: directory.file("phones"))
        try await LiveServer.with(timeouts, limits: limits, phones: phones, encryption: certificate) { port, node in
            try await body(Server(port: port, node: node, phones: phones, authority: authority))
        }
    }

    @Test func aClientThatTrustsTheAuthorityIsServed() async throws {
        try await Self.with { server in
            for host in ["127.0.0.1", "localhost"] {
                let answer = try await server.curl("/v1/session", host: host)
                #expect(answer.code == 0, "\(answer)")
                #expect(answer.text.hasPrefix("HTTP/1.1 200"), "\(answer)")
            }
            let other = try await CertificateAuthority()
            let stranger = try await Curl.answer("https://127.0.0.1:\(server.port)/", trusting: other.file)
            #expect(stranger.code == 60, "\(stranger)")
        }
    }

    @Test func theAuthorityIsServedWithoutAKeyAndWithoutItsOwnKey() async throws {
        try await Self.with { server in
            let answer = try await server.curl("/authority.crt", "-H", Self.proxy).text
            #expect(answer.hasPrefix("HTTP/1.1 200"), "\(answer)")
            #expect(answer.lowercased().contains("content-type: application/x-x509-ca-cert\r\n"), "\(answer)")
            #expect(answer.contains("BEGIN CERTIFICATE"))
            #expect(!answer.contains("PRIVATE"))
        }
        try await LiveServer.with { port, _ in
            let answer = try await LiveServer.get(port, "/authority.crt")
            #expect(answer.hasPrefix("HTTP/1.1 404"), "\(answer)")
        }
    }

    @Test func aLinkThroughAProxyWithTLSGivesASecureCookieToo() async throws {
        let directory = try TemporaryDirectory()
        let phones = try LiveServer.phones(at: directory.file("phones"))
        try await LiveServer.with(phones: phones) { port, _ in
            let code = try phones.invite("phone", mayPress: true).code
            let answer = try await LiveServer.get(port, "/pair?code=\(code)", Self.proxy, "X-Forwarded-Proto: https")
            #expect(answer.contains("__Host-lockstep="), "\(answer)")
            #expect(answer.contains("; Secure\r\n"), "\(answer)")
        }
    }

    @Test func aPressFromAPageWithoutTLSIsRefused() async throws {
        try await Self.with { server in
            let press = ["-H", "Content-Type: application/json", "-d", #"{"op":"pause"}"#]
            let url = "https://127.0.0.1:\(server.port)/v1/intents"
            func origin(_ scheme: String) -> [String] { ["-H", "Origin: \(scheme)://127.0.0.1:\(server.port)"] }
            let foreign = try await Curl.answer(url, trusting: server.authority, press + origin("http"))
            #expect(foreign.text.hasPrefix("HTTP/1.1 403"), "\(foreign)")
            #expect(server.node.asked.withLock(\.self).isEmpty)
            let own = try await Curl.answer(url, trusting: server.authority, press + origin("https"))
            #expect(own.text.contains("noSession"), "\(own)")
            #expect(server.node.asked.withLock(\.self) == ["press pause"])
        }
    }

    @Test func versionsBeforeTLS12AreRefused() async throws {
        try await Self.with { server in
            let directory = try TemporaryDirectory()
            func connect(_ version: String) async throws {
                try await Spawn.run(
                    [
                        "/bin/sh", "-c",
                        "'\(try Spawn.find("openssl"))' s_client -connect 127.0.0.1:\(server.port) -\(version) "
                            + "-cipher DEFAULT@SECLEVEL=0 </dev/null",
                    ], in: directory)
            }
            for version in ["tls1_2", "tls1_3"] { try await connect(version) }
            let refusal = await #expect(throws: Failed.self) { try await connect("tls1_1") }
            #expect(refusal?.description.contains("alert protocol version") == true, "\(refusal as Any)")
        }
    }

    @Test func aRequestWithoutTLSIsToldToUseHTTPS() async throws {
        try await Self.with { server in
            let answer = try await LiveServer.get(server.port, "/health")
            #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
            #expect(answer.contains("\r\n\r\nthis address needs TLS: open it with https://"), "\(answer)")
            #expect(try await server.curl("/health").code == 0)
        }
    }

    @Test(arguments: ["", "\u{16}\u{03}\u{01}"])
    func aHandshakeThatStallsIsClosed(start: String) async throws {
        try await Self.with(Timeouts(idle: .milliseconds(300))) { server in
            let client = try Client(server.port, sending: start)
            try await eventually("the end") {
                // Single bytes do not extend the time: they belong to one record, whose length is 514.
                if !start.isEmpty { client.send("\u{02}") }
                return client.isAtEnd
            }
            #expect(client.text.isEmpty)
        }
    }

    @Test func aPageThatTakesNothingIsDropped() async throws {
        try await Self.with(Timeouts(stalled: .seconds(1), beat: .milliseconds(50))) { server in
            let directory = try TemporaryDirectory()
            let page = try Spawn.start(
                [
                    try Spawn.find("curl"), "-sSN", "--noproxy", "*", "--cacert", server.authority,
                    "https://127.0.0.1:\(server.port)/v1/timeline",
                ], output: directory.file("page"))
            defer { Spawn.end(page) }
            try await eventually("the page") { directory.read("page").contains("event: timeline") }
            Spawn.freeze(page)
            try await eventually("it is dropped") {
                // More than the socket buffers hold.
                for _ in 0..<200 { server.node.happen() }
                return try await server.curl("/metrics").text.contains("\nlockstep_displays 0.0\n")
            }
        }
    }

    @Test func stalledHandshakesCountAsConnections() async throws {
        try await Self.with(limits: ConnectionLimits(openFiles: 32)) { server in
            var clients = try (0..<20).map { _ in try Client(server.port, sending: "") }
            try await eventually("the end of excess connections") { clients.count { $0.isAtEnd } >= 12 }
            #expect(clients.contains { !$0.isAtEnd })
            clients = []
            try await eventually("room") { try await server.curl("/health").code == 0 }
        }
    }
}
