// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Platform
import Support
import Testing

/// Attacks that need no key: connections with half a request on each.
@Suite(.limitedConcurrency, .retriedAfterStall) struct StrangerTests {
    private static let openFiles = 400
    private static let halfARequest = "GET / HTTP/1.1\r\nHost: localhost\r\nX-Half: "

    @Test func halfRequestsExhaustNoFilesAndDoNotBlockThisMachine() async throws {
        try await Self.with { node, port in
            // Without an address besides loopback there is no other machine.
            if let address = Self.ownAddress { try await Self.expectRoomForThisMachine(node, port, from: address) }
            let sockets = try (0..<500).map { _ in try Self.connection(to: "127.0.0.1", port) }
            defer { for socket in sockets { close(socket) } }
            try await Self.expectWorking(node)
        }
    }

    private static func expectRoomForThisMachine(_ node: NodeProcess, _ port: Int, from address: String) async throws {
        let sockets = try (0..<500).map { _ in try connection(to: address, port) }
        defer { for socket in sockets { close(socket) } }
        try await expectWorking(node)
        var answer: [UInt8] = []
        let local = try connection(
            to: "127.0.0.1", port, sending: "GET /v1/session HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        defer { close(local) }
        try await eventually("a new request of this machine is answered") {
            var chunk = [UInt8](repeating: 0, count: 65_536)
            let count = recv(local, &chunk, chunk.count, Int32(MSG_DONTWAIT))
            if count > 0 { answer += chunk[..<count] }
            return count == 0
        }
        #expect(String(decoding: answer, as: UTF8.self).hasPrefix("HTTP/1.1 200"))
        try await eventually("the others are refused") { node.log.contains("HTTP connection refused") }
        #expect(try await node.lockstep("stop").code == 0)
        unlink(node.directory.file("hook"))
    }

    private static func with(_ body: (_ node: NodeProcess, _ port: Int) async throws -> Void) async throws {
        let (port, directory) = (Port.free(), try TemporaryDirectory())
        let node = try NodeProcess(
            "desk", options: ["--http", "0.0.0.0:\(port)"],
            environment: ["LOCKSTEP_HOOK_STARTED": "echo ran > '\(directory.file("hook"))'"], directory: directory,
            openFiles: openFiles)
        try await node.startServing()
        try await body(node, port)
    }

    /// Checks that the control socket answers, a session is kept, and its hook runs.
    private static func expectWorking(_ node: NodeProcess) async throws {
        try await eventually("its socket answers") { node.status.status == "idle" }
        try node.begin()
        try await eventually("its hook has run: \(node.log)") { node.directory.read("hook") == "ran\n" }
        #expect(try await node.lockstep("pause").code == 0)
        #expect(!node.log.contains("Too many open files"))
    }

    /// Opens a connection and sends a text; the caller closes it.
    private static func connection(
        to host: String, _ port: Int, sending text: String = halfARequest
    ) throws -> Int32 {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        inet_pton(AF_INET, host, &address.sin_addr)
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else {
            close(socket)
            throw Failed("no connection to \(host):\(port): error \(errno)")
        }
        _ = send(socket, text, text.utf8.count, Int32(MSG_NOSIGNAL))
        return socket
    }

    /// A non-loopback IPv4 address of this machine, which connections to it also come from.
    private static let ownAddress = Interfaces.ipv4Addresses().first { !$0.hasPrefix("127.") }
}
