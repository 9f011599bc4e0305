// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// TCP ports on the loopback interface.
public enum Port {
    private static let taken = Mutex(Set<Int>())

    /// A file with a byte for each port, which the process that uses it has locked.
    private static let lockFile = open("/tmp/lockstep-test-ports-\(getuid())", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)

    /// Returns a port without a listener that no test of this or another process uses. It is below the range of
    /// outgoing connections, which could block a broker that restarts on its port.
    public static func free() -> Int {
        while true {
            let port = Int.random(in: 12_000...32_000)
            let isNew = taken.withLock { $0.insert(port).inserted }
            // Not listening: a program that starts at this moment inherits a copy, and would keep the port in use.
            if isNew, tryLock(port), let socket = try? bound(port) {
                close(socket)
                return port
            }
        }
    }

    /// Locks a port's byte until this process ends. Returns whether no other process holds it.
    private static func tryLock(_ port: Int) -> Bool {
        guard lockFile >= 0 else { return true }
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = port
        lock.l_len = 1
        return fcntl(lockFile, F_SETLK, &lock) == 0
    }

    /// Returns whether a program listens on a port.
    public static func answers(_ port: Int) -> Bool {
        connected(port).map { close($0) } != nil
    }

    /// Returns a listening socket, which the caller closes.
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

    private static func failure(_ port: Int, closing socket: Int32) -> Failed {
        defer { close(socket) }
        return Failed("port \(port): \(String(cString: strerror(errno)))")
    }

    /// Returns a connection that does not block, which the caller closes; `nil` without a listener.
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

    /// Starts to connect without waiting; the caller closes the descriptor.
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
