// SPDX-License-Identifier: Apache-2.0

import Glibc
import Platform
import Support
import Synchronization
import Testing

@testable import Web

/// A real server disconnects slow and idle clients, and keeps those that keep up.
@Suite(.limitedConcurrency) struct TimeoutTests {
    @Test func silentClientIsDroppedAndAnIdleOneAfterTheAnswer() async throws {
        try await LiveServer.with(Timeouts(idle: .milliseconds(200))) { port, _ in
            let silent = try Client(port, sending: "")
            try await eventually("the end of the silent one") { silent.isAtEnd }
            let client = try await Self.heard(port, "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
            try await eventually("the end") { client.isAtEnd }
            #expect(client.text.hasPrefix("HTTP/1.1 200"))
        }
    }

    @Test func aHeadRequestForAStreamEnds() async throws {
        try await LiveServer.with { port, _ in
            for path in ["/v1/events", "/v1/timeline"] {
                let answer = try await LiveServer.answer(
                    port, "HEAD \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                #expect(answer.hasPrefix("HTTP/1.1 200"), "\(answer)")
                #expect(answer.lowercased().contains("content-type: text/event-stream"), "\(answer)")
                #expect(answer.hasSuffix("\r\n\r\n"), "\(answer)")
            }
        }
    }

    @Test func singleBytesDoNotExtendTheHeadTimeout() async throws {
        try await LiveServer.with(Timeouts(idle: .milliseconds(300))) { port, _ in
            let client = try Client(port, sending: "GET /health HTTP/1.1\r\nHost: localhost\r\nX: ")
            try await eventually("the end") {
                client.send("y")
                return client.isAtEnd
            }
            #expect(client.text.isEmpty)
        }
    }

    @Test func missingBodyTimesOut() async throws {
        try await LiveServer.with(Timeouts(body: .milliseconds(200))) { port, node in
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

    @Test func aRefusedClientCannotHoldItsConnectionBySingleBytes() async throws {
        try await LiveServer.with(Timeouts(body: .milliseconds(300))) { port, _ in
            let client = try Client(
                port,
                sending: "POST /v1/start HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 10.0.0.7\r\n"
                    + "Content-Type: application/json\r\nContent-Length: 1000000\r\n\r\n")
            try await eventually("the end") {
                client.send(" ")
                return client.isAtEnd
            }
            #expect(client.text.hasPrefix("HTTP/1.1 401"), "\(client.text)")
        }
    }

    @Test func stalledPageIsDroppedAndOthersAreUpdated() async throws {
        let timeouts = Timeouts(stalled: .seconds(2), beat: .milliseconds(50))
        try await LiveServer.with(timeouts) { port, node in
            let ask = "GET /v1/timeline HTTP/1.1\r\nHost: localhost\r\n\r\n"
            let stalled = try Client(port, sending: ask)
            var awake = try AwakePage(port, sending: ask)
            try await Self.waitUntilServing(port, displays: 2)
            var losses = 0
            try await eventually("one is dropped") {
                // More than the socket buffers hold.
                for _ in 0..<200 { node.happen() }
                // On a loaded machine this page may stall too, and is rightly dropped: reconnect.
                if awake.isAtEnd, losses < 5 {
                    losses += 1
                    awake = try AwakePage(port, sending: ask)
                }
                guard try await Self.displays(port) == 1 else { return false }
                return !awake.isAtEnd
            }
            let before = awake.count
            node.happen()
            try await eventually("the other page is updated") { awake.count > before }
            try await eventually("the end of the stalled page") { stalled.isAtEnd }
        }
    }

    @Test func pageGetsHeartbeats() async throws {
        try await LiveServer.with(Timeouts(idle: .milliseconds(200), beat: .milliseconds(50))) { port, _ in
            let page = try await Self.heard(port, "GET /v1/timeline HTTP/1.1\r\nHost: localhost\r\n\r\n")
            // Longer than the idle timeout.
            try await eventually("ten beats") {
                try #require(!page.isAtEnd)
                return page.text.split(separator: "event: beat").count > 10
            }
        }
    }

    // MARK: - Clients

    /// Returns a client that has an answer. Retries, because on a loaded machine the request may time out.
    private static func heard(_ port: Int, _ text: String) async throws -> Client {
        for _ in 1...5 {
            let client = try Client(port, sending: text)
            try await eventually("an answer, or the end") { client.isAtEnd || !client.text.isEmpty }
            if !client.text.isEmpty { return client }
        }
        throw Failed("the server closed five connections without an answer")
    }

    private static func displays(_ port: Int) async throws -> Double? {
        let client = try Client(
            port, sending: "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        try await eventually("the metrics") { client.isAtEnd }
        let line = client.text.split(whereSeparator: \.isNewline).first { $0.hasPrefix("lockstep_displays ") }
        return line?.split(separator: " ").last.flatMap { Double($0) }
    }

    private static func waitUntilServing(_ port: Int, displays count: Double) async throws {
        try await eventually("\(count) displays") { try await displays(port) == count }
    }
}

/// A client that reads continuously on its own thread until the server closes the connection.
private final class AwakePage: Sendable {
    private let state = Mutex((count: 0, isAtEnd: false))

    init(_ port: Int, sending text: String) throws {
        guard let socket = Port.connected(port) else { throw Failed("nobody listens on port \(port)") }
        _ = send(socket, text, text.utf8.count, Int32(MSG_NOSIGNAL))
        try Thread.start(name: "page") { [self] in
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

    /// The number of bytes received.
    var count: Int { state.withLock { $0.count } }
    var isAtEnd: Bool { state.withLock { $0.isAtEnd } }
}
