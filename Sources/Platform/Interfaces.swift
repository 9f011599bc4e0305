// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The network interfaces of this machine.
package enum Interfaces {
    /// Returns the IPv4 addresses of the interfaces that are up, at most 64.
    package static func ipv4Addresses() -> [String] {
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
                return withUnsafeBytes(of: address) { HostText.text(of: Array($0)) }
            }
        }
    }

    /// Returns the lasting IPv6 addresses: none that is tentative, deprecated or temporary. A kernel's list of more
    /// than 64 KiB counts as empty.
    package static func ipv6Addresses() -> [String] {
        let bytes = (try? Files.read("/proc/self/net/if_inet6", limit: 1 << 16)) ?? []
        return ipv6Addresses(in: String(decoding: bytes, as: UTF8.self))
    }

    /// Reads the kernel's list of addresses. The first word of a line is the address, the fifth its flags.
    static func ipv6Addresses(in list: String) -> [String] {
        // IFA_F_TEMPORARY, IFA_F_DADFAILED, IFA_F_DEPRECATED and IFA_F_TENTATIVE of <linux/if_addr.h>.
        let excluded: UInt32 = 0x01 | 0x08 | 0x20 | 0x40
        return list.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard words.count == 6, words[0].utf8.count == 32, let flags = UInt32(words[4], radix: 16),
                flags & excluded == 0
            else { return nil }
            let digits = Array(words[0])
            let groups = stride(from: 0, to: 32, by: 4).map { String(digits[$0..<$0 + 4]) }.joined(separator: ":")
            return HostText.address(groups).flatMap(HostText.text)
        }
    }
}
