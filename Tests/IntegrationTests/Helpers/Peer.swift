// SPDX-License-Identifier: Apache-2.0

import Glibc
import Mosquitto
import Support
import Synchronization

/// A foreign program in the space, which publishes anything and records all messages.
final class Peer: Sendable {
    let id: String
    let space: String
    private let client: MQTTClient
    private let recorded = Mutex<[MQTTMessage]>([])
    private let isSubscribed = Mutex(false)
    private let counter = Mutex(0)

    private init(_ id: String, space: String, client: MQTTClient) {
        self.id = id
        self.space = space
        self.client = client
    }

    /// Runs `body` with a peer that is connected and subscribed to all topics.
    static func with(
        _ id: String = "peer", port: Int, space: String = "home", password: String? = nil,
        _ body: (Peer) async throws -> Void
    ) async throws {
        try await EventLoop.withEventLoop { loop in
            var configuration = MQTTConfiguration(host: "127.0.0.1", port: port, clientID: "peer-\(id)")
            configuration.backoff = .init(initialMilliseconds: 20, maximumMilliseconds: 200, jitter: 0.5)
            configuration.keepAliveSeconds = 60
            configuration.connectTimeoutMilliseconds = 60_000
            configuration.requestTimeoutMilliseconds = 60_000
            if let password { configuration.credentials = .init(user: id, password: password) }
            let client = MQTTClient(configuration, on: loop)
            let peer = Peer(id, space: space, client: client)
            await client.onEvent { event in peer.handle(event) }
            try await client.run {
                try await peer.waitUntilSubscribed()
                try await body(peer)
            }
        }
    }

    private func handle(_ event: MQTTEvent) {
        switch event {
        case .message(let message): recorded.withLock { $0.append(message) }
        case .connected:
            client.assumeIsolated { client in
                client.subscribe([Subscription("lockstep/#", retainAsPublished: true)]) { [weak self] result in
                    if case .success = result { self?.isSubscribed.withLock { $0 = true } }
                }
            }
        case .disconnected: isSubscribed.withLock { $0 = false }
        }
    }

    func waitUntilSubscribed() async throws {
        try await eventually("\(id) is connected") { isSubscribed.withLock { $0 } }
    }

    // MARK: Writing

    func topic(_ node: String, _ leaf: String) -> String { "lockstep/1/\(space)/node/\(node)/\(leaf)" }

    /// Publishes as a node, by default as the peer itself.
    func publish(_ leaf: String, of node: String? = nil, _ payload: [UInt8], retain: Bool = false) async throws {
        try await client.publish(payload, to: topic(node ?? id, leaf), retain: retain)
    }

    func publish(_ leaf: String, of node: String? = nil, _ payload: JSON, retain: Bool? = nil) async throws {
        let isKept = leaf == "session" || leaf == "presence"
        try await publish(leaf, of: node, payload.bytes, retain: retain ?? isKept)
    }

    /// Publishes as a service.
    func publish(feed: String, _ payload: [UInt8]) async throws {
        try await client.publish(payload, to: "lockstep/1/\(space)/feed/\(feed)", retain: true)
    }

    /// Publishes many messages, a hundred at a time.
    func publishAll(_ messages: [MQTTMessage]) async throws {
        for start in stride(from: 0, to: messages.count, by: 100) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for message in messages[start..<min(start + 100, messages.count)] {
                    group.addTask { [client] in try await client.publish(message) }
                }
                try await group.waitForAll()
            }
        }
    }

    /// Publishes an intent for a session.
    /// - Returns: The intent's id.
    @discardableResult
    func ask(_ op: JSON, of session: String, id: String? = nil, _ more: JSON = [:]) async throws -> String {
        let id = id ?? fresh("press")
        var intent: JSON = ["v": 1, "op": op]
        intent.id = .string(id)
        intent.session = .string(session)
        intent.from = .string(self.id)
        for key in more.keys { intent[key] = more[key] }
        try await publish("intent", intent)
        return id
    }

    func fresh(_ word: String) -> String {
        counter.withLock { counter in
            counter += 1
            return "\(word)-\(id)-\(counter)"
        }
    }

    // MARK: Reading

    var messages: [MQTTMessage] { recorded.withLock { $0 } }
    func forget() { recorded.withLock { $0 = [] } }

    /// The messages on a node's topic, oldest first.
    func messages(on leaf: String, of node: String) -> [JSON] {
        let topic = topic(node, leaf)
        return messages.filter { $0.topic == topic }.map { (try? JSON($0.payload)) ?? .null }
    }

    func latest(_ leaf: String, of node: String) -> JSON { messages(on: leaf, of: node).last ?? .null }

    /// Waits until a node's latest message satisfies `isRight`.
    @discardableResult
    func waitFor(
        _ leaf: String, of node: String, _ what: String, file: String = #fileID, line: Int = #line,
        _ isRight: (JSON) -> Bool
    ) async throws -> JSON {
        do {
            try await eventually("\(leaf) of \(node): \(what)", file: file, line: line) {
                isRight(latest(leaf, of: node))
            }
        } catch let error as TimedOut {
            throw Failed("\(error); the latest is \(latest(leaf, of: node))")
        }
        return latest(leaf, of: node)
    }

    /// The answers of a node to an intent.
    func answers(to intent: String, from node: String) -> [JSON] {
        messages(on: "ack", of: node).filter { $0.id.text == intent && $0.kind == "intent" }
    }

    /// Waits for the answer to an intent.
    func answer(
        to intent: String, from node: String, number: Int = 1, file: String = #fileID, line: Int = #line
    ) async throws -> JSON {
        try await eventually("answer \(number) of \(node) to \(intent)", file: file, line: line) {
            answers(to: intent, from: node).count >= number
        }
        return answers(to: intent, from: node)[number - 1]
    }

    /// Waits until the node has handled all messages that this peer has published so far.
    ///
    /// A broker keeps the order of one sender, so this sends a message of an unknown version and waits until
    /// the node has counted it.
    func waitUntilHandled(by node: NodeProcess) async throws {
        /// The number of this peer's messages of an unknown version; `nil` while the node does not answer.
        func count() -> Int64? {
            let nodes = node.nodes
            guard nodes != .null else { return nil }
            return nodes.items.first { $0.node.text == id }?.dropped.unknownVersion.int ?? 0
        }
        var before: Int64?
        try await eventually("\(node.id) answers") {
            before = count()
            return before != nil
        }
        var sentAt: ContinuousClock.Instant?
        try await eventually("\(node.id) hears \(id)") {
            // A message is lost while the node reconnects.
            if sentAt.map({ .now - $0 > .seconds(15) }) ?? true {
                try await publish("ack", ["v": 99])
                sentAt = .now
            }
            return count() ?? 0 > before ?? 0
        }
    }
}
