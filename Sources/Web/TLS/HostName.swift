// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A name or an address by which browsers reach the node.
enum HostName: Hashable, Sendable {
    case name(String)
    case address(String)

    /// - Parameter text: A host name or an address; `nil` is returned for what no certificate can hold.
    init?(_ text: String) {
        var bytes = in6_addr()
        if inet_pton(AF_INET, text, &bytes) == 1 || inet_pton(AF_INET6, text, &bytes) == 1 {
            self = .address(text)
        } else {
            let isName = text.utf8.allSatisfy { byte in
                let character = Character(Unicode.Scalar(byte))
                return byte < 128 && (character.isLetter || character.isNumber || "-_.".contains(character))
            }
            guard isName, !text.isEmpty, text.utf8.count <= 253, text.first != ".", text.last != "." else { return nil }
            self = .name(text.lowercased())
        }
    }

    /// The subject alternative name, as OpenSSL writes it.
    var alternative: String {
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
enum PrivateNetworks {
    private static let ipv4 = [
        ("10.0.0.0", "255.0.0.0"), ("100.64.0.0", "255.192.0.0"), ("169.254.0.0", "255.255.0.0"),
        ("172.16.0.0", "255.240.0.0"), ("192.168.0.0", "255.255.0.0"),
    ]

    /// The name constraints that permit them, as OpenSSL writes them. Of IPv6 these are the unique local addresses.
    static let permissions = ipv4.map { "permitted;IP:\($0)/\($1)" } + ["permitted;IP:fc00::/fe00::"]

    /// The private IPv4 addresses of this machine.
    static func addressesOfThisMachine() -> [HostName] {
        // Not getifaddrs, since the unit of the node allows no netlink sockets.
        let socket = Glibc.socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { return [] }
        defer { close(socket) }
        var interfaces = [ifreq](repeating: ifreq(), count: 64)
        return interfaces.withUnsafeMutableBufferPointer { interfaces in
            var list = ifconf()
            list.ifc_len = Int32(interfaces.count * MemoryLayout<ifreq>.stride)
            list.ifc_ifcu.ifcu_req = interfaces.baseAddress
            guard ioctl(socket, UInt(SIOCGIFCONF), &list) == 0 else { return [] }
            return interfaces.prefix(Int(list.ifc_len) / MemoryLayout<ifreq>.stride).compactMap { interface in
                let address = withUnsafeBytes(of: interface.ifr_ifru.ifru_addr) {
                    $0.load(as: sockaddr_in.self).sin_addr
                }
                return hostName(address)
            }
        }
    }

    private static func hostName(_ address: in_addr) -> HostName? {
        let isPrivate = ipv4.contains { network, mask in
            var (network4, mask4) = (in_addr(), in_addr())
            inet_pton(AF_INET, network, &network4)
            inet_pton(AF_INET, mask, &mask4)
            return address.s_addr & mask4.s_addr == network4.s_addr
        }
        guard isPrivate else { return nil }
        var address = address
        var text = [CChar](repeating: 0, count: Int(INET_ADDRSTRLEN))
        inet_ntop(AF_INET, &address, &text, socklen_t(text.count))
        return .address(String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
    }
}
