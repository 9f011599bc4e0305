// SPDX-License-Identifier: Apache-2.0

import Mosquitto
import Support
import Synchronization

/// Everything a client has told.
final class Recorder: Sendable {
    private let recorded = Mutex<[Event]>([])

    func record(_ event: Event) { recorded.withLock { $0.append(event) } }

    var events: [Event] { recorded.withLock { $0 } }

    var connections: [Connection] {
        events.compactMap { if case .connected(let connection) = $0 { connection } else { nil } }
    }

    var messages: [Message] {
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

/// A client with a recorder on a loop of its own.
func withRecordedClient<Value>(
    _ configuration: Configuration,
    onConnected: (@Sendable (isolated MQTTClient) -> Void)? = nil,
    _ body: (MQTTClient, Recorder) async throws -> Value
) async throws -> Value {
    try await EventLoop.withEventLoop { loop in
        let recorder = Recorder()
        let client = MQTTClient(configuration, on: loop)
        await client.onEvent { event in
            recorder.record(event)
            if case .connected = event, let onConnected { client.assumeIsolated { onConnected($0) } }
        }
        async let running: Void = client.run()
        do {
            let value = try await body(client, recorder)
            await client.close(deadlineMilliseconds: configuration.closeDeadlineMilliseconds)
            try await running
            return value
        } catch {
            await client.close()
            try? await running
            throw error
        }
    }
}

extension Configuration {
    /// For a broker on this machine: waits short enough for a test, and patience enough for a machine with much else to
    /// do. A test of impatience sets its own.
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
