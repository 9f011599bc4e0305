// SPDX-License-Identifier: Apache-2.0

import API
import Glibc
import Platform
import Synchronization

/// A connection to the control socket for one request. Its calls block, except ``end()``.
final class ControlConnection: Sendable {
    private let path: String
    private let state = Mutex(State())

    /// The open socket, and whether ``end()`` has been called.
    private struct State {
        var descriptor: Int32?
        var isEnded = false
    }

    init(path: String) { self.path = path }

    deinit { if let descriptor = state.withLock(\.descriptor) { close(descriptor) } }

    /// Ends a waiting ``exchange(_:timeout:_:)`` at once; can be called from any thread.
    func end() {
        state.withLock { state in
            state.isEnded = true
            if let descriptor = state.descriptor { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }

    /// Connects, sends a request and reads its response to the end.
    /// - Parameters:
    ///   - timeout: The milliseconds until it gives up; `nil` for no limit.
    ///   - receive: Called with the status and each piece of the body; returns whether to go on.
    func exchange(
        _ request: [UInt8], timeout: Int64?, _ receive: (Int, [UInt8]) throws(ControlError) -> Bool
    ) throws(ControlError) {
        let deadline = timeout.map { Self.now() + $0 }
        guard let descriptor = UnixSocket.connected(to: path, timeout: timeout) else { throw .unreachable(path) }
        let isEnded = state.withLock { state in
            state.descriptor = descriptor
            return state.isEnded
        }
        guard !isEnded, send(request, on: descriptor) else { throw .noAnswer(path) }
        var reader = ResponseReader()
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while !reader.isComplete {
            guard waitUntilReadable(descriptor, deadline) else { throw .noAnswer(path) }
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            let body = try reader.read(buffer[..<count])
            if let status = reader.status, try !receive(status, body) { return }
        }
    }

    private func send(_ bytes: [UInt8], on descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private func waitUntilReadable(_ descriptor: Int32, _ deadline: Int64?) -> Bool {
        var waited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while true {
            let left = deadline.map { max(0, $0 - Self.now()) }
            let count = poll(&waited, 1, left.map(Int32.init) ?? -1)
            if count < 0, errno == EINTR { continue }
            return count > 0
        }
    }

    private static func now() -> Int64 { SystemClock.awakeMilliseconds() }
}
