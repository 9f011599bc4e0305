// SPDX-License-Identifier: Apache-2.0

import Glibc
import Platform
import Support

/// A small HTTP client of a node's socket, which needs no process for each request.
struct LocalSocket: Sendable {
    var path: String

    /// Sends a request and returns its whole answer; `nil` if no node answers.
    func request(_ method: String, _ target: String, body: [UInt8] = []) -> (code: Int, body: JSON)? {
        guard let socket = open() else { return nil }
        defer { close(socket) }
        let head =
            "\(method) \(target) HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: \(body.count)\r\n\r\n"
        send(Array(head.utf8) + body, to: socket)
        let answer = String(decoding: readAll(socket), as: UTF8.self)
        guard let end = answer.firstRange(of: "\r\n\r\n"),
            let code = answer.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
        else { return nil }
        return (code, (try? JSON(String(answer[end.upperBound...]))) ?? .null)
    }

    /// Sends a request whose answer may take seconds, without blocking other tests.
    func requestAside(_ method: String, _ target: String, body: [UInt8] = []) async -> (code: Int, body: JSON)? {
        await Thread.run(name: "request") { request(method, target, body: body) }
    }

    /// Opens a connection, sends `text` and reads nothing; the caller closes it.
    func open(sending text: String) throws -> Int32 {
        guard let socket = open() else { throw Failed("no program listens on \(path)") }
        send(Array(text.utf8), to: socket)
        return socket
    }

    private func open() -> Int32? {
        let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var timeout = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        guard withSocketAddress(path, { connect(socket, $0, $1) }) == 0 else {
            close(socket)
            return nil
        }
        return socket
    }

    private func send(_ bytes: [UInt8], to socket: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            // A stop and a continuation of the process interrupt the call.
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    private func readAll(_ socket: Int32) -> [UInt8] {
        var all: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(socket, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return all }
            all += chunk[..<count]
        }
    }
}
