// SPDX-License-Identifier: Apache-2.0

import Joining
import Mosquitto
import Settings

/// The user of the broker by which this program reads and clears retained messages.
struct LocalUser: Sendable {
    private let configuration: MQTTConfiguration

    init(_ files: BrokerFiles) throws {
        let place = try files.place()
        guard let password = try files.text("lockstep/local") else {
            throw JoinFailure(
                "\(files.path("lockstep/local")) is missing; repeat lockstep broker setup with its options")
        }
        // Random, because a member that connects with the same id would end this connection.
        let clientID = "lockstep-broker-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
        var configuration = MQTTConfiguration(host: "127.0.0.1", port: place.port, clientID: clientID)
        configuration.credentials = .init(user: MemberList.localUser, password: String(password[...].trimmed))
        if place.isEncrypted {
            configuration.tls = .init(trust: .file(files.path("lockstep/ca.crt")))
            configuration.tls?.isPinned = true
        }
        self.configuration = configuration
    }

    /// Runs `body` with the retained messages. A refused login is tried again, since the broker reloads its users late.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable (RetainedMessages) async throws -> Value
    ) async throws -> Value {
        do {
            return try await withThrowingTaskGroup(of: Value.self) { group in
                group.addTask {
                    try await EventLoop.withEventLoop(name: "broker") { loop in
                        let client = MQTTClient(configuration, on: loop)
                        let (events, feed) = AsyncStream.makeStream(of: MQTTEvent.self)
                        await client.onEvent { feed.yield($0) }
                        return try await client.run {
                            for await event in events {
                                if case .connected = event { break }
                            }
                            return try await body(RetainedMessages(client: client, events: events))
                        }
                    }
                }
                group.addTask {
                    try await Task.sleep(for: .seconds(10))
                    throw JoinFailure("the broker does not answer")
                }
                defer { group.cancelAll() }
                guard let value = try await group.next() else { throw CancellationError() }
                return value
            }
        } catch {
            throw (error as? JoinFailure) ?? JoinFailure("the broker does not answer: \(error)")
        }
    }
}

struct RetainedMessages: Sendable {
    let client: MQTTClient
    let events: AsyncStream<MQTTEvent>

    func read(_ filters: [String]) async throws -> [MQTTMessage] {
        // A message to oneself arrives after all that was retained: at QoS 0 the broker keeps the order and drops none.
        let barrier = "lockstep/1/_local/barrier-\(UInt32.random(in: 0 ... .max))"
        try await client.subscribe((filters + [barrier]).map { Subscription($0, qos: .atMostOnce) })
        try await client.publish([], to: barrier)
        var messages: [MQTTMessage] = []
        for await event in events {
            switch event {
            case .message(let message) where message.topic == barrier: return messages
            case .message(let message) where message.retain: messages.append(message)
            case .disconnected(let error, _): throw error
            default: break
            }
        }
        throw CancellationError()
    }
}
