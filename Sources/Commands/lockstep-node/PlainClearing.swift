// SPDX-License-Identifier: Apache-2.0

import Display
import Logging
import Mosquitto
import ServiceLifecycle
import Session

/// Removes what this node has retained on plain topics that it no longer serves, unless another node serves them now.
actor PlainClearing {
    private nonisolated let loop: EventLoop
    private let topics: PlainTopics
    private let space: SpaceID
    private let configuration: MQTTConfiguration
    private let node: NodeID
    private let log: Logger
    private var retained: Set<String> = []
    private var isServed = false

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(of space: SpaceID, by node: NodeID, loop: EventLoop, configuration: MQTTConfiguration, log: Logger) {
        (self.space, self.node, self.loop, self.log) = (space, node, loop, log)
        self.configuration = configuration
        topics = PlainTopics(space)
    }

    /// Connects until nothing is left to be removed.
    func run() async throws {
        let client = MQTTClient(configuration, on: loop)
        let (connections, connected) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        await client.onEvent { [weak self] event in
            switch event {
            case .connected: connected.yield()
            case .message(let message): self?.assumeIsolated { $0.receive(message) }
            case .disconnected: break
            }
        }
        try await cancelWhenGracefulShutdown {
            try await client.run { for await _ in connections where await self.clear(by: client) { return } }
        }
    }

    private func receive(_ message: MQTTMessage) {
        if message.topic == topics.server { isServed = true }
        if message.retain, !message.payload.isEmpty { retained.insert(message.topic) }
    }

    /// Clears the topics unless a node serves them. Returns `false` if the next connection must try again.
    private func clear(by client: MQTTClient) async -> Bool {
        do {
            _ = try await client.subscribe([Subscription(topics.all), Subscription(HomeAssistant.filter(of: space))])
            _ = try await client.publish(MQTTMessage(topic: topics.question, payload: Array(node.rawValue.utf8)))
            // Time for the answer of a node that serves the topics, and for their retained messages.
            try await Task.sleep(for: .milliseconds(PlainTurn.timeout.count))
            for topic in retained.sorted() where !isServed {
                _ = try await client.publish(MQTTMessage(topic: topic, payload: [], retain: true))
            }
        } catch {
            return Task.isCancelled
        }
        if !isServed, !retained.isEmpty {
            log.info("cleared the plain topics", metadata: ["space": "\(space)", "topics": "\(retained.count)"])
        }
        return true
    }
}
