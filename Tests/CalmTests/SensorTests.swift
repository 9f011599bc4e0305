// SPDX-License-Identifier: Apache-2.0

import Session
import Testing

@testable import Calm

@Suite(.timeLimit(.minutes(15))) struct SensorTests {
    private func level(_ payload: String, _ pointer: String = "", scale: Double = 1, offset: Double = 0) throws -> Int?
    {
        try #require(Sensor(pointer: pointer, scale: scale, offset: offset)).level(in: Array(payload.utf8))
    }

    @Test(arguments: [("41.2", 412), ("41", 410), (" -12.34\n", -123), ("1e1", 100), ("\"38.5\"", 385), ("0", 0)])
    func numberIsRead(payload: String, tenths: Int) throws {
        #expect(try level(payload) == tenths)
    }

    @Test func payloadsOfKnownSensorsAreRead() throws {
        let zigbee = #"{"battery":87,"humidity":41.6,"linkquality":120,"noise":43,"occupancy":false,"update":null}"#
        #expect(try level(zigbee, "/noise") == 430)
        let tasmota = #"{"Time":"2026-11-21T22:00:00","ANALOG":{"A0":512},"Sound":[{"dB":"51.5"}]}"#
        #expect(try level(tasmota, "/ANALOG/A0", scale: 0.1, offset: 3.2) == 544)
        #expect(try level(tasmota, "/Sound/0/dB") == 515)
        #expect(try level(#"{"a/b":{"m~n":40}}"#, "/a~1b/m~0n") == 400)
        #expect(try level(#"{"":40}"#, "/") == 400)
    }

    @Test(arguments: [
        ("nan", ""), ("inf", ""), ("online", ""), ("", ""), ("unavailable", ""), ("{}", ""), ("null", ""), ("[41]", ""),
        (#"{"noise":null}"#, "/noise"), (#"{"noise":"loud"}"#, "/noise"), (#"{"noise":true}"#, "/noise"),
        (#"{"other":1}"#, "/noise"), ("41", "/noise"), ("[41]", "/1"), ("[41]", "/x"), ("{", "/noise"),
        ("201", ""), ("-1e300", ""),
    ])
    func payloadWithoutALevelIsIgnored(payload: String, pointer: String) throws {
        #expect(try level(payload, pointer) == nil)
    }

    @Test(arguments: ["noise", "/a~2", "/a~"])
    func invalidPointerIsRejected(text: String) {
        #expect(Sensor(pointer: text) == nil)
    }
}
