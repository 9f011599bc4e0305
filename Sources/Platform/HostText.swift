// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The grammar of hosts: a name of the DNS, or an address of IPv4 or IPv6.
package enum HostText {
    /// Returns whether a text is a host. An address with a zone, as in `fe80::1%eth0`, is not.
    package static func accepts(_ text: String) -> Bool { isIPv6(text) || isName(text) }

    private static func isIPv6(_ text: String) -> Bool {
        var address = in6_addr()
        return inet_pton(AF_INET6, text, &address) == 1
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
