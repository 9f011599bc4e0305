// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Settings

/// `lockstep-sim`: simulated worlds of many nodes in virtual time, with faults.
@main
struct LockstepSim: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lockstep-sim",
        abstract: "Run the engine in simulated worlds with faults, and check the invariants.",
        discussion: """
            A seed determines a world to the byte: its nodes, clocks, network and broker, the acts of people, and the \
            faults. In the first part of a world everything may fail; then the faults stop, and the world must settle. \
            The exit code is 1 if a check failed.
            """,
        version: Software.version,
        subcommands: [RunCommand.self, SeedCommand.self, ReplayCommand.self, MutantsCommand.self]
    )

    static func main() async {
        await CommandLineRunner.run(Self.self)
    }
}
