// SPDX-License-Identifier: Apache-2.0

import Glibc
import Logging
import ServiceLifecycle
import Support
import Wire

@testable import Web

/// A real HTTP server on a loopback port, in front of a ``FakeNode``.
enum LiveServer {
    static func with(
        _ patience: Patience = Patience(), limits: Connections.Limits = Connections.Limits(openFiles: 1_024),
        givenHosts: Set<String> = [], needsLocalKey: Bool = false,
        _ body: (_ port: Int, _ node: FakeNode) async throws -> Void
    ) async throws {
        let (port, node) = (Port.free(), FakeNode())
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let kiosk = KioskReport(
            host: "127.0.0.1", port: port, isLoopback: true, machine: "pi", viewKey: GateTests.view,
            controlKey: GateTests.control, needsLocalKey: needsLocalKey)
        var server = HTTPServer(
            node: node, host: "127.0.0.1", port: port, hosts: [], givenHosts: givenHosts, openFiles: 1_024,
            kiosk: kiosk, log: log)
        server.patience = patience
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

    /// The whole answer to a request on a connection of its own.
    static func answer(_ port: Int, _ request: String) async throws -> String {
        let client = try Client(port, sending: request)
        try await eventually("the answer to \(request)") { client.isAtEnd }
        return client.text
    }

    /// The whole answer to a `GET` with these header lines.
    static func get(_ port: Int, _ path: String, host: String = "localhost", _ headers: String...) async throws
        -> String
    {
        let lines = ["GET \(path) HTTP/1.1", "Host: \(host)", "Connection: close"] + headers
        return try await answer(port, lines.joined(separator: "\r\n") + "\r\n\r\n")
    }
}

/// A client that writes what it likes, and reads only when it is asked.
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

    /// Takes in what is there.
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
