// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Settings

@Suite(.timeLimit(.minutes(15))) struct BrokerAddressTests {
    @Test(arguments: [
        ("mqtt://host", "host", 1883), ("mqtt://host:18", "host", 18), ("mqtts://host", "host", 8883),
        ("mqtt://[::1]:1900", "::1", 1900), ("mqtt://[fe80::1%eth0]", "fe80::1%eth0", 1883),
        ("mqtt://10.0.0.1:1883/", "10.0.0.1", 1883),
    ])
    func addressIsParsed(text: String, host: String, port: Int) throws {
        let address = try BrokerAddress(text)
        #expect(address.host == host)
        #expect(address.port == port)
    }

    @Test func severalPlacesOfOneBrokerAreRead() throws {
        let address = try BrokerAddress("mqtts://desk@pi.lan:8884,192.168.1.5,[fd77::1]:9")
        #expect(address.user == "desk")
        #expect(address.endpoints.map(\.host) == ["pi.lan", "192.168.1.5", "fd77::1"])
        #expect(address.endpoints.map(\.port) == [8_884, 8_884, 9])
        #expect(address.description == "mqtts://pi.lan:8884,192.168.1.5:8884,[fd77::1]:9")
    }

    @Test func descriptionHidesUserAndPassword() throws {
        let address = try BrokerAddress("mqtts://de%40sk:p%3Aw@host")
        #expect(address.user == "de@sk")
        #expect(address.password == "p:w")
        #expect(address.description == "mqtts://host:8883")
    }

    @Test(arguments: [
        "host", "http://host", "mqtt://", "mqtt://host:0", "mqtt://host:70000", "mqtt://a b", "mqtt://u%zz@h",
        "mqtt://a,", "mqtt://,a", "mqtt://a,b:0", "mqtt://a\nb", "mqtt://a\u{1B}", "mqtt://-a", "mqtt://[a]%\n",
        "mqtt://a\\",
    ])
    func invalidAddressIsRefused(text: String) {
        #expect(throws: ValueError.self) { try BrokerAddress(text) }
    }
}
