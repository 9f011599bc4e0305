// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import Support
import Synchronization
import Testing

@testable import Web

/// Whoever is slow, idle or gone holds no connection of a real server, and whoever keeps up loses none.
@Suite(.takingTurns) struct PatienceTests {
    @Test func whoSaysNothingIsDropped() async throws {
        try await LiveServer.with(Patience(idle: .milliseconds(200))) { port, _ in
            let client = try Client(port, sending: "")
            try await eventually("the end") { client.isAtEnd }
        }
    }

    @Test func whoSaysNothingMoreIsDroppedAfterTheAnswer() async throws {
        try await LiveServer.with(Patience(idle: .milliseconds(200))) { port, _ in
            let client = try await Self.heard(port, "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
            try await eventually("the end") { client.isAtEnd }
            #expect(client.text.hasPrefix("HTTP/1.1 200"))
        }
    }

    @Test func aHeadInSingleBytesIsNoProgress() async throws {
        try await LiveServer.with(Patience(idle: .milliseconds(300))) { port, _ in
            let client = try Client(port, sending: "GET /health HTTP/1.1\r\nHost: localhost\r\nX: ")
            try await eventually("the end") {
                client.send("y")
                return client.isAtEnd
            }
            #expect(client.text.isEmpty)
        }
    }

    @Test func aBodyThatDoesNotComeIsNotWaitedFor() async throws {
        try await LiveServer.with(Patience(body: .milliseconds(200))) { port, node in
            let client = try Client(
                port,
                sending: "POST /v1/intents HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                    + "Content-Length: 100\r\n\r\n{")
            try await eventually("the answer") {
                client.send(" ")
                return client.isAtEnd || client.text.contains("\r\n\r\n")
            }
            #expect(client.text.hasPrefix("HTTP/1.1 408"), "\(client.text)")
            #expect(node.asked.withLock(\.self).isEmpty)
        }
    }

    @Test func aPageThatTakesNothingInIsGivenUpAndTheOthersAreTold() async throws {
        let patience = Patience(stalled: .seconds(2), beat: .milliseconds(50))
        try await LiveServer.with(patience) { port, node in
            let ask = "GET /v1/timeline HTTP/1.1\r\nHost: localhost\r\n\r\n"
            let stalled = try Client(port, sending: ask)
            var awake = try AwakePage(port, sending: ask)
            try await Self.isServing(port, displays: 2)
            var losses = 0
            try await eventually("one is given up") {
                // More than any buffer in between takes.
                for _ in 0..<200 { node.happen() }
                // Where the machine kept this one from reading for as long, it is rightly given up, too, and asks again.
                if awake.isAtEnd, losses < 5 {
                    losses += 1
                    awake = try AwakePage(port, sending: ask)
                }
                guard try await Self.displays(port) == 1 else { return false }
                return !awake.isAtEnd
            }
            let before = awake.count
            node.happen()
            try await eventually("the other one is told") { awake.count > before }
            try await eventually("the end of the one that stalled") { stalled.isAtEnd }
        }
    }

    @Test func aPageIsToldThatItsNodeIsThere() async throws {
        try await LiveServer.with(Patience(idle: .milliseconds(200), beat: .milliseconds(50))) { port, _ in
            let page = try await Self.heard(port, "GET /v1/timeline HTTP/1.1\r\nHost: localhost\r\n\r\n")
            // Longer than a connection without a request would be left open.
            try await eventually("ten beats") {
                try #require(!page.isAtEnd)
                return page.text.split(separator: "event: beat").count > 10
            }
        }
    }

    // MARK: - The server and who talks to it

    /// A client that was answered: where the machine took the time that it has for its request, it tries again.
    private static func heard(_ port: Int, _ text: String) async throws -> Client {
        for _ in 1...5 {
            let client = try Client(port, sending: text)
            try await eventually("an answer, or the end") { client.isAtEnd || !client.text.isEmpty }
            if !client.text.isEmpty { return client }
        }
        throw Failed("hung up on without an answer, five times")
    }

    private static func displays(_ port: Int) async throws -> Double? {
        let client = try Client(
            port, sending: "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        try await eventually("the metrics") { client.isAtEnd }
        let line = client.text.split(whereSeparator: \.isNewline).first { $0.hasPrefix("lockstep_displays ") }
        return line?.split(separator: " ").last.flatMap { Double($0) }
    }

    private static func isServing(_ port: Int, displays count: Double) async throws {
        try await eventually("\(count) displays") { try await displays(port) == count }
    }
}

/// A client that reads all the time, on a thread of its own, until the server ends it.
private final class AwakePage: Sendable {
    private let state = Mutex((count: 0, isAtEnd: false))

    init(_ port: Int, sending text: String) throws {
        guard let socket = Port.connected(port) else { throw Failed("nobody listens on port \(port)") }
        _ = send(socket, text, text.utf8.count, Int32(MSG_NOSIGNAL))
        DispatchQueue(label: "page").async { [self] in
            defer { close(socket) }
            var chunk = [UInt8](repeating: 0, count: 65_536)
            var ready = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            while true {
                poll(&ready, 1, -1)
                let count = recv(socket, &chunk, chunk.count, 0)
                if count < 0, errno == EAGAIN || errno == EINTR { continue }
                state.withLock { count > 0 ? ($0.count += count) : ($0.isAtEnd = true) }
                if count <= 0 { return }
            }
        }
    }

    /// Bytes that have come.
    var count: Int { state.withLock { $0.count } }
    var isAtEnd: Bool { state.withLock { $0.isAtEnd } }
}
