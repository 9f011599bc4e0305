// SPDX-License-Identifier: Apache-2.0

import Glibc

/// TCP ports of 127.0.0.1.
package enum LoopbackPort {
    static func isFree(_ port: Int) -> Bool { bound(to: port) != nil }

    package static func free() -> Int? { bound(to: 0) }

    static func isServed(_ port: Int) -> Bool { connected(to: port).map { close($0) } != nil }

    /// Returns a connection to a port; `nil` if nothing listens there.
    package static func connected(to port: Int) -> CInt? {
        socket(port) { connect($0, $1, $2) == 0 ? () : nil }?.descriptor
    }

    private static func bound(to port: Int) -> Int? {
        let bound = socket(port) { descriptor, address, length -> Int? in
            var yes: CInt = 1
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<CInt>.size))
            guard bind(descriptor, address, length) == 0 else { return nil }
            var length = length
            guard getsockname(descriptor, address, &length) == 0 else { return nil }
            return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                Int(UInt16(bigEndian: $0.pointee.sin_port))
            }
        }
        if let bound { close(bound.descriptor) }
        return bound?.value
    }

    /// Makes a socket, which `body` binds or connects to a port; closes it if `body` returns `nil`.
    private static func socket<Value>(
        _ port: Int, _ body: (CInt, UnsafeMutablePointer<sockaddr>, socklen_t) -> Value?
    ) -> (descriptor: CInt, value: Value)? {
        guard let number = UInt16(exactly: port) else { return nil }
        let descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = number.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let value = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard let value else {
            close(descriptor)
            return nil
        }
        return (descriptor, value)
    }
}
