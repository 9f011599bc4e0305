// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Commands

/// `lockstep debt …` is `lockstep-debt …`, and by itself the week.
struct DebtCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "debt",
        abstract: "This week; correct, delete, import, backup and restore change the ledger, as --help tells.",
        helpNames: []
    )

    @Argument(
        parsing: .captureForPassthrough, help: "A subcommand of lockstep-debt and its options (default: show).",
        completion: .list(["show", "correct", "delete", "import", "backup", "restore"]))
    var arguments: [String] = []

    func run() throws {
        let first = arguments.first ?? ""
        guard first != "history" else { throw UsageError("the history has a command of its own: lockstep history") }
        // Without a subcommand it is the week, where lockstep-debt would be the service.
        let isWeek = first.isEmpty || (first.hasPrefix("-") && !["-h", "--help", "--version"].contains(first))
        try Sibling.become("lockstep-debt", (isWeek ? ["show"] : []) + arguments)
    }
}

struct HistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Lists all sessions, the latest last.",
        discussion: "It reads the ledger of the machine that lockstep-debt runs on.")

    @OptionGroup var options: HistoryOptions

    @OptionGroup(title: "Which ledger")
    var access: LedgerAccess

    func run() throws { try Sibling.become("lockstep-debt", ["history"] + access.arguments + options.arguments) }
}
