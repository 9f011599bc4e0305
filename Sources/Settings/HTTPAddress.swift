// SPDX-License-Identifier: Apache-2.0

import Platform

/// The address of the kiosk page: `127.0.0.1:7780`, `[::]:7780`, or the port alone for loopback.
package struct HTTPAddress: Hashable, Sendable, CustomStringConvertible {
    package static let usualPort = 7_780
    package static let usualSecurePort = 7_743

    private let endpoint: Endpoint

    /// Parses an address; `port` is that of an address without one.
    package init(_ text: String, port: Int = Self.usualPort) throws(ValueError) {
        let isPort = !text.isEmpty && text.allSatisfy(\.isNumber)
        let hint = "to listen on all addresses, write 0.0.0.0 or [::]"
        endpoint = try Endpoint(isPort ? "127.0.0.1:\(text)" : text[...], port: port, hint: hint)
        guard HostText.accepts(endpoint.host) else { throw ValueError("“\(endpoint.host)” is no host; \(hint)") }
    }

    package var host: String { endpoint.host }
    package var port: Int { endpoint.port }

    /// Whether only programs of this machine can connect.
    package var isLoopback: Bool { HostText.isLoopback(host) }

    package var description: String { endpoint.description }
}
