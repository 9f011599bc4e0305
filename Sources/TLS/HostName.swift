// SPDX-License-Identifier: Apache-2.0

import Platform

/// A name or an address in a certificate.
package enum HostName: Hashable, Sendable {
    case name(String)
    /// An address of IPv4 or IPv6, in the form of `inet_ntop`.
    case address(String)

    /// Reads a name or an address; `nil` for a text that no certificate can hold.
    package init?(_ text: String) {
        if let address = HostText.address(text).flatMap(Self.init(bytes:)) {
            self = address
        } else if HostText.accepts(text) {
            self = .name(text.lowercased())
        } else {
            return nil
        }
    }

    /// Creates an address from its bytes; `nil` unless they are 4 or 16.
    init?(bytes: [UInt8]) {
        guard let text = HostText.text(of: bytes) else { return nil }
        self = .address(text)
    }

    package var text: String {
        switch self {
        case .name(let text), .address(let text): text
        }
    }

    /// The subject alternative name, as OpenSSL writes it.
    package var alternative: String {
        switch self {
        case .name(let text): "DNS:\(text)"
        case .address(let text): "IP:\(text)"
        }
    }

    /// The name constraint that permits it, as OpenSSL writes it.
    var permission: String {
        switch self {
        case .name(let text): "permitted;DNS:\(text)"
        case .address(let text):
            "permitted;IP:\(text)/"
                + (text.contains(":") ? "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff" : "255.255.255.255")
        }
    }
}

/// The networks of private addresses, with their masks.
package enum PrivateNetworks {
    private static let ipv4 = [
        ("10.0.0.0", "255.0.0.0"), ("100.64.0.0", "255.192.0.0"), ("169.254.0.0", "255.255.0.0"),
        ("172.16.0.0", "255.240.0.0"), ("192.168.0.0", "255.255.0.0"),
    ]

    /// The name constraints that permit them, as OpenSSL writes them. Of IPv6 these are the unique local addresses.
    static let permissions = ipv4.map { "permitted;IP:\($0)/\($1)" } + ["permitted;IP:fc00::/fe00::"]

    /// The private addresses of this machine: those of IPv4, and the unique local ones of IPv6.
    package static func addressesOfThisMachine() -> [HostName] {
        (Interfaces.ipv4Addresses() + Interfaces.ipv6Addresses()).filter(contain).map { .address($0) }
    }

    static func contain(_ address: String) -> Bool {
        if address.contains(":") { return ["fc", "fd"].contains { address.hasPrefix($0) } }
        return ipv4.contains { network, mask in number(address) & number(mask) == number(network) }
    }

    private static func number(_ address: String) -> UInt32 {
        address.split(separator: ".").reduce(0) { $0 << 8 | (UInt32($1) ?? 0) }
    }
}
