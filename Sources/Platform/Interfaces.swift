// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The network interfaces of this machine.
package enum Interfaces {
    /// Returns the IPv4 addresses of the interfaces that are up, at most 64.
    package static func addresses() -> [String] {
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
            return interfaces.prefix(Int(list.ifc_len) / MemoryLayout<ifreq>.stride).map { interface in
                withUnsafeBytes(of: interface.ifr_ifru.ifru_addr) { text(of: $0.load(as: sockaddr_in.self).sin_addr) }
            }
        }
    }

    private static func text(of address: in_addr) -> String {
        var address = address
        var text = [CChar](repeating: 0, count: Int(INET_ADDRSTRLEN))
        inet_ntop(AF_INET, &address, &text, socklen_t(text.count))
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
