// SPDX-License-Identifier: Apache-2.0

import Mosquitto
import Support
import Synchronization

final class Recorder: Sendable {
    private let recorded = Mutex<[MQTTEvent]>([])

    func record(_ event: MQTTEvent) { recorded.withLock { $0.append(event) } }

    var events: [MQTTEvent] { recorded.withLock { $0 } }

    var connections: [Connection] {
        events.compactMap { if case .connected(let connection) = $0 { connection } else { nil } }
    }

    var messages: [MQTTMessage] {
        events.compactMap { if case .message(let message) = $0 { message } else { nil } }
    }

    var errors: [MQTTError] {
        events.compactMap { if case .disconnected(let error, _) = $0 { error } else { nil } }
    }

    var waits: [Int64] {
        events.compactMap { if case .disconnected(_, let wait) = $0 { wait } else { nil } }
    }

    func firstConnection() async throws -> Connection {
        try await eventually("a connection; \(events)") { !connections.isEmpty }
        return connections[0]
    }

    func firstError() async throws -> MQTTError {
        try await eventually("a failure") { !errors.isEmpty }
        return errors[0]
    }
}

func withRecordedClient<Value>(
    _ configuration: MQTTConfiguration,
    onConnected: @escaping @Sendable (isolated MQTTClient) -> Void = { _ in },
    _ body: (MQTTClient, Recorder) async throws -> Value
) async throws -> Value {
    try await EventLoop.withEventLoop { loop in
        let recorder = Recorder()
        let client = MQTTClient(configuration, on: loop)
        await client.onEvent { event in
            recorder.record(event)
            if case .connected = event { client.assumeIsolated { onConnected($0) } }
        }
        return try await client.run { try await body(client, recorder) }
    }
}

/// Runs `body` with a broker and a client that is connected to it.
func withConnectedClient(
    _ options: Broker.Options = .init(), setting change: (inout MQTTConfiguration) -> Void = { _ in },
    subscribedTo topic: String? = nil, _ body: (Broker, MQTTClient, Recorder) async throws -> Void
) async throws {
    try await Broker.withBroker(options) { broker in
        var configuration = MQTTConfiguration(broker.port)
        change(&configuration)
        try await withRecordedClient(
            configuration, onConnected: { if let topic { $0.subscribe([Subscription(topic)], completion: nil) } }
        ) { client, recorder in
            _ = try await recorder.firstConnection()
            try await body(broker, client, recorder)
        }
    }
}

extension MQTTConfiguration {
    /// Settings for a local broker: a short back-off, and timeouts long enough for a loaded machine.
    init(_ port: Int, _ clientID: String = "client") {
        self.init(host: "127.0.0.1", port: port, clientID: clientID)
        backoff = Backoff(initialMilliseconds: 20, maximumMilliseconds: 200, jitter: 0.5)
        keepAliveSeconds = 60
        connectTimeoutMilliseconds = 60_000
        requestTimeoutMilliseconds = 60_000
        closeDeadlineMilliseconds = 60_000
    }
}

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
