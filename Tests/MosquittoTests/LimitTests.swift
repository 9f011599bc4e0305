// SPDX-License-Identifier: Apache-2.0

import Mosquitto
import Support
import Synchronization
import Testing

@Suite(.limitedConcurrency) struct LimitTests {
    @Test func brokerRefusesTooLargePayload() async throws {
        var options = Broker.Options()
        options.messageSizeLimit = 1000
        try await withConnectedClient(options) { _, client, recorder in
            let payload = [UInt8](repeating: 1, count: 1001)
            let error = await #expect(throws: MQTTError.self) { try await client.publish(payload, to: "a") }
            #expect(error?.code == .publishRefused)
            #expect(error?.description.contains("Packet too large") == true)
            let small = try await client.publish([1], to: "a")
            #expect(small == .noSubscribers)
        }
    }

    @Test func packetAboveAnnouncedLimitIsNotSent() async throws {
        var options = Broker.Options()
        options.lines = ["max_packet_size 1000"]
        try await withConnectedClient(options) { _, client, recorder in
            let payload = [UInt8](repeating: 1, count: 1001)
            let error = await #expect(throws: MQTTError.self) { try await client.publish(payload, to: "a") }
            #expect(error?.code == .tooLarge)
            #expect(recorder.errors.isEmpty)
        }
    }

    @Test func packetAboveLimitEndsVersion311Connection() async throws {
        var options = Broker.Options()
        options.lines = ["max_packet_size 1000"]
        try await withConnectedClient(options, setting: { $0.version = .v311 }) { _, client, recorder in
            let payload = [UInt8](repeating: 1, count: 1001)
            let error = await #expect(throws: MQTTError.self) { try await client.publish(payload, to: "a") }
            #expect(error?.code == .connectionLost)
            try await eventually("a new connection") { recorder.connections.count == 2 }
        }
    }

    @Test func fullOutboxKeepsLatestRetainedAndRefusesOthers() async throws {
        try await withConnectedClient(setting: { $0.inFlightLimit = 2 }) { broker, client, recorder in
            try await client.subscribe([Subscription("state"), Subscription("other")])
            broker.suspend()
            let outcomes = Outcomes()
            for number in 1...5 {
                let message = MQTTMessage(topic: "state", payload: bytes("\(number)"), retain: true)
                await client.send(message) { outcomes.record("state\(number)", $0) }
            }
            await client.send(MQTTMessage(topic: "other", payload: [])) { outcomes.record("other", $0) }
            try await eventually("three refusals") { outcomes.all.count == 3 }
            #expect(outcomes.all["state3"] == .success(.superseded))
            #expect(outcomes.all["state4"] == .success(.superseded))
            #expect(outcomes.all["other"]?.code == .outboxFull)
            broker.resume()
            try await eventually("the rest") { outcomes.all.count == 6 }
            #expect(outcomes.all["state5"] == .success(.delivered))
            try await eventually("three messages") { recorder.messages.count == 3 }
            #expect(recorder.messages.map(\.payload) == ["1", "2", "5"].map(bytes))
        }
    }

    @Test func unansweredRequestFailsAndEndsTheConnection() async throws {
        try await withConnectedClient(setting: {
            $0.requestTimeoutMilliseconds = 150
            $0.inFlightLimit = 1
        }) { broker, client, recorder in
            broker.suspend()
            let outcomes = Outcomes()
            // Both in one turn of the loop, so that the first cannot time out before the second is queued.
            await client.isolated { client in
                client.send(MQTTMessage(topic: "a", payload: [])) { outcomes.record("sent", $0) }
                // Queued, because the in-flight limit is reached.
                client.send(MQTTMessage(topic: "b", payload: [], retain: true)) { outcomes.record("waiting", $0) }
            }
            try await eventually("two failures") { outcomes.all.count == 2 }
            #expect(outcomes.all["sent"]?.code == .timeout)
            let waiting = outcomes.all["waiting"]?.code
            #expect(waiting == .timeout || waiting == .connectionLost)
            try await eventually("the end of the connection") { recorder.errors.contains { $0.code == .timeout } }
            broker.resume()
            try await eventually("another connection") { recorder.connections.count == 2 }
            try await eventually("room") { (try? await client.publish([], to: "a")) != nil }
        }
    }

    /// Mosquitto sends no acknowledgement to a client whose queue was full, and still answers its pings.
    @Test func clientReconnectsWhenAcknowledgementsAreLost() async throws {
        try await Broker.withBroker { broker in
            try await Proxy.with(to: broker.port) { line in
                var configuration = MQTTConfiguration(line.port)
                configuration.requestTimeoutMilliseconds = 500
                line.drop(.acknowledgements)
                try await withRecordedClient(configuration) { client, recorder in
                    _ = try await recorder.firstConnection()
                    let lost = await #expect(throws: MQTTError.self) { try await client.publish([], to: "a") }
                    #expect(lost?.code == .timeout)
                    line.drop(nil)
                    try await eventually("an answer on a later connection") {
                        (try? await client.publish([], to: "a")) != nil
                    }
                    #expect(recorder.connections.count >= 2)
                }
            }
        }
    }
}

extension MQTTClient {
    /// Runs `body` on the loop's thread without a suspension inside it.
    fileprivate func isolated(_ body: @Sendable (isolated MQTTClient) -> Void) { body(self) }
}

/// Records the outcomes of requests by name.
final class Outcomes: Sendable {
    private let recorded = Mutex<[String: Result<PublishOutcome, MQTTError>]>([:])

    var all: [String: Result<PublishOutcome, MQTTError>] { recorded.withLock { $0 } }

    func record(_ name: String, _ outcome: Result<PublishOutcome, MQTTError>) {
        recorded.withLock { $0[name] = outcome }
    }
}

extension Result where Failure == MQTTError {
    var code: MQTTError.Code? {
        if case .failure(let error) = self { error.code } else { nil }
    }
}
