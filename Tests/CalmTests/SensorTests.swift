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

    /// Samples of a machine with other clocks are placed by the fastest message.
    @Test func clockOffsetComesFromTheFastestMessage() throws {
        var clock = SourceClock()
        let boot = try #require(BootID("b-1"))
        #expect(clock.place(sent: 500, bootID: boot, at: 10_080) == 10_080, "the first message is the only reference")
        #expect(clock.place(sent: 1_500, bootID: boot, at: 11_003) == 11_003, "a quicker one")
        #expect(clock.place(sent: 2_500, bootID: boot, at: 15_000) == 12_003, "a slow one is placed by the fastest")
        #expect(clock.place(sent: 1_600, bootID: boot, at: 15_001) == 11_103, "overtaken on the way")
        let drifted = clock.place(sent: 3_602_500, bootID: boot, at: 3_612_500)
        #expect(drifted == 3_612_500, "clocks drift, so the first message does not count after an hour")
        let other = try #require(BootID("b-2"))
        #expect(clock.place(sent: 9_000_000, bootID: other, at: 3_700_000) == 3_700_000, "a new boot resets it")
    }
}
