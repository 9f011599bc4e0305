// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import Support

/// A plain HTTP client of a node's socket: enough to look often, without a process for each look.
struct LocalSocket: Sendable {
    var path: String

    /// One request and its whole answer; `nil` when nobody answers.
    func request(_ method: String, _ target: String, body: [UInt8] = []) -> (code: Int, body: JSON)? {
        let start = ContinuousClock.now
        defer { Pace.current?.note(.now - start) }
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

    /// The same for a request whose answer may take seconds: other tests go on meanwhile.
    func requestAside(_ method: String, _ target: String, body: [UInt8] = []) async -> (code: Int, body: JSON)? {
        let start = ContinuousClock.now
        defer { Pace.current?.note(.now - start) }
        return await withCheckedContinuation { continuation in
            DispatchQueue(label: "request").async {
                continuation.resume(returning: request(method, target, body: body))
            }
        }
    }

    /// A connection that has sent this and reads nothing; the caller closes it.
    func open(sending text: String) throws -> Int32 {
        guard let socket = open() else { throw Failed("nobody listens on \(path)") }
        send(Array(text.utf8), to: socket)
        return socket
    }

    private func open() -> Int32? {
        let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var patience = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard code == 0 else {
            close(socket)
            return nil
        }
        return socket
    }

    private func send(_ bytes: [UInt8], to socket: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            // A process that was stopped and goes on is told so here.
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
