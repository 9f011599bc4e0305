// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

struct StatusBenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "The time of lockstep status, from start to exit.",
        discussion: "It runs the programs that stand beside this one, with a node that has a running session."
    )

    @Option(help: "How often.")
    var rounds = 100

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard rounds > 0 else { throw ValidationError("--rounds is 1 or more") }
    }

    func run() async throws {
        try await output.report { [self] in try await measure() }
    }

    func measure() async throws -> [Figure] {
        try await Workplace.withBroker { broker, directory in
            try await NodeProcess.with(broker, directory) { node in
                var times = Samples()
                for round in 0..<rounds {
                    try Task.checkCancellation()
                    Progress.say("status: \(round) of \(rounds) rounds")
                    let start = Samples.now()
                    let code = Child.wait(try Child.start("lockstep", ["status", "--socket", node.socket]))
                    times.add([Samples.now() - start])
                    guard code == 0 else { throw BenchError("lockstep status ended with \(code)") }
                }
                return [
                    Figure("status, p50", times.quantile(0.5) / 1_000, "ms", atMost: 30),
                    Figure("status, p99", times.quantile(0.99) / 1_000, "ms"),
                ]
            }
        }
    }
}
