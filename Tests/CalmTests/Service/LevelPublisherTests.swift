// SPDX-License-Identifier: Apache-2.0

import Logging
import Mosquitto
import Runtime
import Session
import Settings
import Support
import Synchronization
import Testing
import Wire

@testable import Calm

/// A microphone at a real broker.
@Suite(.limitedConcurrency, .timeLimit(.minutes(15))) struct LevelPublisherTests {
    @Test func levelsArePublishedUnderTheNodesID() async throws {
        try await Broker.withBroker { broker in
            try await EventLoop.withEventLoop { loop in
                var values = SettingValues()
                try values.fill(
                    environment: ["LOCKSTEP_BROKER": "mqtt://127.0.0.1:\(broker.port)", "LOCKSTEP_NODE": "desk"])
                let settings = try CalmSettings(values, for: .microphone, environment: ["HOME": "/home/ada"])
                let link = try #require(settings.common.brokerConfiguration(clientID: "microphone"))
                let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
                let microphone = LevelPublisher(settings: settings, loop: loop, log: log)
                let received = Mutex<[MQTTMessage]>([])
                let listener = MQTTClient(
                    MQTTConfiguration(host: "127.0.0.1", port: broker.port, clientID: "listener"), on: loop)
                await listener.onEvent { event in
                    switch event {
                    case .connected:
                        listener.assumeIsolated { $0.subscribe([Subscription("lockstep/#")], completion: nil) }
                    case .message(let message): received.withLock { $0.append(message) }
                    case .disconnected: break
                    }
                }
                microphone.publish(999)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await listener.run() }
                    group.addTask { try await microphone.run(link) }
                    try await eventually("a level arrives") {
                        microphone.publish(431)
                        return received.withLock { !$0.isEmpty }
                    }
                    await microphone.close()
                    await listener.close()
                    try await group.waitForAll()
                }
                let first = received.withLock(\.first)
                let message = try #require(first)
                #expect(message.topic == "lockstep/1/home/node/desk/sound")
                #expect(!message.retain)
                let codec = WireCodec(space: settings.common.space, me: try #require(NodeID("calm")))
                let decoded = codec.decode(topic: message.topic, payload: message.payload, retained: false, now: 0)
                guard case .sound(let level, let node) = decoded else {
                    Issue.record("not a level: \(decoded)")
                    return
                }
                #expect(node.rawValue == "desk")
                #expect(level.level == 431, "a level without a connection is dropped")
                #expect(level.bootID == Clocks.bootID())
            }
        }
    }
}
