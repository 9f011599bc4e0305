// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Debt
import Settings

/// `lockstep-debt`: the service that keeps the ledger, and the commands that read and change it.
@main
struct LockstepDebt: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: CompanionExecutable.commandName(of: "lockstep-debt"),
        abstract: "Keep the ledger of all sessions, and compare the week with its goal.",
        discussion: """
            Without a subcommand lockstep-debt runs the service, which stores the records of the nodes and publishes the \
            weekly debt, and lockstep debt shows this week. Every option can also be set in the environment or in a file of KEY=VALUE lines, under the name at the \
            end of its help; debt.env, in /etc/lockstep or in Config of the sources, lists them. The other subcommands read and change the ledger of this machine, \
            whether the service runs or not (restore and move need it stopped). lockstep history lists the sessions.
            """,
        version: Software.version,
        subcommands: [
            ServeCommand.self, ShowCommand.self, AddCommand.self, CorrectCommand.self, DeleteCommand.self,
            ImportCommand.self, BackupCommand.self,
            RestoreCommand.self, MoveCommand.self, HistoryCommand.self, ExamineCommand.self,
        ],
        defaultSubcommand: ServeCommand.self
    )

    static func main() async {
        await CommandLineRunner.run(Self.self)
    }
}

/// `lockstep-debt serve`: runs the service.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Run the service, which stores records and publishes the weekly debt.")

    @OptionGroup var options: DebtOptions

    func run() async throws {
        let settings = try options.settings()
        settings.common.prepareProcess()
        try await DebtService.serve(settings)
    }
}
