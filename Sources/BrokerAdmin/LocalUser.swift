// SPDX-License-Identifier: Apache-2.0

import Joining
import Mosquitto
import Platform
import Settings
import Synchronization
import Wire

/// The user of the broker by which this program reads and clears retained messages.
struct LocalUser: Sendable {
    private let configuration: MQTTConfiguration

    init(_ files: BrokerFiles) throws {
        let listener = try files.listener()
        guard let password = try files.text(BrokerPath.localPassword) else {
            throw SetupError(
                "\(files.path(BrokerPath.localPassword)) is missing; repeat lockstep broker setup with its options")
        }
        // Random, because a member that connects with the same id would end this connection.
        let clientID = "lockstep-broker-\(RandomKey.suffix())"
        var configuration = MQTTConfiguration(host: "127.0.0.1", port: listener.port, clientID: clientID)
        configuration.credentials = .init(user: MemberList.localUser, password: String(password[...].trimmed))
        if listener.isEncrypted {
            configuration.tls = .init(trust: .file(files.path(BrokerPath.authority)))
            configuration.tls?.isPinned = true
        }
        // Longer than any command takes: an answer that mosquitto dropped must not end the connection.
        configuration.requestTimeoutMilliseconds = 600_000
        self.configuration = configuration
    }

    /// Runs `body` with the retained messages, and gives up if nothing happens for 10 seconds. A refused login is tried
    /// again, since the broker reloads its users late.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable (RetainedMessages) async throws -> Value
    ) async throws -> Value {
        let progress = Progress()
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
                            return try await body(RetainedMessages(client: client, events: events, progress: progress))
                        }
                    }
                }
                group.addTask {
                    while case let left = progress.millisecondsLeft, left > 0 {
                        try await Task.sleep(for: .milliseconds(left))
                    }
                    throw SetupError("the broker does not answer")
                }
                defer { group.cancelAll() }
                guard let value = try await group.next() else { throw CancellationError() }
                return value
            }
        } catch {
            throw (error as? SetupError) ?? SetupError("the broker does not answer: \(error)")
        }
    }
}

/// The time of the last sign that the broker answers.
final class Progress: Sendable {
    private let last = Atomic(SystemClock.bootMilliseconds())

    func note() { last.store(SystemClock.bootMilliseconds(), ordering: .relaxed) }

    /// The milliseconds after which a command gives up, if nothing happens.
    var millisecondsLeft: Int64 { last.load(ordering: .relaxed) + 10_000 - SystemClock.bootMilliseconds() }
}

/// Reads and clears what the broker retains.
struct RetainedMessages: Sendable {
    let client: MQTTClient
    let events: AsyncStream<MQTTEvent>
    let progress: Progress

    /// Reads retained messages. If they do not fit into the broker's queue or memory, it returns only some of them.
    func read(_ filters: [String]) async throws -> [MQTTMessage] {
        let barrier = "\(Topics.prefix)_local/barrier-\(RandomKey.suffix())"
        // An error here ends the connection, which is an event as well.
        _ = try? await client.subscribe((filters + [barrier]).map { Subscription($0, qos: .atMostOnce) })
        // The retained messages are on their way; a member that publishes all the time would fill the queue.
        await client.unsubscribe(filters, completion: nil)
        // A message to oneself arrives after all that was retained, since the broker keeps the order at QoS 0.
        _ = try? await client.publish([], to: barrier, qos: .atMostOnce)
        var (messages, received): ([MQTTMessage], Int) = ([], 0)
        for await event in events {
            switch event {
            case .message(let message) where message.topic == barrier: return messages
            case .message(let message):
                if message.retain { messages.append(message) }
                received += 1
                progress.note()
                // While the queue is full, mosquitto drops all further messages, also the barrier.
                if received.isMultiple(of: 16) { _ = try? await client.publish([], to: barrier, qos: .atMostOnce) }
            case .disconnected(let error, _): if messages.isEmpty { throw error }
            // Connected again: mosquitto ended the first connection for lack of memory, and no more can be read.
            case .connected: return messages
            }
        }
        throw CancellationError()
    }

    func retain(_ payload: [UInt8], on topic: String) async throws {
        try await client.publish(payload, to: topic, retain: true)
        progress.note()
    }
}
