// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Connections to Unix sockets.
package enum UnixSocket {
    /// The maximum length of a path in bytes, set by the system.
    package static let pathLimit = 107

    /// Returns whether a process accepts connections at `path`.
    package static func isServed(_ path: String) -> Bool {
        guard let descriptor = connected(to: path, timeout: nil) else { return false }
        close(descriptor)
        return true
    }

    /// The process that listens on a socket; `nil` if there is none, or none that this one can see.
    package static func server(of path: String) -> Int32? {
        guard let descriptor = connected(to: path, timeout: nil) else { return nil }
        defer { close(descriptor) }
        // The fields of `struct ucred`, which Swift's Glibc module leaves out.
        var peer: (process: pid_t, user: uid_t, group: gid_t) = (0, 0, 0)
        var size = socklen_t(MemoryLayout.size(ofValue: peer))
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0, peer.process > 0 else { return nil }
        return peer.process
    }

    /// Connects a stream socket, and returns its descriptor; `nil` if that fails.
    /// - Parameter timeout: The milliseconds until a connect or a send gives up; `nil` for no limit.
    package static func connected(to path: String, timeout: Int64?) -> Int32? {
        guard path.utf8.count <= pathLimit else { return nil }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        if let timeout {
            var limit = timeval(tv_sec: Int(timeout / 1_000), tv_usec: Int(timeout % 1_000) * 1_000)
            setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        if isConnected { return descriptor }
        close(descriptor)
        return nil
    }
}
