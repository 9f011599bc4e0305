// SPDX-License-Identifier: Apache-2.0

import Glibc
import Mosquitto
import Support
import Synchronization
import Testing

@Suite(.limitedConcurrency) struct CloseTests {
    private static func withWill(_ port: Int, _ clientID: String) -> MQTTConfiguration {
        var configuration = MQTTConfiguration(port, clientID)
        configuration.makeWill = { number in
            MQTTMessage(topic: "will/\(clientID)", payload: bytes("gone \(number)"), retain: true)
        }
        return configuration
    }

    @Test func closeDiscardsTheWill() async throws {
        try await Broker.withBroker { broker in
            try await withRecordedClient(MQTTConfiguration(broker.port, "watcher")) { watcher, recorder in
                _ = try await recorder.firstConnection()
                try await watcher.subscribe([Subscription("#")])
                try await withRecordedClient(Self.withWill(broker.port, "leaver")) { leaver, recorder in
                    _ = try await recorder.firstConnection()
                    try await leaver.publish(bytes("bye"), to: "last")
                }
                try await eventually("the DISCONNECT") { broker.log.contains("Received DISCONNECT from leaver") }
                try await watcher.publish([], to: "mark")
                try await eventually("the mark") { recorder.messages.contains { $0.topic == "mark" } }
                #expect(recorder.messages.map(\.topic) == ["last", "mark"])
            }
        }
    }

    @Test func killedProcessTriggersItsWill() async throws {
        try await Broker.withBroker { broker in
            try await withRecordedClient(MQTTConfiguration(broker.port, "watcher")) { watcher, recorder in
                _ = try await recorder.firstConnection()
                try await watcher.subscribe([Subscription("will/#")])
                let port = broker.port
                await #expect(processExitsWith: .signal(SIGKILL)) { [port = port as Int] in
                    try await withRecordedClient(Self.withWill(port, "victim")) { _, recorder in
                        _ = try await recorder.firstConnection()
                        kill(getpid(), SIGKILL)
                    }
                }
                try await eventually("the will") { !recorder.messages.isEmpty }
                #expect(recorder.messages[0] == MQTTMessage(topic: "will/victim", payload: bytes("gone 1")))
            }
        }
    }

    @Test func eachConnectionHasItsOwnWill() async throws {
        try await Broker.withBroker { broker in
            let configuration = Self.withWill(broker.port, "back")
            try await withRecordedClient(configuration) { _, recorder in
                _ = try await recorder.firstConnection()
                try await broker.restart()
                try await eventually("a new connection") { recorder.connections.count == 2 }
                let number = recorder.connections[1].number
                try await withRecordedClient(MQTTConfiguration(broker.port, "watcher")) { watcher, seen in
                    _ = try await seen.firstConnection()
                    try await watcher.subscribe([Subscription("will/#")])
                    // With the same client id the broker ends the older connection and sends its will.
                    try await withRecordedClient(MQTTConfiguration(broker.port, "back")) { _, other in
                        _ = try await other.firstConnection()
                        try await eventually("the will") { !seen.messages.isEmpty }
                    }
                    #expect(seen.messages[0].payload == bytes("gone \(number)"))
                }
            }
        }
    }

    @Test func closeWaitsForAcknowledgements() async throws {
        try await Broker.withBroker { broker in
            try await withRecordedClient(MQTTConfiguration(broker.port, "watcher")) { watcher, recorder in
                _ = try await recorder.firstConnection()
                try await watcher.subscribe([Subscription("n")])
                for round in 0..<20 {
                    let outcomes = Outcomes()
                    try await withRecordedClient(Self.withWill(broker.port, "leaver")) { leaver, recorder in
                        _ = try await recorder.firstConnection()
                        for number in 0..<20 {
                            await leaver.send(MQTTMessage(topic: "n", payload: [UInt8(round), UInt8(number)])) {
                                outcomes.record("\(number)", $0)
                            }
                        }
                    }
                    #expect(outcomes.all.count == 20)
                    #expect(outcomes.all.values.allSatisfy { $0 == .success(.delivered) })
                }
                try await eventually("all of them") { recorder.messages.count == 400 }
            }
        }
    }

    @Test func closeEndsAtItsDeadline() async throws {
        try await withConnectedClient { broker, client, recorder in
            broker.suspend()
            let outcomes = Outcomes()
            await client.send(MQTTMessage(topic: "a", payload: [])) { outcomes.record("a", $0) }
            let clock = ContinuousClock()
            let start = clock.now
            await client.close(deadlineMilliseconds: 100)
            // The timer counts whole milliseconds.
            #expect(clock.now - start >= .milliseconds(99))
            // Failed by the close, not by the request's timeout.
            try await eventually("the outcome") { outcomes.all["a"]?.code == .closed }
            let error = await #expect(throws: MQTTError.self) { try await client.publish([], to: "a") }
            #expect(error?.code == .closed)
        }
    }

    @Test func closeDuringTrafficSucceeds() async throws {
        try await withConnectedClient(subscribedTo: "a") { _, client, recorder in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for sender in 0..<4 {
                    group.addTask {
                        // Until the client is closed.
                        while (try? await client.publish([UInt8(sender)], to: "a")) != nil {}
                    }
                }
                try await eventually("traffic") { recorder.messages.count > 200 }
                await client.close()
                try await group.waitForAll()
            }
            #expect(recorder.errors.isEmpty)
        }
    }

    /// Runs `body` with a port whose backlog is full, so that the kernel answers no further connect.
    private static func withFullBacklog(_ body: (MQTTConfiguration) async throws -> Void) async throws {
        let port = Port.free()
        let listener = try Port.listen(port)
        let fillers = (0..<24).map { _ in Port.startConnecting(port) }
        defer { for socket in fillers + [listener] { close(socket) } }
        try await body(MQTTConfiguration(port))
    }

    @Test func blockedConnectDoesNotDelayClose() async throws {
        try await Self.withFullBacklog { blocked in
            var configuration = blocked
            configuration.connectTimeoutMilliseconds = 600_000
            let isUnderWay = Mutex(false)
            configuration.makeWill = { _ in
                isUnderWay.withLock { $0 = true }
                return nil
            }
            try await withRecordedClient(configuration) { client, recorder in
                try await eventually("an attempt") { isUnderWay.withLock(\.self) }
                #expect(recorder.events.isEmpty)
                let clock = ContinuousClock()
                let start = clock.now
                await client.close()
                #expect(clock.now - start < .seconds(300))
            }
        }
    }

    @Test func connectTimeoutIsReported() async throws {
        try await Self.withFullBacklog { blocked in
            var configuration = blocked
            configuration.connectTimeoutMilliseconds = 50
            configuration.backoff = .init(initialMilliseconds: 1, maximumMilliseconds: 1)
            try await withRecordedClient(configuration) { _, recorder in
                // Four connectors may linger; a fifth attempt waits for one of them.
                try await eventually("four failures") { recorder.errors.count >= 4 }
                #expect(recorder.errors.allSatisfy { $0.code == .unreachable })
            }
        }
    }

    /// It would miss the event of a connection that is there already.
    @Test func aHandlerCannotBeSetWhileTheClientRuns() async throws {
        try await Broker.withBroker { broker in
            let port = broker.port
            await #expect(processExitsWith: .failure) { [port = port as Int] in
                try await withRecordedClient(MQTTConfiguration(port)) { client, recorder in
                    _ = try await recorder.firstConnection()
                    await client.onEvent { _ in }
                }
            }
        }
    }

    @Test func cancellationClosesGracefully() async throws {
        try await Broker.withBroker { broker in
            try await EventLoop.withEventLoop { loop in
                let client = MQTTClient(Self.withWill(broker.port, "leaver"), on: loop)
                let recorder = Recorder()
                await client.onEvent { recorder.record($0) }
                let task = Task { try await client.run() }
                _ = try await recorder.firstConnection()
                task.cancel()
                try await task.value
                try await eventually("the DISCONNECT") { broker.log.contains("Received DISCONNECT from leaver") }
            }
        }
    }
}
