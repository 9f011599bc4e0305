// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The grammar of hosts: a name of the DNS, or an address of IPv4 or IPv6.
package enum HostText {
    /// Returns whether a text is a host. An address with a zone, as in `fe80::1%eth0`, is not.
    package static func accepts(_ text: String) -> Bool { isAddress(text) || isName(text) }

    package static func isAddress(_ host: String) -> Bool { address(host) != nil }

    /// Returns whether a host is this machine's own name or address for itself.
    package static func isLoopback(_ host: String) -> Bool {
        guard let bytes = address(host) else { return host == "localhost" }
        let isMapped = bytes.prefix(12) == address("::ffff:0:0")?.prefix(12)
        return (bytes.count == 4 ? bytes[0] : isMapped ? bytes[12] : 0) == 127 || bytes == address("::1")
    }

    /// Returns whether a host stands for all addresses of a machine, as `0.0.0.0` does for a server.
    package static func isAny(_ host: String) -> Bool { address(host)?.allSatisfy { $0 == 0 } == true }

    /// Returns the 4 bytes of an address of IPv4, or the 16 of IPv6; `nil` for other texts.
    package static func address(_ host: String) -> [UInt8]? {
        for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = [UInt8](repeating: 0, count: count)
            // C would read only what is before a null.
            if !host.utf8.contains(0), inet_pton(family, host, &bytes) == 1 { return bytes }
        }
        return nil
    }

    /// Returns the text of an address; `nil` unless it has 4 or 16 bytes.
    package static func text(of address: [UInt8]) -> String? {
        guard address.count == 4 || address.count == 16 else { return nil }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        inet_ntop(address.count == 4 ? AF_INET : AF_INET6, address, &text, socklen_t(text.count))
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Returns whether a text is a name or an IPv4 address, which has the form of a name. A name may contain `_`, as
    /// those of some machines do, although the DNS does not allow it.
    private static func isName(_ text: String) -> Bool {
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        return text.utf8.count <= 253
            && labels.allSatisfy { label in
                (1...63).contains(label.utf8.count) && label.first != "-"
                    && label.utf8.allSatisfy { byte in
                        let character = Character(Unicode.Scalar(byte))
                        return byte < 128 && (character.isLetter || character.isNumber || "-_".contains(character))
                    }
            }
    }
}
