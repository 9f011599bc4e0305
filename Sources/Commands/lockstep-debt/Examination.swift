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
            let ledger = try Ledger(path: settings.ledger)
            let conflicts = try ledger.conflicts()
            let spaces = try ledger.spaces().count
            try ledger.close()
            let whole = Finding("ledger", .ok, "\(settings.ledger) is whole, \(spaces) spaces")
            return [whole, Self.service(of: settings)] + Self.findings(of: conflicts)
        } catch let error as LedgerError {
            return [
                Finding(
                    "ledger", .wrong, "\(error)",
                    mend: "lockstep debt restore FILE, with a file that lockstep debt backup has written")
            ]
        }
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

    private static func findings(of conflicts: [Ledger.Arrival]) -> [Finding] {
        guard !conflicts.isEmpty else { return [Finding("conflicts", .ok, "there are none")] }
        let named = conflicts.prefix(shown).map { conflict in
            let record = conflict.filed.record
            return Finding(
                "conflicts", .wrong,
                "of session \(record.id) of \(record.node) in \(conflict.space) two records of version "
                    + "\(record.version.epoch).\(record.version.rev) came; the first one counts",
                mend:
                    "lockstep debt correct \(record.id) --space \(conflict.space), which says that it is right, or with "
                    + "--from and --to what is")
        }
        let rest = conflicts.count - named.count
        return named
            + (rest > 0 ? [Finding("conflicts", .wrong, "there are \(rest) more", mend: "mend these first")] : [])
    }
}
