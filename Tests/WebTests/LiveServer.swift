// SPDX-License-Identifier: Apache-2.0

import API
import Glibc
import Logging
import ServiceLifecycle
import Session
import Support
import Wire

@testable import Web

/// A real HTTP server on a loopback port, in front of a ``FakeNode``.
enum LiveServer {
    static func with(
        _ timeouts: Timeouts = Timeouts(), limits: ConnectionLimits = ConnectionLimits(openFiles: 1_024),
        hosts: Set<String> = [], configuredHosts: Set<String> = [], needsLocalKey: Bool = false,
        phones: PairedPhones? = nil, encryption: (any HTTPEncryption)? = nil,
        _ body: (_ port: Int, _ node: FakeNode) async throws -> Void
    ) async throws {
        let (port, node) = (Port.free(), FakeNode())
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let kiosk = KioskReport(
            host: "127.0.0.1", port: port, isLoopback: true, machine: "pi", viewKey: AuthMiddlewareTests.view,
            controlKey: AuthMiddlewareTests.control, needsLocalKey: needsLocalKey)
        var server = HTTPServer(
            node: node, listeners: [HTTPListener(host: "127.0.0.1", port: port, encryption: encryption)],
            hosts: hosts, configuredHosts: configuredHosts, openFiles: 1_024, kiosk: kiosk,
            phones: try phones ?? self.phones(), log: log, calendar: { [] })
        server.timeouts = timeouts
        server.limits = limits
        let services = ServiceGroup(services: [server], logger: log)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await services.run() }
            try await eventually("the server") { Port.answers(port) }
            do {
                try await body(port, node)
            } catch {
                await services.triggerGracefulShutdown()
                throw error
            }
            await services.triggerGracefulShutdown()
            try await group.waitForAll()
        }
    }

    /// Returns the phones of a file; no phone by default.
    static func phones(at path: String = "/nonexistent/phones") throws -> PairedPhones {
        try PairedPhones(path: path, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }) {
            Instant(boot: 1_000, wall: 1_800_000_000_000)
        }
    }

    static func answer(_ port: Int, _ request: String) async throws -> String {
        let client = try Client(port, sending: request)
        try await eventually("the answer to \(request)") { client.isAtEnd }
        return client.text
    }

    /// Sends a `GET` with these header lines and returns the whole answer.
    static func get(_ port: Int, _ path: String, host: String = "localhost", _ headers: String...) async throws
        -> String
    {
        let lines = ["GET \(path) HTTP/1.1", "Host: \(host)", "Connection: close"] + headers
        return try await answer(port, lines.joined(separator: "\r\n") + "\r\n\r\n")
    }
}

/// A client that writes raw text, and reads only when ``isAtEnd`` is called.
final class Client {
    private let socket: Int32
    private var bytes: [UInt8] = []

    init(_ port: Int, sending text: String) throws {
        guard let socket = Port.connected(port) else { throw Failed("nobody listens on port \(port)") }
        self.socket = socket
        send(text)
    }

    deinit { close(socket) }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    func send(_ text: String) { _ = Glibc.send(socket, text, text.utf8.count, Int32(MSG_NOSIGNAL)) }

    /// Reads the available bytes; returns whether the server has closed the connection.
    var isAtEnd: Bool {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(socket, &chunk, chunk.count, 0)
            if count == 0 || (count < 0 && errno != EAGAIN) { return true }
            guard count > 0 else { return false }
            bytes += chunk[..<count]
        }
    }
}
