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
            What was in the ledger stays beside it as ledger.sqlite.before. Nodes send again what the backup lacks of the \
            last 90 days, as soon as the service runs.
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
        // Whether it is whole is known before anything is moved.
        let fresh = settings.ledger + ".new"
        for suffix in ["", "-wal", "-shm"] { unlink(fresh + suffix) }
        let backup = try Ledger(path: file)
        try backup.backUp(to: fresh)
        try backup.close()
        for suffix in ["-wal", "-shm", ""] where Glibc.access(settings.ledger + suffix, F_OK) == 0 {
            rename(settings.ledger + suffix, settings.ledger + ".before" + suffix)
        }
        guard rename(fresh, settings.ledger) == 0 else {
            throw UsageError("\(settings.ledger) cannot be replaced: \(String(cString: strerror(errno)))")
        }
        let count = try Ledger(path: settings.ledger)
        let spaces = try count.spaces()
        try count.close()
        withExtendedLifetime(directory) {}
        print("The ledger of \(spaces.map(\.rawValue).joined(separator: ", ")) is back.")
    }
}
