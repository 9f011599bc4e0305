// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// TCP ports on the loopback interface.
public enum Port {
    private static let taken = Mutex(Set<Int>())

    /// A file in which each port has a byte; who gives a port to a test holds a lock on that byte while it lives.
    private static let ledger = open("/tmp/lockstep-test-ports-\(getuid())", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)

    /// A port that nobody listens on, and that no test of this or another process has been given: between a test's
    /// choice and its program's start it is free for a while.
    ///
    /// Below the range that the system takes for outgoing connections: such a one would be in the way of a broker that
    /// comes back on its port.
    public static func free() -> Int {
        while true {
            let port = Int.random(in: 12_000...32_000)
            let isNew = taken.withLock { $0.insert(port).inserted }
            // Bound only, not listening: a program that is being started at this moment has a copy of the socket for a
            // while, and would keep the port from who gets it.
            if isNew, isLocked(port), let socket = try? bound(port) {
                close(socket)
                return port
            }
        }
    }

    /// Locks a port's byte for this process; it need not be given back.
    /// - Returns: Whether no other process has it.
    private static func isLocked(_ port: Int) -> Bool {
        guard ledger >= 0 else { return true }
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = port
        lock.l_len = 1
        return fcntl(ledger, F_SETLK, &lock) == 0
    }

    /// Whether somebody listens there.
    public static func answers(_ port: Int) -> Bool {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(socket) }
        return withLoopback(port) { connect(socket, $0, $1) } == 0
    }

    /// A listening socket; the caller closes it.
    public static func listen(_ port: Int) throws -> Int32 {
        let socket = try bound(port)
        guard Glibc.listen(socket, 16) == 0 else { throw failure(port, closing: socket) }
        return socket
    }

    private static func bound(_ port: Int) throws -> Int32 {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var on: Int32 = 1
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        guard withLoopback(port, { bind(socket, $0, $1) }) == 0 else { throw failure(port, closing: socket) }
        return socket
    }

    private static func failure(_ port: Int, closing socket: Int32) -> SpawnFailed {
        defer { close(socket) }
        return SpawnFailed(description: "port \(port): \(String(cString: strerror(errno)))")
    }

    /// A connection that does not block; `nil` when nobody listens. The caller closes it.
    package static func connected(_ port: Int) -> Int32? {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard withLoopback(port, { connect(socket, $0, $1) }) == 0,
            fcntl(socket, F_SETFL, O_NONBLOCK) == 0
        else {
            close(socket)
            return nil
        }
        return socket
    }

    /// Begins to connect, and does not wait for the answer; the caller closes the descriptor.
    public static func startConnecting(_ port: Int) -> Int32 {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let socket = Glibc.socket(AF_INET, kind, 0)
        _ = withLoopback(port) { connect(socket, $0, $1) }
        return socket
    }

    private static func withLoopback(
        _ port: Int,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = in_addr_t(UInt32(0x7F00_0001).bigEndian)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
