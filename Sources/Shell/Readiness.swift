// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Tells systemd how a service is doing, where systemd asked to be told.
public enum Readiness {
    /// Sends one state, such as `READY=1` or `STOPPING=1`; does nothing without `NOTIFY_SOCKET`.
    public static func notify(_ state: String) {
        guard let path = getenv("NOTIFY_SOCKET").map({ String(cString: $0) }), path.utf8.count < 107 else { return }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { target in
            target.copyBytes(from: bytes)
            // A leading @ stands for the zero byte of an abstract address.
            if bytes.first == UInt8(ascii: "@") { target[0] = 0 }
        }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = sendto(descriptor, state, state.utf8.count, Int32(MSG_NOSIGNAL), $0, length)
            }
        }
    }
}
