// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Debt
import Glibc
import Platform
import Settings

/// `lockstep debt backup`: copies the ledger into a file.
struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copy the ledger into a file, while the service runs or not.")

    @OptionGroup var access: LedgerAccessOptions

    @Argument(help: "The file, which must not exist.")
    var file: String

    func run() throws {
        guard Glibc.access(file, F_OK) != 0 else { throw UsageError("\(file) already exists; choose another name") }
        let folder = Files.folder(of: file)
        guard Glibc.access(folder, F_OK) == 0 else {
            throw UsageError("the backup file \(file) cannot be made: there is no folder \(folder)")
        }
        umask(0o077)
        try access.withLedger { try $0.ledger.backUp(to: file) }
        print("The ledger is in \(file).")
    }
}
