// SPDX-License-Identifier: Apache-2.0

import Core
import Mosquitto
import Runtime
import Session
import Support
import Synchronization
import Testing
import Wire

/// A program's broker connection, on a real broker where one is needed.
@Suite(.timeLimit(.minutes(15))) struct BrokerLinkTests {
    /// The owner of a link, on the loop's thread.
    private actor Program {
        private nonisolated let loop: EventLoop
        private let link: BrokerLink

        nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

        init(on loop: EventLoop, lines: LogLines) {
            self.loop = loop
            link = BrokerLink(of: .service, on: loop, log: lines.logger)
        }

        var connection: ConnectionID? { link.connection }

        func take(_ event: MQTTEvent) -> NodeCore.Event { link.receive(event, at: 0) }
        func nextConnection(at time: GroupTime) -> ConnectionID { link.nextConnection(at: time) }
        func yield() { link.makeWay(for: 1) }
        func send(_ outgoing: Outgoing, completion: BrokerLink.Completion? = nil) {
            link.send(outgoing, completion: completion)
        }
        func close(_ goodbye: Outgoing) async { await link.close { _ in [MQTTMessage(goodbye)] } }

        /// Subscribes to its own messages once it is connected.
        func run(_ configuration: MQTTConfiguration, received: @escaping @Sendable (String) -> Void) async throws {
            try await link.run(configuration) { [weak self] event in
                self?.assumeIsolated { program in
                    switch program.link.receive(event, at: 0) {
                    case .connected: program.link.subscribe([Subscription("a/#", qos: .atMostOnce)])
                    case .received(let packet): received(packet.topic)
                    default: break
                    }
                }
            }
        }
    }

    private static let lost = MQTTEvent.disconnected(MQTTError(.connectionLost, "lost"), retryInMilliseconds: 10)
    private static let connected = MQTTEvent.connected(Connection(number: 1, version: .v5))

    private static func message(_ topic: String) -> Outgoing {
        Outgoing(topic: topic, payload: [120], retain: false, qos: 1)
    }

    private func withProgram(_ body: (Program, LogLines) async throws -> Void) async throws {
        let lines = LogLines()
        try await EventLoop.withEventLoop { loop in try await body(Program(on: loop, lines: lines), lines) }
    }

    @Test func aConnectionHasAnIDUntilItIsLost() async throws {
        try await withProgram { program, _ in
            #expect(await program.connection == nil)
            guard case .connected(let id, hearsItself: false) = await program.take(Self.connected) else {
                Issue.record("it is not connected")
                return
            }
            #expect(await program.connection == id)
            _ = await program.take(Self.lost)
            #expect(await program.connection == nil)
        }
    }

    /// Of two programs with one id the one with the larger connection id backs off.
    @Test func connectionIDsRiseAlthoughTheClockIsSetBack() async throws {
        try await withProgram { program, _ in
            var ids: [ConnectionID] = []
            for time: GroupTime in [2_000, 2_000, 1_000, 1_500, 3_000] {
                ids.append(await program.nextConnection(at: time))
            }
            #expect(ids == ids.sorted())
            #expect(Set(ids).count == ids.count)
        }
    }

    @Test func aLostConnectionIsLoggedOnce() async throws {
        try await withProgram { program, lines in
            for _ in 0..<3 { _ = await program.take(Self.lost) }
            #expect(lines.all.count == 1, "\(lines.all)")
            _ = await program.take(Self.connected)
            _ = await program.take(Self.lost)
            #expect(lines.all.count == 2, "\(lines.all)")
        }
    }

    @Test func aConnectionThatIsGivenUpIsNotAProblem() async throws {
        try await withProgram { program, lines in
            _ = await program.take(Self.connected)
            await program.yield()
            _ = await program.take(Self.lost)
            #expect(lines.all == [])
        }
    }

    @Test func aMessageBeforeTheFirstConnectionFails() async throws {
        try await withProgram { program, _ in
            let failed = Mutex(false)
            await program.send(Self.message("a/early")) { result in
                if case .failure = result { failed.withLock { $0 = true } }
            }
            let hasFailed = failed.withLock { $0 }
            #expect(hasFailed)
        }
    }

    @Test func aProgramReportsARefusalAndSaysGoodbye() async throws {
        let (returned, heard) = (Received(), Received())
        try await Broker.withBroker(Broker.Options(acl: "topic readwrite a/#\n")) { broker in
            try await withProgram { program, lines in
                let configuration = MQTTConfiguration(host: "127.0.0.1", port: broker.port, clientID: "program")
                async let run: Void = program.run(configuration) { returned.add($0) }
                try await eventually("it is subscribed") { lines.all == ["connected to the broker"] }
                await program.send(Self.message("a/b"))
                try await eventually("its message is back") { returned.topics == ["a/b"] }
                await program.send(Self.message("b/c"))
                try await eventually("it is refused") {
                    lines.all.last?.contains("does not let this service publish") == true
                }
                let listener = MQTTConfiguration(host: "127.0.0.1", port: broker.port, clientID: "listener")
                try await EventLoop.withEventLoop { loop in
                    let client = MQTTClient(listener, on: loop)
                    await client.onEvent { event in
                        if case .message(let message) = event { heard.add(message.topic) }
                    }
                    try await client.run {
                        try await eventually("the listener is connected") { await client.connection != nil }
                        try await client.subscribe([Subscription("a/bye", qos: .atMostOnce)])
                        await program.close(Self.message("a/bye"))
                        try await eventually("it said goodbye") { heard.topics == ["a/bye"] }
                    }
                }
                try await run
            }
        }
    }
}

private final class Received: Sendable {
    private let all = Mutex<[String]>([])

    var topics: [String] { all.withLock(\.self) }

    func add(_ topic: String) { all.withLock { $0.append(topic) } }
}
