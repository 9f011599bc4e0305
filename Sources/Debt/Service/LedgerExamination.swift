// SPDX-License-Identifier: Apache-2.0

package import API
import Glibc
import Ledger
import Session
import Settings
import Wire

/// The part of `lockstep doctor` that examines the ledger of this machine.
package enum LedgerExamination {
    /// The maximum number of conflicts that are listed.
    private static let shownLimit = 20
    /// The minimum free space in bytes; a transaction with SQLite's log takes some hundred thousand.
    private static let leastRoom: UInt = 1 << 20

    /// Examines the ledger. A `LedgerError` becomes a finding; other errors are thrown.
    package static func findings(_ settings: DebtSettings) throws -> [Finding] {
        let isFile = settings.database == nil
        if isFile, Glibc.access(settings.ledger, R_OK) != 0, errno == EACCES {
            return [
                Finding(
                    "ledger", .absent, "\(settings.ledger) can be read by its service only",
                    fix: "sudo lockstep doctor")
            ]
        }
        guard !isFile || Glibc.access(settings.ledger, F_OK) == 0 else {
            return [Finding("ledger", .absent, "there is none on this machine")]
        }
        do {
            let ledger = try LedgerStore.reading(at: settings.ledger)
            try ledger.readAll()
            let (conflicts, problems) = (try ledger.conflicts(), try ledger.problems())
            let spaces = try ledger.spaces().count
            let (unwritable, service) = (ledger.unwritable, try Self.service(of: settings, in: ledger))
            try ledger.close()
            let whole =
                unwritable.map {
                    Finding(
                        "ledger", .wrong, "\($0)", fix: "repair that; the nodes then send again what the ledger lacks")
                }
                ?? Self.disk(of: settings)
                ?? Finding("ledger", .ok, "\(settings.ledger) is whole, \(spaces) space\(spaces == 1 ? "" : "s")")
            return [whole, service] + problems.map(Self.finding) + Self.findings(of: conflicts)
        } catch let error as LedgerError where error == .newer(path: settings.ledger) {
            return [Finding("ledger", .wrong, "\(error)", fix: "update Lockstep on this machine")]
        } catch let error as LedgerError where !isFile {
            return [
                Finding("ledger", .wrong, "\(error)", fix: "start the database, or correct LOCKSTEP_LEDGER in debt.env")
            ]
        } catch let error as LedgerError {
            return [
                Finding(
                    "ledger", .wrong, "\(error)",
                    fix: "lockstep debt restore FILE, with a file that lockstep debt backup has written")
            ]
        }
    }

    private static func disk(of settings: DebtSettings) -> Finding? {
        var disk = statvfs()
        guard statvfs(settings.ledger, &disk) == 0, UInt(disk.f_bavail) * disk.f_frsize < leastRoom else { return nil }
        return Finding(
            "ledger", .wrong, "the disk of \(settings.ledger) is full, so no record can be stored",
            fix: "free some space there; the nodes send their records again")
    }

    /// Finds out whether a service runs. It has locked the state directory or, in a database, the lock of its space.
    private static func service(of settings: DebtSettings, in ledger: LedgerStore) throws -> Finding {
        if let shared = ledger.shared {
            let server = try shared.server(of: settings.servesEverySpace ? nil : settings.common.space)
            return server.map { Finding("debt service", .ok, "\($0) serves") }
                ?? Finding(
                    "debt service", .wrong, "none serves, so no record is stored",
                    fix: "sudo systemctl start lockstep-debt, on a machine whose debt.env names this ledger")
        }
        do throws(StateDirectoryError) {
            _ = try StateDirectory(settings.common.stateDirectory)
            return Finding(
                "debt service", .wrong, "it does not run, so no record is stored",
                fix: settings.common.stateDirectory == Installation.machineLedger
                    ? "sudo systemctl start lockstep-debt"
                    : "lockstep up, or for the service of a person: systemctl --user start lockstep-debt")
        } catch {
            if case .taken = error { return Finding("debt service", .ok, "it runs") }
            return Finding("debt service", .wrong, "\(error)", fix: "run this as the user of the service")
        }
    }

    private static func finding(of problem: LedgerProblem) -> Finding {
        switch problem.kind {
        case .behind:
            Finding(
                "debt service", .wrong, problem.text,
                fix: "put the ledger on a faster disk, or find out which node sends that much")
        case .quota:
            Finding(
                "debt service", .wrong, problem.text,
                fix:
                    "find out what runs on that node; if that is unknown, on the broker's machine: sudo lockstep revoke NAME"
            )
        }
    }

    private static func findings(of conflicts: [LedgerStore.Arrival]) -> [Finding] {
        guard !conflicts.isEmpty else { return [Finding("conflicts", .ok, "there are none")] }
        let named = conflicts.prefix(shownLimit).map { conflict in
            let record = conflict.digested.record
            return Finding(
                "conflicts", .wrong,
                "two records of version \(record.version.epoch).\(record.version.rev) arrived for session \(record.id) of "
                    + "\(record.node) in \(conflict.space); the first one counts",
                fix:
                    "lockstep debt correct \(record.id) --recorded-on \(record.node) --space \(conflict.space), which confirms the first one, or with "
                    + "--from and --to to correct it")
        }
        let rest = conflicts.count - named.count
        return named
            + (rest > 0 ? [Finding("conflicts", .wrong, "there are \(rest) more", fix: "fix these first")] : [])
    }
}
