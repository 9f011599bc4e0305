// SPDX-License-Identifier: Apache-2.0

import API
import Glibc
import Harness
import Logging
import Mosquitto
import NodeRuntime
import Runtime
import Session
import Settings
import Synchronization

/// Nodes in this process, each on a given loop.
enum NodeGroup {
    static let space: SpaceID = SpaceID("bench") ?? { preconditionFailure("bench is a space") }()

    static func node(_ name: String, role: Role = .node, journal: String?, on loop: EventLoop) throws -> Node {
        guard let id = NodeID(name), let boot = Clocks.bootID() else { throw Failed("\(name) is not a node id") }
        let identity = NodeIdentity(node: id, name: name, role: role, software: "lockstep-bench", bootID: boot)
        let directory = try journal.map { try StateDirectory("\($0)/\(name)") }
        let log = role == .node ? log : quiet
        return Node(identity: identity, space: space, directory: directory, loop: loop, log: log)
    }

    static func run<Value: Sendable>(
        _ nodes: [Node], broker: BrokerAddress, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for node in nodes {
                await node.start()
                var link = MQTTConfiguration(
                    host: broker.host, port: broker.port, clientID: "bench-\(node.identity.node)")
                link.keepAliveSeconds = 60
                group.addTask { [link] in try await node.runLink(link) }
            }
            for node in nodes {
                if let problem = await node.waitUntilCaughtUp() { throw Failed("\(node.identity.node): \(problem)") }
            }
            let value = try await body()
            for node in nodes { await node.goOffline() }
            try await group.waitForAll()
            return value
        }
    }

    /// Starts a session of four times focus and break, and waits until all nodes show it.
    static func startSession(on owner: Node, seenBy others: [Node]) async throws {
        let plan = (0..<4).flatMap { _ in [Phase(kind: .focus, seconds: 1_500), Phase(kind: .shortBreak, seconds: 300)]
        }
        guard case .answered(let answer) = await owner.ask(.start(Start(title: "Reading", plan: plan))) else {
            throw Failed("no session was started")
        }
        for node in others {
            try await eventually("\(node.identity.node) to see the session") {
                await node.view.register?.id == answer.session
            }
        }
    }

    /// For displays: they share one machine here, and the log lines of one would delay the others.
    private static let quiet = {
        var quiet = log
        quiet.logLevel = .warning
        return quiet
    }()

    /// The level of a real node, so that log lines are formatted as there.
    private static let log = Logger(label: "lockstep-bench") { label in
        NullLog(formatter: label)
    }
}

/// Formats each line and writes it to /dev/null.
private struct NullLog: LogHandler {
    private static let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info
    private let label: String

    init(formatter label: String) { self.label = label }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let values = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        let line = Array("\(event.level) \(label): \(values.joined(separator: " ")) \(event.message)\n".utf8)
        write(Self.null, line, line.count)
    }
}

/// The time at which the last of many has arrived.
final class LastArrival: Sendable {
    private let missing: Atomic<Int>
    private let end = Atomic<Int64>(0)

    init(of count: Int) { missing = Atomic(count) }

    func arrived() {
        guard missing.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
        end.store(Samples.now(), ordering: .releasing)
    }

    func time() async throws -> Int64 {
        for _ in 0..<5_000 {
            try await Task.sleep(for: .milliseconds(1))
            let end = end.load(ordering: .acquiring)
            if end != 0 { return end }
        }
        throw Failed("\(missing.load(ordering: .relaxed)) displays have not seen a change")
    }
}
