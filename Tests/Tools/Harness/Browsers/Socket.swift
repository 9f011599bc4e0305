// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A connection to a program of this machine, closed with the last reference to it.
final class Socket: Sendable {
    private let descriptor: Int32

    init(to port: Int) throws {
        guard let descriptor = Port.connected(port) else { throw Failed("no program listens on port \(port)") }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    func send(_ method: String, _ path: String, port: Int, _ headers: [String], body: [UInt8] = []) throws {
        let head = ["\(method) \(path) HTTP/1.1", "Host: 127.0.0.1:\(port)"] + headers + ["", ""]
        try send(Array(head.joined(separator: "\r\n").utf8) + body)
    }

    func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 || errno == EAGAIN else { throw Failed("the browser takes nothing: error \(errno)") }
            sent += max(count, 0)
            var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            if count < 0 { poll(&room, 1, -1) }
        }
    }

    /// Reads what has come, and returns whether the other end has closed the connection.
    func receive(into bytes: inout [UInt8]) -> Bool {
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = recv(descriptor, &chunk, chunk.count, 0)
            guard count > 0 else { return count == 0 || errno != EAGAIN }
            bytes += chunk[..<count]
        }
    }

    /// Removes the head of an HTTP response from its bytes, and returns it; `nil` until it is whole.
    static func takeHead(of bytes: inout [UInt8]) -> String? {
        guard let end = (3..<max(bytes.count, 3)).first(where: { bytes[($0 - 3)...$0] == [13, 10, 13, 10] }) else {
            return nil
        }
        defer { bytes.removeSubrange(...end) }
        return String(decoding: bytes[...end], as: UTF8.self)
    }
}
