// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Debt
import Glibc
import Session
import Settings

struct Backup: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy the ledger into a file, while the service runs or not.")

    @OptionGroup var access: LedgerAccess

    @Argument(help: "The file, which must not exist.")
    var file: String

    func run() throws {
        guard Glibc.access(file, F_OK) != 0 else { throw UsageError("\(file) already exists") }
        umask(0o077)
        try access.with { try $0.ledger.backUp(to: file) }
        print("The ledger is in \(file).")
    }
}

struct Restore: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Replace the ledger by a backup. The service must not run.",
        discussion: """
            The backup is checked first, and not changed. The present ledger is renamed to ledger.sqlite.before-1, or the \
            next free number. When the service runs, nodes send again the records of the last 90 days that the backup lacks.
            """)

    @OptionGroup var access: LedgerAccess

    @Argument(help: "A file written by lockstep debt backup.")
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
        print("Restored the ledger of \(restored.spaces.map(\.rawValue).joined(separator: ", ")).")
        if let before = restored.before { print("The previous ledger is in \(before).") }
    }
}
