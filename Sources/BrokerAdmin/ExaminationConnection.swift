// SPDX-License-Identifier: Apache-2.0

import Mosquitto
import Platform
import Synchronization

/// A connection that remembers what arrives. It ends if it cannot connect; with a will, also at every loss.
final class ExaminationConnection: Sendable {
    /// The state of the connection, and the messages that it has received.
    struct State {
        var connection: Connection?
        var failure: MQTTError?
        var subscriptions: [Subscription] = []
        var arrived: [(message: MQTTMessage, at: ContinuousClock.Instant)] = []

        func arrival(of message: MQTTMessage) -> ContinuousClock.Instant? {
            arrived.first { $0.message.topic == message.topic && $0.message.payload == message.payload }?.at
        }
    }

    let client: MQTTClient
    private let seen = Mutex(State())
    var state: State { seen.withLock { $0 } }

    private init(_ client: MQTTClient) { self.client = client }

    /// Runs `body` with a connection; throws ``MQTTError`` if there is none.
    static func with<Value: Sendable>(
        _ configuration: MQTTConfiguration, on loop: EventLoop, will: MQTTMessage? = nil,
        _ body: (ExaminationConnection) async throws -> Value
    ) async throws -> Value {
        var configuration = configuration
        let hasConnected = Atomic(false)
        // A second connection with the same id would end the first.
        configuration.clientID += "-\(RandomKey.suffix())"
        configuration.giveUp = { _ in will != nil || !hasConnected.load(ordering: .relaxed) }
        if let will { configuration.makeWill = { _ in will } }
        let probe = ExaminationConnection(MQTTClient(configuration, on: loop))
        await probe.client.onEvent { event in
            if case .connected = event {
                hasConnected.store(true, ordering: .relaxed)
                let subscriptions = probe.state.subscriptions
                probe.client.assumeIsolated { $0.subscribe(subscriptions, completion: nil) }
            }
            probe.seen.withLock { state in
                switch event {
                case .connected(let connection): (state.connection, state.failure) = (connection, nil)
                case .message(let message): state.arrived.append((message, .now))
                case .disconnected(let error, _): (state.connection, state.failure) = (nil, error)
                }
            }
        }
        return try await probe.client.run {
            // The client itself gives up in time.
            _ = await probe.wait(.seconds(60)) { $0.connection != nil || $0.failure != nil }
            if let failure = probe.state.failure { throw failure }
            return try await body(probe)
        }
    }

    /// Waits for a condition, and returns whether it held in time.
    func wait(_ limit: Duration = .seconds(2), until condition: (State) -> Bool) async -> Bool {
        let end = ContinuousClock.now + limit
        while !condition(state) {
            guard ContinuousClock.now < end else { return false }
            try? await Task.sleep(for: .milliseconds(2))
        }
        return true
    }

    /// Subscribes as a node does, also on later connections.
    func subscribe(_ filter: String, noLocal: Bool = false) async throws {
        let subscription = Subscription(filter, qos: .atMostOnce, noLocal: noLocal)
        seen.withLock { $0.subscriptions.append(subscription) }
        try await client.subscribe([subscription])
    }

    /// Publishes a message, and returns the time until it arrives here or at `other`; `nil` if it is late.
    func echo(_ message: MQTTMessage, at other: ExaminationConnection? = nil) async -> Duration? {
        let (target, began) = (other ?? self, ContinuousClock.now)
        await client.send(message)
        _ = await target.wait { $0.arrival(of: message) != nil || $0.connection == nil }
        return target.state.arrival(of: message).map { $0 - began }
    }
}
