// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Platform

/// The addresses of this machine, as the kernel lists them.
@Suite(.timeLimit(.minutes(15))) struct InterfacesTests {
    @Test func onlyAddressesThatStayAreRead() {
        let list = """
            fd000000000000000000000000000005 02 40 00 80     eth0
            fd000000000000001234567890abcdef 02 40 00 01     eth0
            fd000000000000000000000000000006 02 40 00 40     eth0
            fe80000000000000021122fffe334455 02 40 20 80     eth0
            00000000000000000000000000000001 01 80 10 80       lo
            nonsense
            zz000000000000000000000000000006 02 40 00 80     eth0

            """
        #expect(Interfaces.ipv6Addresses(in: list) == ["fd00::5", "fe80::211:22ff:fe33:4455", "::1"])
    }
}
