// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Debt
import Glibc
import Platform
import Session
import Settings

struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copy the ledger into a file, while the service runs or not.")

    @OptionGroup var access: LedgerAccess

    @Argument(help: "The file, which must not exist.")
    var file: String

    func run() throws {
        guard Glibc.access(file, F_OK) != 0 else { throw UsageError("\(file) already exists") }
        umask(0o077)
        try access.withLedger { try $0.ledger.backUp(to: file) }
        print("The ledger is in \(file).")
    }
}

struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Replace the ledger by a backup. The service must not run.",
        discussion: """
            The backup is checked first, and not changed. The present ledger is renamed to ledger.sqlite.before-1, or the \
            next free number. When the service runs, nodes send again the records of the last 90 days that the backup lacks.
            """)

    @OptionGroup var access: LedgerAccess

    @Argument(help: "A file written by lockstep debt backup.")
    var file: String

    func run() throws {
        let settings = try access.settings()
        guard settings.database == nil else { throw LedgerError.shared(path: settings.ledger) }
        guard Glibc.access(file, R_OK) == 0 else { throw UsageError("\(file) cannot be read") }
        let directory = try LedgerAccess.lock(settings.node.stateDirectory)
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

struct MoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move", abstract: "Copy the ledger from a file to PostgreSQL, or back. No service may run.",
        discussion: """
            The target must be empty; both are compared afterwards. The source stays as it is. Then set LOCKSTEP_LEDGER, or \
            remove it, and start the service.
            """)

    @Argument(help: "The ledger that is copied: a file, or a URL such as postgresql://lockstep@db.example/lockstep.")
    var from: String

    @Argument(help: "The empty ledger: a file, which need not exist, or a URL.")
    var to: String

    func run() throws {
        umask(0o077)
        guard LedgerStore.isShared(from) || Glibc.access(from, R_OK) == 0 else {
            throw UsageError("\(from) cannot be read")
        }
        guard from != to else { throw UsageError("name two ledgers") }
        for url in [from, to] where LedgerStore.isShared(url) { _ = try DebtSettings.url(url, of: "a URL") }
        // A running service has locked the directory of its file, so that this fails.
        let locks = try [from, to].filter { $0.hasSuffix("/ledger.sqlite") }.map {
            try LedgerAccess.lock(Files.folder(of: $0))
        }
        let (source, target) = (try LedgerStore.reading(at: from), try LedgerStore(at: to))
        let moved = try LedgerMove(from: source, to: target)
        try source.close()
        try target.close()
        withExtendedLifetime(locks) {}
        print("Copied and compared \(moved.rows) rows.")
    }
}
