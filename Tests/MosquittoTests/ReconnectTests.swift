// SPDX-License-Identifier: Apache-2.0

import Mosquitto
import Support
import Testing

@Suite(.takingTurns) struct ReconnectTests {
    @Test func aBrokerThatComesBackIsFoundAgain() async throws {
        try await Broker.withBroker { broker in
            try await withRecordedClient(
                Configuration(broker.port),
                onConnected: { $0.subscribe([Subscription("a")], completion: nil) }
            ) { client, recorder in
                _ = try await recorder.firstConnection()
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
    }

    @Test func whatWasUnderWayFailsAndIsNotSentLater() async throws {
        try await Broker.withBroker { broker in
            var configuration = Configuration(broker.port)
            configuration.requestTimeoutMilliseconds = 120_000
            try await withRecordedClient(
                configuration,
                onConnected: { $0.subscribe([Subscription("a")], completion: nil) }
            ) { client, recorder in
                _ = try await recorder.firstConnection()
                broker.suspend()
                let outcomes = Outcomes()
                for number in 0..<50 {
                    await client.send(Message(topic: "a", payload: [UInt8(number)])) {
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
    }

    @Test func attemptsGetRarerUntilThereIsABroker() async throws {
        let broker = try await Broker()
        var configuration = Configuration(broker.port)
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

    @Test func aWaitCanBeCutShort() async throws {
        let broker = try await Broker()
        var configuration = Configuration(broker.port)
        configuration.backoff = .init(initialMilliseconds: 600_000, maximumMilliseconds: 600_000)
        try await withRecordedClient(configuration) { client, recorder in
            _ = try await recorder.firstError()
            try await broker.start()
            await client.reconnectNow()
            _ = try await recorder.firstConnection()
        }
    }

    @Test func anUnknownNameIsSaid() async throws {
        var configuration = Configuration(1883)
        configuration.host = "broker.invalid"
        try await withRecordedClient(configuration) { _, recorder in
            let error = try await recorder.firstError()
            #expect(error.code == .unknownHost)
            #expect(error.description.contains("broker.invalid"))
        }
    }

    @Test(.mostlyWaiting) func aFrozenBrokerIsNoticed() async throws {
        try await Broker.withBroker { broker in
            var configuration = Configuration(broker.port)
            configuration.keepAliveSeconds = 5
            try await withRecordedClient(configuration) { _, recorder in
                // Where the client itself stood still for too long, the broker has noticed that first.
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

    @Test func twoClientsUnderOneNameDoNotSpin() async throws {
        try await Broker.withBroker { broker in
            var configuration = Configuration(broker.port, "same")
            // A connection that holds for longer than the longest wait would start the waits anew.
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
