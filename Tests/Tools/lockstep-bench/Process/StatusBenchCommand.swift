// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Harness
import Settings
import Subprocess

/// `lockstep-bench status`: the time of `lockstep status`.
struct StatusBenchCommand: Measurement {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Measure the time of lockstep status, from start to exit.",
        discussion: "It runs the programs in the folder of this one, with a node that has a running session."
    )

    @Option(help: "How many times the command is run.")
    var rounds = 100
    @OptionGroup var output: OutputOptions

    func validate() throws { try require(rounds > 0, "--rounds is 1 or more") }

    func measure() async throws -> [Figure] {
        try await BenchDirectory.withBroker { broker, directory in
            try await NodeProcess.with(broker, directory) { node in
                var times = Samples()
                for round in 0..<rounds {
                    try Task.checkCancellation()
                    ProgressLine.show("status: \(round) of \(rounds) rounds")
                    let start = Samples.now()
                    let status = try await Child.run("lockstep", ["status", "--socket", node.socket])
                    times.add([Samples.now() - start])
                    guard status.isSuccess else { throw Failed("lockstep status ended with \(status)") }
                }
                return [
                    times.figure("status, p50", 0.5, atMost: 12),
                    times.figure("status, p99", 0.99),
                ]
            }
        }
    }
}
