// SPDX-License-Identifier: Apache-2.0

import Glibc
package import Settings

/// The check that a program of this machine can listen at an address.
package enum ListenCheck {
    /// The reason why listening fails.
    package enum Problem: Sendable, CustomStringConvertible {
        case taken
        case other(String)

        package var description: String {
            switch self {
            case .taken: "another program listens there; give the page another port"
            case .other(let reason): reason
            }
        }
    }

    /// Returns why listening there fails; `nil` if it does not.
    package static func problem(of address: HTTPAddress) -> Problem? {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(address.host, "\(address.port)", &hints, &found)
        guard code == 0, let found else {
            return .other("no machine of this name is known (\(String(cString: gai_strerror(code))))")
        }
        defer { freeaddrinfo(found) }
        let descriptor = socket(found.pointee.ai_family, found.pointee.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var yes: CInt = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<CInt>.size))
        guard bind(descriptor, found.pointee.ai_addr, found.pointee.ai_addrlen) != 0 else { return nil }
        return switch errno {
        case EADDRINUSE: .taken
        case EADDRNOTAVAIL: .other("it is no address of this machine")
        case let other: .other(String(cString: strerror(other)))
        }
    }
}
