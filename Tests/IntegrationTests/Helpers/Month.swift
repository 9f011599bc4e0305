// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Support

/// A space in which weeks pass in minutes.
///
/// It has a broker that stores retained messages on disk, the debt service and three nodes. Each may be killed.
final class Month {
    /// One of the programs that may be killed.
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
    /// The sessions in the registers of journals, each with its largest version.
    private(set) var known: [String: JSON] = [:]
    private(set) var dead: Set<Part> = []
    /// The hashes of journal lines that were read before.
    private var read: Set<Int> = []
    static let day: Int64 = 86_400_000

    private init(_ clock: SharedClock, _ broker: Broker, service: DebtProgram, nodes: [NodeProcess]) {
        self.clock = clock
        self.broker = broker
        self.service = service
        self.nodes = nodes
    }

    /// Runs `body` with all programs running and their clocks at `start`, in milliseconds since 1970.
    ///
    /// Its error includes the logs of the programs.
    static func with(at start: Int64, _ body: (Month, Peer) async throws -> Void) async throws {
        let clock = try await SharedClock(at: start)
        try await Broker.withBroker(Broker.Options(persistence: true)) { broker in
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

    /// Kills and starts one of the programs from any task.
    struct ProgramHandle: Sendable {
        let kill: @Sendable () async throws -> Void
        let start: @Sendable () async throws -> Void
    }

    private func handle(of part: Part) -> ProgramHandle {
        let (broker, service) = (broker, service)
        switch part {
        case .broker: return ProgramHandle(kill: { try await broker.kill() }, start: { try await broker.start() })
        case .service: return ProgramHandle(kill: { try await service.kill() }, start: { try await service.start() })
        case .node(let index):
            let node = nodes[index]
            return ProgramHandle(kill: { try await node.kill() }, start: { try await node.start() })
        }
    }

    /// Marks a program as dead, and returns the means to kill it.
    func markDead(_ part: Part) -> ProgramHandle {
        dead.insert(part)
        return handle(of: part)
    }

    /// Starts the killed programs; the broker first, since the service waits for a connection.
    func startDead() async throws {
        for part in Part.all where dead.contains(part) {
            try await handle(of: part).start()
            dead.remove(part)
        }
    }

    func waitUntilLinked() async throws {
        for node in nodes { try await node.waitFor("a connection") { $0.linked == true } }
    }

    // MARK: Disk

    /// Reads the new lines of the nodes' journals.
    func readJournals() {
        for node in nodes {
            for line in lines(of: node) where read.insert(line.hashValue).inserted {
                if let journal = try? JSON(line) { take(journal.own) }
            }
        }
    }

    /// The JSON of each record, which follows its length and checksum. A torn record is no JSON.
    private func lines(of node: NodeProcess) -> [String] {
        let text = node.directory.read("state/journal")
        return text.split(separator: "\n").filter { $0.utf8.first != 0 }.map { String($0.dropFirst(26)) }
    }

    /// The last session in a node's journal; `null` if there is none.
    func last(of node: NodeProcess) -> JSON {
        lines(of: node).lazy.reversed().compactMap { try? JSON($0) }.first?.own ?? .null
    }

    private func take(_ register: JSON) {
        guard let id = register.id.text else { return }
        func version(_ register: JSON?) -> [Int64] { [register?.epoch.int ?? -1, register?.rev.int ?? -1] }
        if version(known[id]).lexicographicallyPrecedes(version(register)) { known[id] = register }
    }

    /// Whether a session has ended.
    static func isFinal(_ register: JSON) -> Bool {
        ["completed", "stopped", "superseded"].contains(register.status.text)
    }

    // MARK: The ledger

    /// The answer of the ledger to a command at an instant.
    func ledger(at instant: Int64, _ arguments: String...) async throws -> [JSON] {
        let answer = try await CommandLine.run(
            arguments + ["--json", "--state-dir", service.directory.file("state")], program: "lockstep-debt",
            environment: try clock.environment(at: instant))
        guard answer.code == 0 else { throw Failed("\(arguments): \(answer)") }
        return try answer.output.split(separator: "\n").map { try JSON(String($0)) }
    }
}
