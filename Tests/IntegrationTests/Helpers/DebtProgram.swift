// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Mosquitto
import Support
import Synchronization

/// A `lockstep-debt` process with a state directory that outlives it.
final class DebtProgram: Sendable {
    let directory: TemporaryDirectory
    private let arguments: [String]
    private let environment: [String: String]
    /// Puts today in the middle of the week, so that two hours ago is in this week.
    private static let week: [String: String] = {
        var (time, parts) = (time_t(now() / 1_000 - 3 * 86_400), tm())
        gmtime_r(&time, &parts)
        let days = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]
        return ["LOCKSTEP_DEBT_WEEK_START": days[Int(parts.tm_wday)]]
    }()
    private let child = Mutex<pid_t?>(nil)
    private let starts = Mutex(0)

    /// - Parameters:
    ///   - broker: The port of a broker on this machine; `nil` for none.
    ///   - password: The password for the broker; the user is `id`.
    init(
        _ arguments: [String], broker: Int?, id: String = "debt", password: String? = nil,
        environment: [String: String] = [:]
    ) throws {
        directory = try TemporaryDirectory()
        var all = arguments + ["--node", id, "--state-dir", directory.file("state")]
        if let broker { all += ["--broker", "mqtt://127.0.0.1:\(broker)"] }
        if let password {
            let file = try directory.write(password, to: "password")
            chmod(file, 0o600)
            all += ["--password-file", file]
        }
        self.arguments = all
        self.environment = Program.environment(
            home: directory.path, Self.week.merging(environment) { $1 })
    }

    deinit {
        if let pid = child.withLock({ $0 }) { Spawn.end(pid) }
    }

    var pid: pid_t? { child.withLock { $0 } }
    var log: String { (1...max(1, starts.withLock { $0 })).map { directory.read("debt-\($0).log") }.joined() }

    /// Starts the program and waits until it is connected and subscribed.
    func start() async throws {
        let number = starts.withLock { starts in
            starts += 1
            return starts
        }
        let name = "debt-\(number).log"
        let pid = try Spawn.start(
            [Program.path("lockstep-debt")] + arguments, environment: environment, output: directory.file(name))
        child.withLock { $0 = pid }
        try await eventually("lockstep-debt is connected") {
            if let status = Spawn.reap(pid) {
                child.withLock { $0 = nil }
                throw Failed("lockstep-debt ended with \(CommandLine.exitCode(status)): \(log)")
            }
            return directory.read(name).contains("connected to the broker")
        }
    }

    /// Runs `lockstep debt` on the same ledger.
    func command(_ arguments: String...) async throws -> CommandResult { try await lockstep(["debt"] + arguments) }

    /// Runs `lockstep history` on the same ledger.
    func history(_ arguments: String...) async throws -> CommandResult { try await lockstep(["history"] + arguments) }

    /// Runs `lockstep doctor` on the same ledger.
    func doctor(_ arguments: String...) async throws -> CommandResult { try await lockstep(["doctor"] + arguments) }

    private func lockstep(_ arguments: [String]) async throws -> CommandResult {
        try await CommandLine.run(arguments + ["--state-dir", directory.file("state")], environment: Self.week)
    }

    func kill() async throws { try await end(SIGKILL) }

    @discardableResult
    func end(_ signal: Int32 = SIGTERM) async throws -> Int32 {
        guard let pid else { return 0 }
        Glibc.kill(pid, signal)
        var status: Int32?
        try await eventually("lockstep-debt ends") {
            status = Spawn.reap(pid)
            return status != nil
        }
        child.withLock { $0 = nil }
        return CommandLine.exitCode(status ?? 0)
    }

    /// Runs `body` with a service that keeps the ledger of the space.
    static func withService(
        _ arguments: [String] = [], broker: Int, password: String? = nil, environment: [String: String] = [:],
        _ body: (DebtProgram) async throws -> Void
    ) async throws {
        let service = try DebtProgram(arguments, broker: broker, password: password, environment: environment)
        try await service.start()
        do {
            try await body(service)
        } catch {
            throw Failed("\(error)\n--- debt\n\(service.log)")
        }
        try await service.end()
    }
}

extension Peer {
    /// The messages of the debt service about the week, oldest first.
    var debt: [JSON] { said("feed/debt") }
    /// The acknowledgements of the debt service, oldest first.
    var ledgerAcks: [JSON] { said("feed/debt/ack") }

    func said(_ leaf: String) -> [JSON] {
        messages.filter { $0.topic == "lockstep/1/\(space)/\(leaf)" }.map { (try? JSON($0.payload)) ?? .null }
    }

    /// Waits until the latest message of the debt service satisfies `isRight`.
    @discardableResult
    func waitForDebt(
        _ what: String, file: String = #fileID, line: Int = #line, _ isRight: (JSON) -> Bool
    ) async throws -> JSON {
        do {
            try await eventually("debt: \(what)", file: file, line: line) { isRight(debt.last ?? .null) }
        } catch let error as TimedOut {
            throw Failed("\(error); the latest messages are \(debt.suffix(5))")
        }
        return debt.last ?? .null
    }

    /// Waits for the answer to a record.
    func waitForAnswer(_ session: String, rev: Int64, _ outcome: String, times: Int = 1) async throws {
        try await eventually("\(session) \(rev): \(outcome), \(times) times; the latest are \(ledgerAcks.suffix(5))") {
            ledgerAcks.flatMap { $0.records.items }.count {
                $0.id.text == session && $0.rev == .number(rev) && $0.outcome.text == outcome
            } >= times
        }
    }
}

extension JSON {
    /// A record of the peer, with one focus run that began `ago` minutes ago.
    static func record(
        _ id: String, rev: Int64 = 1, ago: Int64 = 120, minutes: Int64 = 25, digest: String = "d1"
    ) -> JSON {
        let from = now() - ago * 60_000
        var record: JSON = [
            "v": 1, "node": "peer", "epoch": 1, "title": "Elsewhere", "mode": "countdown", "status": "stopped",
        ]
        record.id = .string(id)
        record.rev = .number(rev)
        record.digest = .string(digest)
        record.stamp = [.number(from), 0, "peer"]
        record.startedAt = .number(from)
        record.runs = [["focus", .number(from), .number(from + minutes * 60_000)]]
        return record
    }
}
