// SPDX-License-Identifier: Apache-2.0

import Logging
import NIOCore
import Support
import Synchronization
import Testing

@testable import Web

@Suite(.limitedConcurrency) struct ConnectionsTests {
    private static let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private static func address(_ text: String, _ port: Int = 50_000) throws -> SocketAddress {
        try SocketAddress(ipAddress: text, port: port)
    }

    @Test(arguments: [(64, 16), (256, 64), (512, 256), (1_024, 768), (4_096, 1_064), (1_000_000, 1_064)])
    func limitsLeaveFilesForTheNode(openFiles: Int, total: Int) {
        let limits = ConnectionLimits(openFiles: openFiles)
        #expect(limits.total == total)
        #expect(limits.reservedForLocal > 0)
        #expect(limits.reservedForLocal < total)
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("127.1.2.3", true), ("::1", true), ("::ffff:127.0.0.1", true), ("10.0.0.7", false),
        ("192.0.2.127", false), ("fd00::7f", false), ("::ffff:10.0.0.7", false),
    ])
    func loopbackAddressesAreRecognized(text: String, isLoopback: Bool) throws {
        #expect(try Self.address(text).isLoopback == isLoopback)
    }

    @Test func limitPerAddressCountsOpenConnections() throws {
        let limits = ConnectionLimits(openFiles: 4_096)
        let connections = Connections(limits: limits, log: Self.log)
        let (stranger, other) = (try Self.address("10.0.0.7"), try Self.address("fd00::7"))
        for _ in 0..<limits.perAddress { #expect(connections.open(stranger)) }
        #expect(try !connections.open(Self.address("10.0.0.7", 50_001)), "another port is no other address")
        #expect(connections.open(other))
        _ = connections.close(stranger)
        #expect(connections.open(stranger))
        #expect(!connections.open(stranger))
    }

    @Test func closedConnectionsLeaveRoomForOthers() throws {
        let limits = ConnectionLimits(openFiles: 64)
        let connections = Connections(limits: limits, log: Self.log)
        for number in 0..<3 * limits.total {
            let stranger = try Self.address("10.0.0.\(number)")
            #expect(connections.open(stranger))
            _ = connections.close(stranger)
        }
    }

    @Test func memoryIsReturnedEachTimeThatHalfOfManyConnectionsHaveEnded() throws {
        let connections = Connections(limits: ConnectionLimits(openFiles: 4_096), log: Self.log)
        let local = try Self.address("127.0.0.1")
        for _ in 0..<32 { #expect(connections.open(local)) }
        for _ in 0..<32 { #expect(!connections.close(local), "few need nothing") }
        for _ in 0..<1_000 { #expect(connections.open(local)) }
        let returned = (0..<1_000).filter { _ in connections.close(local) }
        #expect(returned == [499, 749, 874, 937])
    }

    @Test func remoteConnectionsLeaveRoomForThisMachine() throws {
        let limits = ConnectionLimits(openFiles: 512)
        let connections = Connections(limits: limits, log: Self.log)
        var taken = 0
        for number in 0..<limits.total where connections.open(try Self.address("10.0.\(number / 250).\(number % 250)"))
        {
            taken += 1
        }
        #expect(taken == limits.total - limits.reservedForLocal)
        let local = try Self.address("127.0.0.1")
        for _ in 0..<limits.reservedForLocal { #expect(connections.open(local)) }
        #expect(!connections.open(local))
        _ = connections.close(try Self.address("10.0.0.0"))
        #expect(connections.open(local))
    }

    /// Connections above the limit are closed, not left waiting, and the others still work.
    @Test func serverClosesConnectionsAboveTheLimit() async throws {
        try await LiveServer.with(limits: ConnectionLimits(openFiles: 32)) { port, _ in
            let head = "GET /health HTTP/1.1\r\nHost: localhost\r\n"
            var clients = try (0..<20).map { _ in try Client(port, sending: head) }
            try await eventually("the end of excess connections") { clients.count { $0.isAtEnd } >= 12 }
            for client in clients where !client.isAtEnd { client.send("Connection: close\r\n\r\n") }
            try await eventually("the end of all") { clients.allSatisfy { $0.isAtEnd } }
            // The probe that waited for the server may have been one of the eight.
            #expect((6...8).contains(clients.count { $0.text.hasPrefix("HTTP/1.1 200") }))
            // The server also waits until the clients close.
            clients = []
            try await eventually("room") { try await LiveServer.get(port, "/health").hasPrefix("HTTP/1.1 200") }
        }
    }

    // MARK: - Ends and bodies

    private static let unhurried = Timeouts(idle: .seconds(600), body: .seconds(600))
    private static let press =
        "POST /v1/intents HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"

    @Test(arguments: ["close", "Close", "TE, close", "keep-alive, CLOSE"])
    func theTokenCloseEndsTheConnection(connection: String) async throws {
        try await LiveServer.with(Self.unhurried) { port, _ in
            let answer = try await LiveServer.answer(
                port, "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: \(connection)\r\n\r\n")
            #expect(answer.hasPrefix("HTTP/1.1 200"), "\(answer)")
            #expect(answer.lowercased().contains("\r\nconnection: close\r\n"), "\(answer)")
        }
    }

    @Test func aConnectionWithoutTheTokenGoesOn() async throws {
        try await LiveServer.with(Self.unhurried) { port, _ in
            let ask = "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: closed\r\n\r\n"
            let client = try Client(port, sending: ask)
            try await eventually("an answer") { client.isAtEnd || client.text.contains("HTTP/1.1 200") }
            client.send(ask.replacing("closed", with: "close"))
            try await eventually("the end") { client.isAtEnd }
            #expect(client.text.split(separator: "HTTP/1.1 200").count == 2, "\(client.text)")
        }
    }

    @Test(arguments: ["", "Connection: keep-alive\r\n"])
    func anAnswerToHTTP10EndsTheConnection(header: String) async throws {
        try await LiveServer.with(Self.unhurried) { port, _ in
            let answer = try await LiveServer.answer(port, "GET /health HTTP/1.0\r\nHost: localhost\r\n\(header)\r\n")
            #expect(answer.hasPrefix("HTTP/1.0 200"), "\(answer)")
        }
    }

    @Test func aStreamToHTTP10IsNotChunked() async throws {
        try await LiveServer.with(Self.unhurried) { port, _ in
            let client = try Client(port, sending: "GET /v1/events HTTP/1.0\r\nHost: localhost\r\n\r\n")
            try await eventually("a view") { client.isAtEnd || client.text.contains("\n\n") }
            #expect(client.text.contains("\r\n\r\nevent: view\ndata: {"), "\(client.text)")
            #expect(!client.text.lowercased().contains("transfer-encoding"), "\(client.text)")
        }
    }

    @Test func aClientThatExpectsItIsToldToContinueBeforeItsBodyIsRead() async throws {
        try await LiveServer.with(Self.unhurried) { port, node in
            let client = try Client(
                port,
                sending: Self.press + "Connection: close\r\nExpect: 100-Continue\r\nContent-Length: 13\r\n\r\n")
            try await eventually("the answer to the head") { client.isAtEnd || client.text.contains("\r\n\r\n") }
            #expect(client.text == "HTTP/1.1 100 Continue\r\n\r\n")
            client.send("{\"op\":\"stop\"}")
            try await eventually("the end") { client.isAtEnd }
            #expect(client.text.contains("\r\n\r\nHTTP/1.1 404"), "\(client.text)")
            #expect(node.asked.withLock(\.self) == ["press stop"])
        }
    }

    @Test(arguments: [
        ("Expect: payment\r\nContent-Length: 13", "417"),
        ("Expect: 100-continue\r\nContent-Length: 16385", "413"), ("Content-Length: 1000000000000", "413"),
    ])
    func aBodyThatWillBeRefusedIsNotRead(headers: String, status: String) async throws {
        try await LiveServer.with(Self.unhurried) { port, _ in
            let client = try Client(port, sending: Self.press + headers + "\r\n\r\n")
            try await eventually("the answer to the head") { client.isAtEnd || client.text.contains("\r\n\r\n") }
            #expect(client.text.hasPrefix("HTTP/1.1 \(status)"), "\(client.text)")
        }
    }
}
