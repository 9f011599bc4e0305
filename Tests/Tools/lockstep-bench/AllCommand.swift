// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `lockstep-bench all`: every other measurement, with its defaults.
struct AllCommand: Measurement {
    static let configuration = CommandConfiguration(
        commandName: "all",
        abstract: "Run every measurement with its defaults, and print one table."
    )

    /// Every other measurement.
    static let parts: [any Measurement.Type] = [
        EngineCommand.self, StatusBenchCommand.self, IntentCommand.self, FanoutCommand.self, IdleCommand.self,
        PageCommand.self, LedgerBenchCommand.self,
    ]

    @OptionGroup var output: OutputOptions

    func measure() async throws -> [Figure] {
        var figures: [Figure] = []
        for part in Self.parts { figures += try await part.parse([]).measure() }
        return figures
    }
}
