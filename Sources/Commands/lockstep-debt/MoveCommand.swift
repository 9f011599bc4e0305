// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Debt
import Glibc
import Platform
import Settings

/// `lockstep debt move`: copies the ledger to another database.
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
            throw UsageError("\(from) cannot be read: \(String(cString: strerror(errno)))")
        }
        guard from != to else { throw UsageError("name two ledgers") }
        for url in [from, to] where LedgerStore.isShared(url) { _ = try DebtSettings.url(url, of: "a URL") }
        // A running service has locked the directory of its file, so that this fails.
        let locks = try [from, to].filter { $0.hasSuffix("/ledger.sqlite") }.map {
            try LedgerAccessOptions.lock(Files.folder(of: $0))
        }
        let (source, target) = (try LedgerStore.reading(at: from), try LedgerStore(at: to))
        let moved = try LedgerMove(from: source, to: target)
        try source.close()
        try target.close()
        withExtendedLifetime(locks) {}
        print("Copied and compared \(moved.rows) rows.")
    }
}
