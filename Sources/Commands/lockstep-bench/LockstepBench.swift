// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Commands

/// `lockstep-bench`: how fast it is, against bare libmosquitto on the same broker in the same run.
@main
struct LockstepBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lockstep-bench",
        abstract: "Measures Lockstep against its goals.",
        discussion: """
            It runs a broker of its own on a free port of 127.0.0.1, and leaves nothing behind. Where a goal is a ratio, \
            Lockstep and bare libmosquitto take turns in one run, so that a busy machine weighs on both; absolute times \
            of two runs do not compare. Build it with -c release. The exit code is 1 when a goal is not met.
            """,
        version: Software.version,
        subcommands: [
            IntentCommand.self, FanoutCommand.self, IdleCommand.self, StatusBenchCommand.self, EngineCommand.self,
            AgreementCommand.self, TakeoverCommand.self, HealCommand.self, StreamsCommand.self, PageCommand.self,
            ListenBenchCommand.self, CalmBenchCommand.self, LedgerBenchCommand.self, AllCommand.self,
        ]
    )

    static func main() async {
        await CommandLineRunner.run(Self.self)
    }
}
