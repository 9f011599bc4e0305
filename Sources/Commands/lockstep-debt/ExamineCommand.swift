// SPDX-License-Identifier: Apache-2.0

import API
import ArgumentParser
import Debt
import Settings

/// `lockstep-debt examine`: prints the state of the ledger for `lockstep doctor`.
struct ExamineCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "examine", abstract: "Print the state of the ledger as JSON, for lockstep doctor.",
        shouldDisplay: false)

    @OptionGroup var access: LedgerAccessOptions

    func run() throws {
        let findings = try LedgerExamination.findings(try access.settings())
        print(ReportJSON.text(findings))
    }
}
