// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Commands
import Debt
import FoundationEssentials
import Glibc
import Session
import Shell
import Wire

/// The part of `lockstep doctor` that reads the ledger: an array of ``Finding`` as JSON.
struct Examination: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "examine", abstract: "Says for lockstep doctor how the ledger is.", shouldDisplay: false)

    @OptionGroup var access: LedgerAccess

    private static let shown = 20
    /// Bytes that must be free; a transaction with SQLite's log takes some hundred thousand.
    private static let leastRoom: UInt = 1 << 20

    func run() throws {
        let settings = try access.settings()
        let findings = try examine(settings)
        print(String(decoding: try JSONEncoder().encode(findings), as: UTF8.self))
    }

    private func examine(_ settings: DebtSettings) throws -> [Finding] {
        guard Glibc.access(settings.ledger, F_OK) == 0 else {
            return [Finding("ledger", .absent, "there is none on this machine")]
        }
        do {
            let ledger = try Ledger.reading(path: settings.ledger)
            let (conflicts, problems) = (try ledger.conflicts(), try ledger.problems())
            let spaces = try ledger.spaces().count
            let unwritable = ledger.unwritable
            try ledger.close()
            let whole =
                unwritable.map {
                    Finding("ledger", .wrong, "\($0)", mend: "then the service takes down what the nodes have kept")
                }
                ?? Self.disk(of: settings)
                ?? Finding("ledger", .ok, "\(settings.ledger) is whole, \(spaces) space\(spaces == 1 ? "" : "s")")
            return [whole, Self.service(of: settings)] + problems.map(Self.finding) + Self.findings(of: conflicts)
        } catch let error as LedgerError where error == .newer(path: settings.ledger) {
            return [Finding("ledger", .wrong, "\(error)", mend: "update Lockstep on this machine")]
        } catch let error as LedgerError {
            return [
                Finding(
                    "ledger", .wrong, "\(error)",
                    mend: "lockstep debt restore FILE, with a file that lockstep debt backup has written")
            ]
        }
    }

    /// Says when the disk has no room left for what arrives.
    private static func disk(of settings: DebtSettings) -> Finding? {
        var disk = statvfs()
        guard statvfs(settings.ledger, &disk) == 0, UInt(disk.f_bavail) * disk.f_frsize < leastRoom else { return nil }
        return Finding(
            "ledger", .wrong, "the disk of \(settings.ledger) is full, so nothing can be taken down",
            mend: "free some space there; nodes send again what they have kept")
    }

    /// Whoever serves holds the directory.
    private static func service(of settings: DebtSettings) -> Finding {
        do throws(StateDirectoryError) {
            _ = try StateDirectory(settings.node.stateDirectory)
            return Finding(
                "debt service", .wrong, "it does not run, so nothing is taken down",
                mend: "lockstep up, or systemctl --user start lockstep-debt (of the machine: sudo systemctl start …)")
        } catch {
            if case .taken = error { return Finding("debt service", .ok, "it runs") }
            return Finding("debt service", .wrong, "\(error)", mend: "ask as the user that it runs as")
        }
    }

    private static func finding(of problem: LedgerProblem) -> Finding {
        switch problem.kind {
        case .behind:
            Finding(
                "debt service", .wrong, problem.text,
                mend: "put the ledger on a faster disk, or find out which node sends that much")
        case .quota:
            Finding(
                "debt service", .wrong, problem.text,
                mend: "find out what runs on that node; remove its password at the broker if nobody knows")
        }
    }

    private static func findings(of conflicts: [Ledger.Arrival]) -> [Finding] {
        guard !conflicts.isEmpty else { return [Finding("conflicts", .ok, "there are none")] }
        let named = conflicts.prefix(shown).map { conflict in
            let record = conflict.filed.record
            return Finding(
                "conflicts", .wrong,
                "of session \(record.id) of \(record.node) in \(conflict.space) two records of version "
                    + "\(record.version.epoch).\(record.version.rev) came; the first one counts",
                mend:
                    "lockstep debt correct \(record.id) --recorded-on \(record.node) --space \(conflict.space), which says that it is right, or with "
                    + "--from and --to what is")
        }
        let rest = conflicts.count - named.count
        return named
            + (rest > 0 ? [Finding("conflicts", .wrong, "there are \(rest) more", mend: "mend these first")] : [])
    }
}
