// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

struct AllCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "all",
        abstract: "Everything, with the defaults of each measurement, as one table."
    )

    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.report {
            try await EngineCommand.parse([]).measure() + StatusBenchCommand.parse([]).measure()
                + IntentCommand.parse([]).measure() + FanoutCommand.parse([]).measure()
                + IdleCommand.parse([]).measure() + TakeoverCommand.parse([]).measure()
                + HealCommand.parse([]).measure() + AgreementCommand.parse([]).measure()
                + StreamsCommand.parse([]).measure() + PageCommand.parse([]).measure()
                + ListenBenchCommand.parse([]).measure() + CalmBenchCommand.parse([]).measure()
                + LedgerBenchCommand.parse([]).measure()
        }
    }
}
