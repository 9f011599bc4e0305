// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Debt
import Session
import Settings

/// `lockstep debt delete`: removes a session from all sums.
struct DeleteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Remove a session from all sums.",
        discussion: "The node's record stays in the ledger; lockstep debt correct restores the session.")

    @OptionGroup var access: LedgerAccessOptions

    @Argument(help: "The session id, as lockstep history prints it.")
    var session: String

    @Option(help: recordingNode)
    var recordedOn: String?

    func run() throws {
        let settings = try access.withLedger(writes: true) { opened in
            let entry = try opened.find(session, on: recordedOn)
            let latest = try opened.ledger.corrections(of: entry.record.key, in: opened.space).last
            let isDeleted = latest.map { $0.content == nil } ?? false
            if !isDeleted { try opened.correct(entry.record.key, to: nil) }
            let line = opened.line(of: entry, titled: entry.record.title)
            print(
                "\(isDeleted ? "Already removed" : "Removed") \(line) from all sums. To restore it: lockstep debt correct \(entry.record.id)"
            )
            return opened.settings
        }
        LedgerAccessOptions.notifyService(of: settings)
    }
}
