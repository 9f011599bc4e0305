// SPDX-License-Identifier: Apache-2.0

import Glibc
import Harness
import Platform

/// Many open pages of one node: connections that receive timelines.
final class EventStreams: @unchecked Sendable {
    // Used by one caller at a time, on a thread of its own because it blocks.
    private var sockets: [pollfd] = []
    private var updates: [Int] = []
    private var chunk = [UInt8](repeating: 0, count: 65_536)

    private static let event = Array("event: timeline".utf8)

    /// Opens connections, and waits until each has received its first timeline.
    init(_ count: Int, port: Int) async throws {
        try await onThread { [self] in
            for index in 0..<count {
                let faces = ["boring", "focus", "calm", "phases"]
                let head =
                    "GET /v1/timeline?face=\(faces[index % 4])&lang=\(index % 2 == 0 ? "en" : "de") HTTP/1.1\r\n"
                    + "Host: 127.0.0.1:\(port)\r\n\r\n"
                sockets.append(pollfd(fd: try Self.connect(port, sending: head), events: Int16(POLLIN), revents: 0))
            }
            updates = Array(repeating: 0, count: count)
        }
        _ = try await waitForAll(1)
    }

    func close() async throws {
        try await onThread { [self] in
            for socket in sockets { Glibc.close(socket.fd) }
            sockets = []
        }
    }

    /// Waits until each has received a number of timelines since it was opened.
    /// - Returns: When the last one arrived, on the monotonic clock.
    func waitForAll(_ times: Int) async throws -> Int64 {
        try await onThread { [self] in
            let deadline = Samples.now() + 30_000_000_000
            while updates.contains(where: { $0 < times }) {
                guard poll(&sockets, nfds_t(sockets.count), 1_000) >= 0, Samples.now() < deadline else {
                    throw Failed(
                        "\(updates.count { $0 < times }) of \(updates.count) streams did not receive a timeline")
                }
                for index in sockets.indices where sockets[index].revents != 0 { try receive(index) }
            }
            return Samples.now()
        }
    }

    private func receive(_ index: Int) throws {
        let count = recv(sockets[index].fd, &chunk, chunk.count, 0)
        guard count > 0 else { throw Failed("the node closed stream \(index)") }
        // The search may miss an event that two reads share; each event is written at once, so none is.
        let length = Self.event.count
        chunk.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress, count >= length else { return }
            for place in 0...count - length where bytes[place] == Self.event[0] {
                if memcmp(start + place, Self.event, length) == 0 { updates[index] += 1 }
            }
        }
    }

    private func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await Thread.run(name: "streams") { Result(catching: body) }.get()
    }

    private static func connect(_ port: Int, sending text: String) throws -> Int32 {
        let bytes = Array(text.utf8)
        guard let socket = Port.connected(port), send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
        else { throw Failed("no connection to port \(port)") }
        return socket
    }
}
