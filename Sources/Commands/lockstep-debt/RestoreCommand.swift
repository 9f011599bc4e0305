// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Debt
import Glibc
import Platform
import Session
import Settings

/// `lockstep debt restore`: replaces the ledger by a backup.
struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Replace the ledger by a backup. The service must not run.",
        discussion: """
            The backup is checked first, and not changed. The present ledger is renamed to ledger.sqlite.before-1, or the \
            next free number. When the service runs, nodes send again the records of the last 90 days that the backup lacks.
            """)

    @OptionGroup var access: LedgerAccessOptions

    @Argument(help: "A file written by lockstep debt backup.")
    var file: String

    func run() throws {
        let settings = try access.settings()
        guard settings.database == nil else { throw LedgerError.shared(path: settings.ledger) }
        let directory = try LedgerAccessOptions.lock(settings.common.stateDirectory)
        umask(0o077)
        let restored: LedgerRestore
        do {
            restored = try LedgerRestore(from: file, to: settings.ledger)
        } catch let error as LedgerError {
            throw UsageError("\(error)")
        }
        withExtendedLifetime(directory) {}
        print("Restored the ledger of \(restored.spaces.map(\.rawValue).joined(separator: ", ")).")
        if let path = restored.formerPath { print("The previous ledger is in \(path).") }
    }
}
