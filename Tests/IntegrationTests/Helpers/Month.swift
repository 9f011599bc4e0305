// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Support

/// A space in which weeks pass in minutes: a broker that keeps on disk what is retained, the debt service and three nodes,
/// any of which may be killed at any time.
final class Month {
    /// One of the programs.
    enum Part: Hashable, CustomStringConvertible {
        case broker, service
        case node(Int)

        static let all: [Part] = [.broker, .service, .node(0), .node(1), .node(2)]

        var description: String {
            switch self {
            case .broker: "broker"
            case .service: "service"
            case .node: "node"
            }
        }
    }

    let clock: SharedClock
    let broker: Broker
    let service: DebtProgram
    let nodes: [NodeProcess]
    /// What registers in journals have told.
    private(set) var known = KnownRuns()
    private(set) var dead: Set<Part> = []
    /// Lines of journals that were read before.
    private var read: Set<Int> = []
    static let day: Int64 = 86_400_000

    private init(_ clock: SharedClock, _ broker: Broker, service: DebtProgram, nodes: [NodeProcess]) {
        self.clock = clock
        self.broker = broker
        self.service = service
        self.nodes = nodes
    }

    /// Runs `body` in a space whose programs run, and whose clocks show `start`, in milliseconds since 1970. When it
    /// fails, the error tells what the programs have logged.
    static func with(at start: Int64, _ body: (Month, Peer) async throws -> Void) async throws {
        let clock = try await SharedClock(at: start)
        var options = Broker.Options()
        options.persistence = true
        try await Broker.withBroker(options) { broker in
            let service = try DebtProgram(
                ["--zone", "Europe/Berlin"], broker: broker.port,
                environment: clock.environment.merging(["LOCKSTEP_DEBT_WEEK_START": "monday"]) { $1 })
            let nodes = try ["desk", "hall", "kitchen"].map { id in
                try NodeProcess(id, broker: "mqtt://127.0.0.1:\(broker.port)", environment: clock.environment)
            }
            let month = Month(clock, broker, service: service, nodes: nodes)
            do {
                try await service.start()
                for node in nodes { try await node.start() }
                try await Peer.with(port: broker.port) { try await body(month, $0) }
            } catch {
                let logs = nodes.map { "--- \($0.id)\n\($0.log.suffix(6_000))" }.joined(separator: "\n")
                throw Failed("\(error)\n--- debt\n\(service.log.suffix(6_000))\n\(logs)")
            }
            for node in nodes { try await node.kill() }
            try await service.kill()
        }
    }

    // MARK: Programs

    /// What can be done to one of the programs from another task than the test's.
    struct Grip: Sendable {
        let kill: @Sendable () async throws -> Void
        let start: @Sendable () async throws -> Void
    }

    private func grip(_ part: Part) -> Grip {
        let (broker, service) = (broker, service)
        switch part {
        case .broker: return Grip(kill: { try await broker.kill() }, start: { try await broker.start() })
        case .service: return Grip(kill: { try await service.kill() }, start: { try await service.start() })
        case .node(let index):
            let node = nodes[index]
            return Grip(kill: { try await node.kill() }, start: { try await node.start() })
        }
    }

    /// Notes that a program is killed now, and returns how.
    func doom(_ part: Part) -> Grip {
        dead.insert(part)
        return grip(part)
    }

    /// Starts what was killed; the broker first, since the service is there only when it is connected.
    func startDead() async throws {
        for part in Part.all where dead.contains(part) {
            try await grip(part).start()
            dead.remove(part)
        }
    }

    func areLinked() async throws {
        for node in nodes { try await node.shows("a connection") { $0.linked == true } }
    }

    // MARK: What is on disk

    /// Reads what the nodes' journals have told so far, also behind the last look. What is on disk has happened.
    func readJournals() {
        for node in nodes {
            for line in lines(of: node) where read.insert(line.hashValue).inserted {
                guard let journal = try? JSON(line) else { continue }
                known.take(own: journal.own)
            }
        }
    }

    /// The JSON of each record: behind its length and its checksum. A torn one is no JSON.
    private func lines(of node: NodeProcess) -> [String] {
        let text = node.directory.read("state/journal")
        return text.split(separator: "\n").filter { $0.utf8.first != 0 }.map { String($0.dropFirst(18)) }
    }

    /// The session that a node's journal ends with.
    func last(of node: NodeProcess) -> KnownRuns.Session? {
        lines(of: node).lazy.reversed().compactMap { try? JSON($0) }.first.flatMap { KnownRuns.Session($0.own) }
    }

    /// Takes what was told on the wire, too.
    func take(_ peer: Peer) {
        for node in nodes {
            for register in peer.all("session", of: node.id) { known.take(register) }
        }
    }

    /// How many records of a node wait; `nil` while it does not answer.
    func waiting(_ node: NodeProcess) -> Int? { node.recordsWaiting }

    // MARK: The ledger

    /// What the ledger answers when it is asked at an instant.
    func ledger(at instant: Int64, _ arguments: String...) async throws -> [JSON] {
        let answer = try await CommandLine.run(
            arguments + ["--json", "--state-dir", service.directory.file("state")], program: "lockstep-debt",
            environment: try clock.environment(at: instant))
        guard answer.code == 0 else { throw Failed("\(arguments): \(answer)") }
        return try answer.output.split(separator: "\n").map { try JSON(String($0)) }
    }
}
