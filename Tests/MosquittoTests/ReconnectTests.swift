// SPDX-License-Identifier: Apache-2.0

import Mosquitto
import Support
import Testing

@Suite(.limitedConcurrency) struct ReconnectTests {
    @Test func clientReconnectsWhenTheBrokerRestarts() async throws {
        try await withConnectedClient(subscribedTo: "a") { broker, client, recorder in
            try await client.publish([1], to: "a")
            try await eventually("the first message") { recorder.messages.count == 1 }
            try await broker.restart()
            try await eventually("a new connection") { recorder.connections.count == 2 }
            #expect(try await client.publish([2], to: "a") == .delivered)
            try await eventually("both messages") { recorder.messages.map(\.payload) == [[1], [2]] }
            #expect(recorder.errors[0].code == .connectionLost)
            #expect(recorder.connections[1].number > 1)
        }
    }

    @Test func unacknowledgedMessagesFailAndAreNotSentLater() async throws {
        try await withConnectedClient(setting: { $0.requestTimeoutMilliseconds = 120_000 }, subscribedTo: "a") {
            broker, client, recorder in
            broker.suspend()
            let outcomes = Outcomes()
            for number in 0..<50 {
                await client.send(MQTTMessage(topic: "a", payload: [UInt8(number)])) {
                    outcomes.record("\(number)", $0)
                }
            }
            try await broker.kill()
            try await eventually("all failures") { outcomes.all.count == 50 }
            #expect(outcomes.all.values.allSatisfy { $0.code == .connectionLost })
            try await broker.start()
            try await eventually("a new connection") { recorder.connections.count == 2 }
            try await client.publish([99], to: "a")
            try await eventually("the message") { recorder.messages.contains { $0.payload == [99] } }
            #expect(recorder.messages.map(\.payload) == [[99]])
        }
    }

    @Test func clientTriesEveryPlaceBeforeItWaits() async throws {
        try await Broker.withBroker { broker in
            var configuration = MQTTConfiguration(Port.free())
            configuration.alternatives = [
                .init(host: "nowhere.invalid", port: 1), .init(host: "127.0.0.1", port: broker.port),
            ]
            configuration.backoff = .init(initialMilliseconds: 600_000, maximumMilliseconds: 600_000, jitter: 0)
            try await withRecordedClient(configuration) { _, recorder in
                let connection = try await recorder.firstConnection()
                #expect(connection.number == 3)
                #expect(recorder.errors.isEmpty)
            }
        }
    }

    @Test func aRoundOfFailuresNamesEveryPlace() async throws {
        var configuration = MQTTConfiguration(Port.free())
        configuration.alternatives = [.init(host: "nowhere.invalid", port: 1)]
        try await withRecordedClient(configuration) { _, recorder in
            let words = try await recorder.firstError().description
            #expect(words.contains("127.0.0.1"))
            #expect(words.contains("nowhere.invalid"))
        }
    }

    @Test func waitsDoubleUntilTheBrokerIsReachable() async throws {
        let broker = try await Broker()
        var configuration = MQTTConfiguration(broker.port)
        configuration.backoff = .init(initialMilliseconds: 10, maximumMilliseconds: 160, jitter: 0)
        try await withRecordedClient(configuration) { client, recorder in
            try await eventually("six attempts") { recorder.errors.count >= 6 }
            #expect(recorder.waits.prefix(6) == [10, 20, 40, 80, 160, 160])
            #expect(recorder.errors[0].code == .unreachable)
            #expect(recorder.errors[0].description.contains("Connection refused"))
            try await broker.start()
            _ = try await recorder.firstConnection()
        }
    }

    @Test func reconnectNowEndsTheBackoff() async throws {
        let broker = try await Broker()
        var configuration = MQTTConfiguration(broker.port)
        configuration.backoff = .init(initialMilliseconds: 600_000, maximumMilliseconds: 600_000)
        try await withRecordedClient(configuration) { client, recorder in
            _ = try await recorder.firstError()
            try await broker.start()
            await client.reconnectNow()
            _ = try await recorder.firstConnection()
        }
    }

    @Test func unknownHostNameIsReported() async throws {
        var configuration = MQTTConfiguration(1883)
        configuration.host = "broker.invalid"
        try await withRecordedClient(configuration) { _, recorder in
            let error = try await recorder.firstError()
            #expect(error.code == .unknownHost)
            #expect(error.description.contains("broker.invalid"))
        }
    }

    @Test(.waitingForTimers) func keepAliveDetectsFrozenBroker() async throws {
        try await Broker.withBroker { broker in
            var configuration = MQTTConfiguration(broker.port)
            configuration.keepAliveSeconds = 5
            try await withRecordedClient(configuration) { _, recorder in
                // If the client itself was stalled for too long, the broker has dropped it first: try again.
                for _ in 1...3 {
                    try await eventually("a connection") { recorder.connections.count > recorder.errors.count }
                    let before = recorder.errors.count
                    broker.suspend()
                    try await eventually("a failure") { recorder.errors.count > before }
                    broker.resume()
                    if recorder.errors[before].code == .keepAliveTimeout { break }
                }
                #expect(recorder.errors.last?.code == .keepAliveTimeout)
                try await eventually("a new connection") { recorder.connections.count > recorder.errors.count }
            }
        }
    }

    @Test func twoClientsWithOneIDBackOff() async throws {
        try await Broker.withBroker { broker in
            var configuration = MQTTConfiguration(broker.port, "same")
            // A connection that holds for longer than the longest wait would reset the back-off.
            configuration.backoff.maximumMilliseconds = 120_000
            try await withRecordedClient(configuration) { _, first in
                _ = try await first.firstConnection()
                try await withRecordedClient(configuration) { _, second in
                    _ = try await second.firstConnection()
                    try await eventually("four losses") { first.errors.count >= 4 }
                    #expect(first.waits[3] >= 80)
                }
            }
        }
    }
}
