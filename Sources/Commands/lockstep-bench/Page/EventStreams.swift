// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc

/// Many pages of one node, as far as the node can tell: connections that take in timelines.
final class EventStreams: @unchecked Sendable {
    // Used by one caller at a time, on a queue of its own since it blocks.
    private let queue = DispatchQueue(label: "streams")
    private var sockets: [pollfd] = []
    private var told: [Int] = []
    private var chunk = [UInt8](repeating: 0, count: 65_536)

    private static let event = Array("event: timeline".utf8)

    /// Opens so many, and waits until each was told how things stand.
    init(_ count: Int, port: Int) async throws {
        try await onQueue { [self] in
            for index in 0..<count {
                let faces = ["boring", "focus", "calm", "phases"]
                let head =
                    "GET /v1/timeline?face=\(faces[index % 4])&lang=\(index % 2 == 0 ? "en" : "de") HTTP/1.1\r\n"
                    + "Host: 127.0.0.1:\(port)\r\n\r\n"
                sockets.append(pollfd(fd: try Self.connect(port, sending: head), events: Int16(POLLIN), revents: 0))
            }
            told = Array(repeating: 0, count: count)
        }
        _ = try await untilAllAreTold(1)
    }

    func close() async throws {
        try await onQueue { [self] in
            for socket in sockets { Glibc.close(socket.fd) }
            sockets = []
        }
    }

    /// Waits until each has been told so often, since it was opened.
    /// - Returns: When the last one was, on the monotonic clock.
    func untilAllAreTold(_ times: Int) async throws -> Int64 {
        try await onQueue { [self] in
            let deadline = Samples.now() + 30_000_000_000
            while told.contains(where: { $0 < times }) {
                guard poll(&sockets, nfds_t(sockets.count), 1_000) >= 0, Samples.now() < deadline else {
                    throw BenchError("\(told.count { $0 < times }) of \(told.count) streams were not told")
                }
                for index in sockets.indices where sockets[index].revents != 0 { try take(index) }
            }
            return Samples.now()
        }
    }

    private func take(_ index: Int) throws {
        let count = recv(sockets[index].fd, &chunk, chunk.count, 0)
        guard count > 0 else { throw BenchError("the node has closed stream \(index)") }
        // An event begins a segment, since each is written at once.
        let length = Self.event.count
        chunk.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress, count >= length else { return }
            for place in 0...count - length where bytes[place] == Self.event[0] {
                if memcmp(start + place, Self.event, length) == 0 { told[index] += 1 }
            }
        }
    }

    private func onQueue<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result(catching: body)) }
        }
    }

    private static func connect(_ port: Int, sending text: String) throws -> Int32 {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = in_addr_t(UInt32(0x7F00_0001).bigEndian)
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else { throw BenchError("nobody listens on port \(port)") }
        let bytes = Array(text.utf8)
        guard send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            throw BenchError("a request is not taken")
        }
        return socket
    }
}
