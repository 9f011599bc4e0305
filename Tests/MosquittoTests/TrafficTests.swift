// SPDX-License-Identifier: Apache-2.0

import Support
import Synchronization
import Testing

@testable import Mosquitto

@Suite(.limitedConcurrency) struct TrafficTests {
    @Test func messagesArriveUnchanged() async throws {
        try await Broker.withBroker { broker in
            try await withRecordedClient(MQTTConfiguration(broker.port)) { client, recorder in
                let connection = try await recorder.firstConnection()
                #expect(connection == Connection(number: 1, version: .v5))
                #expect(try await client.subscribe([Subscription("a/#")]) == [.granted(.atLeastOnce)])

                #expect(try await client.publish(bytes("hello"), to: "a/b") == .delivered)
                #expect(try await client.publish(bytes("kept"), to: "a/kept", retain: true) == .delivered)
                #expect(try await client.publish(bytes("zero"), to: "a/0", qos: .atMostOnce) == .delivered)
                #expect(try await client.publish([], to: "a/empty") == .delivered)
                #expect(try await client.publish(bytes("alone"), to: "b") == .noSubscribers)

                try await eventually("four messages") { recorder.messages.count == 4 }
                #expect(recorder.messages.first == MQTTMessage(topic: "a/b", payload: bytes("hello")))
                #expect(recorder.messages.contains(MQTTMessage(topic: "a/empty", payload: [])))
                // A message that arrives live has no retain flag.
                #expect(recorder.messages.contains(MQTTMessage(topic: "a/kept", payload: bytes("kept"))))

                #expect(try await client.subscribe([Subscription("a/kept")]) == [.granted(.atLeastOnce)])
                let kept = MQTTMessage(topic: "a/kept", payload: bytes("kept"), retain: true)
                try await eventually("the retained message") { recorder.messages.contains(kept) }
            }
        }
    }

    /// Work after the write would delay the receiver on a shared core, and be preempted by it.
    @Test func requestIsWrittenLastBeforeLoopWaits() async throws {
        try await withConnectedClient { _, client, recorder in
            let isWaiting = Mutex<[Bool]>([])
            @Sendable func look() {
                client.assumeIsolated { client in
                    isWaiting.withLock { $0.append(client.link?.handle.wantsToWrite ?? false) }
                }
            }
            await withCheckedContinuation { done in
                client.loop.execute {
                    client.assumeIsolated { $0.send(MQTTMessage(topic: "a", payload: bytes("now"))) }
                    client.loop.executeLast {
                        look()
                        done.resume()
                    }
                    client.loop.execute { look() }
                }
            }
            #expect(isWaiting.withLock { $0 } == [true, false])
        }
    }

    @Test func unsubscribedTopicIsNotReceived() async throws {
        try await withConnectedClient { _, client, recorder in
            try await client.subscribe([Subscription("a"), Subscription("b", qos: .atMostOnce)])
            try await client.unsubscribe(["a"])
            #expect(try await client.publish(bytes("1"), to: "a") == .noSubscribers)
            try await client.publish(bytes("2"), to: "b")
            try await eventually("the message") { !recorder.messages.isEmpty }
            #expect(recorder.messages == [MQTTMessage(topic: "b", payload: bytes("2"), qos: .atMostOnce)])
        }
    }

    @Test(arguments: [MQTTConfiguration.VersionPreference.v5, .v311])
    func tenThousandMessagesArriveInOrder(_ version: MQTTConfiguration.VersionPreference) async throws {
        let count = 10_000
        try await withConnectedClient(setting: {
            $0.version = version
            $0.inFlightLimit = 200
        }) { _, client, recorder in
            try await client.subscribe([Subscription("n")])
            try await withThrowingTaskGroup(of: Void.self) { group in
                // In order on the loop, with the in-flight window kept full.
                for number in 0..<count {
                    if number >= 200 { try await group.next() }
                    let (answer, continuation) = AsyncStream.makeStream(of: Result<PublishOutcome, MQTTError>.self)
                    await client.send(MQTTMessage(topic: "n", payload: bytes("\(number)"))) {
                        continuation.yield($0)
                        continuation.finish()
                    }
                    group.addTask { for await result in answer { _ = try result.get() } }
                }
                try await group.waitForAll()
            }
            try await eventually("all messages") { recorder.messages.count >= count }
            #expect(recorder.messages.map(\.payload) == (0..<count).map { bytes("\($0)") })
        }
    }

    @Test func largePayloadArrivesUnchanged() async throws {
        try await withConnectedClient { _, client, recorder in
            try await client.subscribe([Subscription("large")])
            let payload = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            try await client.publish(payload, to: "large")
            try await eventually("the message") { !recorder.messages.isEmpty }
            #expect(recorder.messages[0].payload == payload)
        }
    }

    @Test func invalidTopicsAreRefused() async throws {
        try await withConnectedClient { _, client, recorder in
            for topic in ["", "a/+/b", "a/#", "a\0b", String(repeating: "x", count: 65536)] {
                let error = await #expect(throws: MQTTError.self) { try await client.publish([], to: topic) }
                #expect(error?.code == .invalidTopic)
            }
            for filter in ["", "a/#/b", "a+", "a\0"] {
                let error = await #expect(throws: MQTTError.self) {
                    try await client.subscribe([Subscription(filter)])
                }
                #expect(error?.code == .invalidTopic)
            }
            let none = try await client.subscribe([])
            #expect(none == [])
            #expect(recorder.errors.isEmpty)
        }
    }

    @Test func requestsFailWithoutConnection() async throws {
        let port = Port.free()
        try await withRecordedClient(MQTTConfiguration(port)) { client, recorder in
            _ = try await recorder.firstError()
            let error = await #expect(throws: MQTTError.self) { try await client.publish([], to: "a") }
            #expect(error?.code == .notConnected)
            let other = await #expect(throws: MQTTError.self) { try await client.subscribe([Subscription("a")]) }
            #expect(other?.code == .notConnected)
        }
    }

    @Test func refusedMessageReportsItsReason() async throws {
        var options = Broker.Options()
        options.users = ["ann": "secret"]
        options.acl = "user ann\ntopic read #\ntopic write allowed\n"
        try await withConnectedClient(options, setting: { $0.credentials = .init(user: "ann", password: "secret") }) {
            _, client, recorder in
            let allowed = try await client.publish([], to: "allowed")
            #expect(allowed == .noSubscribers)
            let error = await #expect(throws: MQTTError.self) { try await client.publish([], to: "forbidden") }
            #expect(error?.code == .publishRefused)
            #expect(error?.reason == 135)
            #expect(error?.description.contains("Not authorized") == true)
        }
    }
}
