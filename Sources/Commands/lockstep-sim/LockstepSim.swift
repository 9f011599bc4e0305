// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Commands

/// `lockstep-sim`: worlds of many nodes in virtual time, in which everything fails.
@main
struct LockstepSim: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lockstep-sim",
        abstract: "Runs the engine in simulated worlds in which everything fails, and checks what must always hold.",
        discussion: """
            A seed determines a world to the byte: its nodes, clocks, network, broker, what people do and what fails. \
            Each world has two parts. In the first everything may fail; then the faults stop, and all must settle. \
            The exit code is 1 when anything did not hold.
            """,
        version: Software.version,
        subcommands: [RunCommand.self, SeedCommand.self, ReplayCommand.self, MutantsCommand.self]
    )

    static func main() async {
        await CommandLineRunner.run(Self.self)
    }
}
