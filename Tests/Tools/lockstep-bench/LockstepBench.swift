// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Settings

/// `lockstep-bench`: measures Lockstep against bare libmosquitto on the same broker in the same run.
@main
struct LockstepBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lockstep-bench",
        abstract: "Measure Lockstep against its goals.",
        discussion: """
            It runs its own broker on a free port of 127.0.0.1, and leaves no files. If a goal is a ratio, Lockstep and \
            bare libmosquitto alternate in one run, so that a busy machine slows both; absolute times of two runs cannot \
            be compared. Build it with -c release. The exit code is 1 if a goal is not met.
            """,
        version: Software.version,
        subcommands: AllCommand.parts + [AllCommand.self]
    )

    static func main() async {
        await CommandLineRunner.run(Self.self)
    }
}
