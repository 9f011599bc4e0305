// SPDX-License-Identifier: Apache-2.0

import Glibc
import Platform
import Session
import Support
import Synchronization
import Testing
import Wire

@testable import API
@testable import Client

/// The client against a socket that gives canned answers.
@Suite(.timeLimit(.minutes(15))) struct ControlClientTests {
    private let directory: TemporaryDirectory
    private let path: String
    private let client: ControlClient

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("node.sock")
        client = ControlClient(path: path)
    }

    private func answer(_ body: [UInt8], status: String = "200 OK") -> [UInt8] {
        Array("HTTP/1.1 \(status)\r\ncontent-length: \(body.count)\r\n\r\n".utf8) + body
    }

    @Test func requestIsSentAndItsAnswerRead() async throws {
        let reply = ReplyReport(Reply.noSession)
        let server = try Listener(path: path, answer: answer(reply.encoded))
        #expect(try await client.press(IntentRequest(op: .pause)) == reply)
        let request = server.request
        #expect(request.hasPrefix("POST /v1/intents HTTP/1.1\r\nhost: localhost\r\n"))
        #expect(request.hasSuffix("\r\n\r\n{\"op\":\"pause\"}"))
        #expect(request.contains("content-length: 14\r\n"))
    }

    @Test func missingNodeIsUnreachable() async throws {
        #expect(!ControlClient.isServed(path))
        let error = try await #require(throws: ControlError.self) { try await client.status() }
        guard case .unreachable = error else { throw error }
    }

    @Test func longPathIsNotServed() {
        #expect(!ControlClient.isServed("/" + String(repeating: "a", count: UnixSocket.pathLimit)))
    }

    @Test func errorSuggestsAnOlderProgram() async throws {
        let server = try Listener(path: path, answer: answer(Array("{}".utf8), status: "404 Not Found"))
        let error = try await #require(throws: ControlError.self) { try await client.kiosk() }
        #expect("\(error)".contains("is it an older program?"))
        withExtendedLifetime(server) {}
    }

    @Test func nodeThatEndsGivesNoAnswer() async throws {
        let server = try Listener(path: path, answer: [])
        let error = try await #require(throws: ControlError.self) { try await client.nodes() }
        guard case .noAnswer = error else { throw error }
        withExtendedLifetime(server) {}
    }

    @Test func malformedReportIsABadAnswer() async throws {
        let server = try Listener(path: path, answer: answer(Array("[]".utf8)))
        let error = try await #require(throws: ControlError.self) { try await client.status() }
        guard case .badAnswer = error else { throw error }
        withExtendedLifetime(server) {}
    }

    @Test func viewsComeInOrderUntilTheNodeEnds() async throws {
        let views = [false, true].map { NodeView(View(isLinked: $0)) }
        var events: [UInt8] = []
        for view in views { events += Array("event: view\ndata: ".utf8) + view.json() + [10, 10] }
        let head = Array("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n".utf8)
        let chunk = Array("\(String(events.count, radix: 16))\r\n".utf8) + events + Array("\r\n".utf8)
        let server = try Listener(path: path, answer: head + chunk)
        var seen: [NodeView] = []
        try await client.views { seen.append($0) }
        #expect(seen == views)
        withExtendedLifetime(server) {}
    }

    @Test func firstViewOfAStreamIsTheView() async throws {
        let view = NodeView(View(isLinked: true), clockAhead: -40, warnings: ["the disk is full"])
        let event = Array("HTTP/1.1 200 OK\r\n\r\nevent: view\ndata: ".utf8) + view.json() + [10, 10]
        let server = try Listener(path: path, answer: event, staysOpen: true)
        #expect(try await client.view() == view)
        try await eventually("the client closes its end") { server.isClosedByClient }
    }

    @Test func streamWithoutAViewGivesNoAnswer() async throws {
        let server = try Listener(path: path, answer: Array("HTTP/1.1 200 OK\r\n\r\n".utf8))
        let error = try await #require(throws: ControlError.self) { try await client.view() }
        guard case .noAnswer = error else { throw error }
        withExtendedLifetime(server) {}
    }

    @Test func refusedStreamIsABadAnswer() async throws {
        let server = try Listener(path: path, answer: answer(Array("{}".utf8), status: "503 Service Unavailable"))
        let error = try await #require(throws: ControlError.self) { try await client.view() }
        guard case .badAnswer = error else { throw error }
        withExtendedLifetime(server) {}
    }

    @Test func refusedStreamOfViewsThrows() async throws {
        let server = try Listener(path: path, answer: answer(Array("{}".utf8), status: "503 Service Unavailable"))
        await #expect(throws: ControlError.self) { try await client.views { _ in } }
        withExtendedLifetime(server) {}
    }

    @Test func cancellationEndsASilentStream() async throws {
        let server = try Listener(path: path, answer: Array("HTTP/1.1 200 OK\r\n\r\n".utf8), staysOpen: true)
        let task = Task { [client] in try await client.views { _ in } }
        try await eventually("the request arrives") { !server.request.isEmpty }
        task.cancel()
        _ = await task.result
        try await eventually("the client closes its end") { server.isClosedByClient }
    }
}

/// A socket that gives its first client an answer.
private final class Listener: Sendable {
    private let descriptor: Int32
    private let state = Mutex(State())

    private struct State {
        var request: [UInt8] = []
        var open: Int32?
    }

    init(path: String, answer: [UInt8], staysOpen: Bool = false) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let code = withSocketAddress(path) { [descriptor] in bind(descriptor, $0, $1) }
        try #require(code == 0 && listen(descriptor, 8) == 0)
        // A thread of its own: tests that compute may occupy all threads of tasks for seconds.
        try Thread.start(name: "control") { [weak self, descriptor] in
            let connection = accept(descriptor, nil, nil)
            guard connection >= 0 else { return }
            var buffer = [UInt8](repeating: 0, count: 4_096)
            let count = recv(connection, &buffer, buffer.count, 0)
            self?.state.withLock { $0.request = Array(buffer.prefix(max(0, count))) }
            _ = send(connection, answer, answer.count, Int32(MSG_NOSIGNAL))
            if staysOpen { self?.state.withLock { $0.open = connection } } else { close(connection) }
        }
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
        if let open = state.withLock(\.open) { close(open) }
    }

    /// The request, as far as it has arrived.
    var request: String { String(decoding: state.withLock(\.request), as: UTF8.self) }

    /// Whether the client has closed its end of a connection that stayed open.
    var isClosedByClient: Bool {
        guard let open = state.withLock(\.open) else { return false }
        var byte: UInt8 = 0
        return recv(open, &byte, 1, 0) == 0
    }
}
