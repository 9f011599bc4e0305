// SPDX-License-Identifier: Apache-2.0

/// The address of the kiosk page: `127.0.0.1:7780`, `[::]:7780`, or the port alone for loopback.
package struct HTTPAddress: Hashable, Sendable, CustomStringConvertible {
    /// The default port.
    package static let usualPort = 7_780

    private let place: BrokerAddress.Place

    /// Parses an address.
    /// - Throws: ``BadValue`` with what is wrong and what is valid.
    package init(_ text: String) throws(BadValue) {
        let isPort = !text.isEmpty && text.allSatisfy(\.isNumber)
        place = try BrokerAddress.Place(isPort ? "127.0.0.1:\(text)" : text[...], port: Self.usualPort)
    }

    package var host: String { place.host }
    /// 1 to 65535.
    package var port: Int { place.port }

    /// Whether only programs of this machine can connect.
    package var isLoopback: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }

    /// `host:port`.
    package var description: String { place.description }
}
