// SPDX-License-Identifier: Apache-2.0

import Platform
import Testing

@Suite(.timeLimit(.minutes(15))) struct HostTextTests {
    @Test(arguments: [
        "pi", "pi.local", "kitchen_pi.local", "PI.example.org", "127.0.0.1", "0.0.0.0", "::", "fd00::7",
        "::ffff:10.0.0.7",
    ])
    func namesAndAddressesAreAccepted(text: String) {
        #expect(HostText.accepts(text))
    }

    @Test(arguments: [
        "", "*", "*.example.org", ".", "pi.", "a..b", "a b", "pi:80", "[::1]", "fe80::1%eth0", ":::", "bücher.example",
        "http://pi", "pi/", "-pi", "pi.-lan", "pi\nx", "a,b", "::1\0.example.org", String(repeating: "a", count: 64),
        String(repeating: "a.", count: 127) + "aa",
    ])
    func otherTextsAreRefused(text: String) {
        #expect(!HostText.accepts(text))
    }

    @Test(arguments: ["localhost", "127.0.0.1", "127.1.2.3", "::1", "0:0::1", "::ffff:127.0.0.1"])
    func ownAddressesAreLoopback(text: String) { #expect(HostText.isLoopback(text)) }

    @Test(arguments: ["127.example.org", "127.1", "::127", "7f00::", "::ffff:10.0.0.7", "10.0.0.127", "::", ""])
    func othersAreNotLoopback(text: String) { #expect(!HostText.isLoopback(text)) }

    @Test func allAddressesAreToldFromOne() {
        for text in ["0.0.0.0", "::", "0::0"] { #expect(HostText.isAny(text), "\(text)") }
        for text in ["0.0.0.1", "::1", "0", "pi"] { #expect(!HostText.isAny(text), "\(text)") }
    }
}
