// SPDX-License-Identifier: Apache-2.0

import Mosquitto
import Support
import Testing

@Suite(.limitedConcurrency) struct FallbackTests {
    static let accepted: [UInt8] = [0x20, 2, 0, 0]

    @Test(
        "3.1.1 follows at once when MQTT 5 is refused",
        arguments: [
            [0x20, 3, 0, 0x84, 0],
            // In the 3.1.1 format, without properties.
            [0x20, 2, 0, 0x84],
            [0x20, 2, 0, 1],
            // Hangs up.
            nil,
        ] as [[UInt8]?]
    )
    func clientFallsBackTo311AtOnceWhenMQTT5IsRefused(_ refusal: [UInt8]?) async throws {
        let broker = try FakeBroker { level in level == 4 ? Self.accepted : refusal }
        defer { broker.stop() }
        try await withRecordedClient(MQTTConfiguration(broker.port)) { _, recorder in
            let connection = try await recorder.firstConnection()
            #expect(connection == Connection(number: 2, version: .v311))
            #expect(recorder.errors.isEmpty)
            #expect(broker.connects == [5, 4])
        }
    }

    @Test func refusalIsReportedWithoutFallback() async throws {
        let broker = try FakeBroker { _ in [0x20, 2, 0, 1] }
        defer { broker.stop() }
        for (version, level) in [(MQTTConfiguration.VersionPreference.v5, UInt8(5)), (.v311, 4)] {
            var configuration = MQTTConfiguration(broker.port)
            configuration.version = version
            try await withRecordedClient(configuration) { _, recorder in
                let error = try await recorder.firstError()
                #expect(error.code == .unsupportedProtocol)
                #expect(broker.connects.last == level)
            }
        }
    }

    @Test func clientTriesBothVersionsWhenTheServerHangsUp() async throws {
        let broker = try FakeBroker { _ in nil }
        defer { broker.stop() }
        try await withRecordedClient(MQTTConfiguration(broker.port)) { _, recorder in
            let error = try await recorder.firstError()
            #expect(error.code == .connectionLost)
            try await eventually("two rounds") { recorder.errors.count >= 2 }
            #expect(broker.connects.prefix(4) == [5, 4, 5, 4])
        }
    }

    @Test func silentServerTimesOut() async throws {
        let broker = try FakeBroker { _ in [] }
        defer { broker.stop() }
        var configuration = MQTTConfiguration(broker.port)
        configuration.connectTimeoutMilliseconds = 150
        try await withRecordedClient(configuration) { client, recorder in
            // The first attempts may time out before TCP is connected.
            try await eventually("silence") { recorder.errors.contains { $0.code == .timeout } }
            #expect(recorder.errors.allSatisfy { $0.code == .timeout || $0.code == .unreachable })
            // A silent server does not cause the fallback to 3.1.1.
            #expect(broker.connects.allSatisfy { $0 == 5 })
            await client.close()
        }
    }

    @Test(
        arguments: [
            [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
            // A PUBLISH before the CONNACK.
            [0x30, 5, 0, 1, 97, 0, 120],
            // Accepted, then a topic that is not UTF-8.
            [0x20, 3, 0, 0, 0, 0x30, 5, 0, 1, 0xFF, 0, 120],
            // Accepted, then a packet for the other direction.
            [0x20, 3, 0, 0, 0, 0x10, 0],
        ] as [[UInt8]]
    )
    func nonsenseEndsTheConnection(_ nonsense: [UInt8]) async throws {
        let broker = try FakeBroker { _ in nonsense }
        defer { broker.stop() }
        var configuration = MQTTConfiguration(broker.port)
        configuration.version = .v5
        try await withRecordedClient(configuration) { _, recorder in
            let error = try await recorder.firstError()
            #expect(error.code == .protocolViolation, "\(error)")
        }
    }

    @Test(
        arguments: [
            // Accepted, then DISCONNECT 142.
            ([0x20, 3, 0, 0, 0, 0xE0, 2, 142, 0], MQTTError.Code.serverDisconnected, 142, "Session taken over"),
            ([0x20, 3, 0, 0x89, 0], .connectionRefused, 0x89, "Server busy"),
        ] as [([UInt8], MQTTError.Code, Int, String)])
    func reasonIsReported(answer: [UInt8], code: MQTTError.Code, reason: Int, words: String) async throws {
        let broker = try FakeBroker { _ in answer }
        defer { broker.stop() }
        try await withRecordedClient(MQTTConfiguration(broker.port)) { _, recorder in
            let error = try await recorder.firstError()
            #expect(error.code == code)
            #expect(error.reason == reason)
            #expect(error.description.contains(words))
            #expect(broker.connects.allSatisfy { $0 == 5 })
        }
    }
}
