// SPDX-License-Identifier: Apache-2.0

import Glibc
import Logging
import Mosquitto
import Session
import Shell

/// Nodes in this process, each on the loop that it is given.
enum Fleet {
    static let space: SpaceID = SpaceID("bench") ?? { preconditionFailure("bench is a space") }()

    /// - Parameter lead: What its clocks read beyond those of this machine.
    static func node(
        _ name: String, role: Role = .node, journal: String?, on loop: EventLoop, lead: ClockLead? = nil
    ) throws -> Node {
        let boot = lead == nil ? Clocks.bootID() : BootID("boot-\(name)")
        guard let id = NodeID(name), let boot else { throw BenchError("\(name) is no node id") }
        let identity = Session.Configuration(node: id, name: name, role: role, software: "lockstep-bench", bootID: boot)
        let directory = try journal.map { try StateDirectory("\($0)/\(name)") }
        let log = role == .node ? log : quiet
        return Node(
            identity: identity, space: space, directory: directory, loop: loop, log: log,
            clocks: { lead?.now() ?? Clocks.now() })
    }

    /// Runs `body` while the nodes are connected.
    /// - Parameter way: Where a node finds the broker.
    static func run<Value: Sendable>(
        _ nodes: [Node], broker: BrokerAddress, by way: @Sendable (Node) -> BrokerAddress? = { _ in nil },
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for node in nodes {
                await node.start()
                let address = way(node) ?? broker
                var link = Mosquitto.Configuration(
                    host: address.host, port: address.port, clientID: "bench-\(node.identity.node)")
                link.keepAliveSeconds = 60
                group.addTask { [link] in try await node.runLink(link) }
            }
            for node in nodes {
                if let problem = await node.waitUntilSettled() { throw BenchError("\(node.identity.node): \(problem)") }
            }
            let value = try await body()
            for node in nodes { await node.goOffline() }
            try await group.waitForAll()
            return value
        }
    }

    /// Starts a session as a person would have it: four times focus and break.
    static func startSession(on owner: Node, seenBy others: [Node]) async throws {
        let plan = (0..<4).flatMap { _ in [Phase(kind: .focus, seconds: 1_500), Phase(kind: .shortBreak, seconds: 300)]
        }
        guard case .answered(let answer) = await owner.start(Start(title: "Reading", plan: plan)) else {
            throw BenchError("no session was started")
        }
        for node in others {
            try await wait("\(node.identity.node) to see the session") {
                await node.view.register?.id == answer.session
            }
        }
    }

    /// Looks every millisecond, ten seconds at most.
    static func wait(_ what: String, until condition: @Sendable () async throws -> Bool) async throws {
        for _ in 0..<10_000 {
            if try await condition() { return }
            try await Task.sleep(for: .milliseconds(1))
        }
        throw BenchError("waited in vain for \(what)")
    }

    /// Displays that share a loop must not wait for each other's lines, which each writes after it has drawn.
    private static let quiet = {
        var quiet = log
        quiet.logLevel = .warning
        return quiet
    }()

    /// The level of a node at work, with lines that cost what they cost there but for the terminal.
    private static let log = Logger(label: "lockstep-bench") { label in
        NullLog(formatter: label)
    }
}

/// What the clocks of a machine read beyond those of this one, in milliseconds. Nobody vouches for its wall clock.
struct ClockLead: Sendable {
    var boot: Int64
    var wall: Int64

    func now() -> Instant {
        let here = Clocks.now()
        return Instant(boot: here.boot + boot, wall: here.wall + wall)
    }
}

/// Formats each line and writes it where it leaves no trace.
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
