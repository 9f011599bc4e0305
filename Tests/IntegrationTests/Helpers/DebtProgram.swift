// SPDX-License-Identifier: Apache-2.0

import Glibc
import Support

/// A `lockstep-debt` process.
typealias DebtProgram = ServiceProgram<DebtKind>

enum DebtKind: ServiceKind {
    static let name = "debt"
    /// Puts today in the middle of the week, so that two hours ago is in this week.
    static let environment: [String: String] = {
        var (time, parts) = (time_t(now() / 1_000 - 3 * 86_400), tm())
        gmtime_r(&time, &parts)
        let days = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]
        return ["LOCKSTEP_DEBT_WEEK_START": days[Int(parts.tm_wday)]]
    }()
}

extension DebtProgram {
    /// Runs `lockstep debt` on the same ledger.
    func command(_ arguments: String...) async throws -> CommandResult { try await lockstep(["debt"] + arguments) }

    /// Runs `lockstep history` on the same ledger.
    func history(_ arguments: String...) async throws -> CommandResult { try await lockstep(["history"] + arguments) }

    /// Runs `lockstep doctor` on the same ledger.
    func doctor(_ arguments: String...) async throws -> CommandResult { try await lockstep(["doctor"] + arguments) }

    private func lockstep(_ arguments: [String]) async throws -> CommandResult {
        try await CommandLine.run(
            arguments + ["--state-dir", directory.file("state")], environment: DebtKind.environment)
    }
}

extension Peer {
    /// The messages of the debt service about the week, oldest first.
    var debt: [JSON] { serviceMessages(on: "feed/debt") }
    /// The acknowledgements of the debt service, oldest first.
    var ledgerAcks: [JSON] { serviceMessages(on: "feed/debt/ack") }

    /// Waits for the answer to a record.
    func waitForAnswer(_ session: String, rev: Int64, _ outcome: String) async throws {
        try await eventually("\(session) \(rev): \(outcome); the latest are \(ledgerAcks.suffix(5))") {
            ledgerAcks.flatMap { $0.records.items }.contains {
                $0.id.text == session && $0.rev == .number(rev) && $0.outcome.text == outcome
            }
        }
    }
}

extension JSON {
    /// A record whose run began at nine in the morning (UTC) some days ago. So it does not end on the next day.
    static func record(_ id: String, daysAgo: Int64, minutes: Int64, digest: String = "d1") -> JSON {
        let sinceNine = now() % 86_400_000 / 60_000 - 9 * 60
        return record(id, ago: daysAgo * 1_440 + sinceNine, minutes: minutes, digest: digest)
    }

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
