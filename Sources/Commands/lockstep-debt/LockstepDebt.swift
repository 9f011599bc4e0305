// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Commands
import Glibc
import Logging
import Shell

/// `lockstep-debt`: the ledger, and what is missing to the week's goal.
@main
struct LockstepDebt: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lockstep-debt",
        abstract: "Keeps the ledger of all sessions, and says how the week stands against its goal.",
        discussion: """
            Without a subcommand it is the service: it takes down what nodes record, and publishes the weekly debt. \
            Every option can be given in the environment or in a file of KEY=VALUE lines as well, under the name that \
            stands with it; Config/debt.env lists them. The other subcommands read and change the ledger of this \
            machine, while the service runs or not, but for restore; lockstep history lists what is in it.
            """,
        version: Software.version,
        subcommands: [
            Serve.self, Show.self, Correct.self, Delete.self, ImportCommand.self, Backup.self, Restore.self,
            History.self, Examination.self,
        ],
        defaultSubcommand: Serve.self
    )

    static func main() async {
        // Nobody who is gone is written to; a write tells.
        signal(SIGPIPE, SIG_IGN)
        await CommandLineRunner.run(Self.self)
    }
}

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "The service: takes down records, and publishes the weekly debt.")

    @OptionGroup var options: DebtOptions

    func run() async throws {
        let settings = try options.settings()
        umask(0o077)
        LoggingSystem.bootstrap { label in
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = settings.node.logLevel
            return handler
        }
        try await DebtProcess(settings: settings).run()
    }
}
