// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Shell

@Suite struct BrokerAddressTests {
    @Test(arguments: [
        ("mqtt://host", "host", 1883), ("mqtt://host:18", "host", 18), ("mqtts://host", "host", 8883),
        ("mqtt://[::1]:1900", "::1", 1900), ("mqtt://10.0.0.1:1883/", "10.0.0.1", 1883),
    ])
    func reads(text: String, host: String, port: Int) throws {
        let address = try BrokerAddress(text)
        #expect(address.host == host)
        #expect(address.port == port)
    }

    @Test func hidesUserAndPassword() throws {
        let address = try BrokerAddress("mqtts://de%40sk:p%3Aw@host")
        #expect(address.user == "de@sk")
        #expect(address.password == "p:w")
        #expect(address.description == "mqtts://host:8883")
    }

    @Test(arguments: [
        "host", "http://host", "mqtt://", "mqtt://host:0", "mqtt://host:70000", "mqtt://a b", "mqtt://u%zz@h",
    ])
    func refuses(text: String) {
        #expect(throws: BadValue.self) { try BrokerAddress(text) }
    }
}
