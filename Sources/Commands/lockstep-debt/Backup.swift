// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Commands
import Debt
import Glibc
import Session
import Shell

struct Backup: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copies the ledger into a file, while the service runs or not.")

    @OptionGroup var access: LedgerAccess

    @Argument(help: "The file, which must not be there yet.")
    var file: String

    func run() throws {
        guard Glibc.access(file, F_OK) != 0 else { throw UsageError("\(file) is there already") }
        umask(0o077)
        try access.with { try $0.ledger.backUp(to: file) }
        print("The ledger is in \(file).")
    }
}

struct Restore: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Puts a backup in the ledger's place; the service must not run.",
        discussion: """
            The backup is checked first and only read. What was in the ledger stays beside it, as \
            ledger.sqlite.before-1 or the next free number. Nodes send again what the backup lacks of the last 90 days, as \
            soon as the service runs.
            """)

    @OptionGroup var access: LedgerAccess

    @Argument(help: "The file that lockstep debt backup has written.")
    var file: String

    func run() throws {
        let settings = try access.settings()
        guard Glibc.access(file, R_OK) == 0 else { throw UsageError("\(file) cannot be read") }
        let directory: StateDirectory
        do throws(StateDirectoryError) {
            directory = try StateDirectory(settings.node.stateDirectory)
        } catch {
            throw UsageError("\(error)")
        }
        umask(0o077)
        let restored: LedgerRestore
        do {
            restored = try LedgerRestore(from: file, to: settings.ledger)
        } catch let error as LedgerError {
            throw UsageError("\(error)")
        }
        withExtendedLifetime(directory) {}
        print("The ledger of \(restored.spaces.map(\.rawValue).joined(separator: ", ")) is back.")
        if let before = restored.before { print("The one before it is in \(before).") }
    }
}
