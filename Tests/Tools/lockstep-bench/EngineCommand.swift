// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Session

/// `lockstep-bench engine`: the inputs of a core per second.
struct EngineCommand: Measurement {
    static let configuration = CommandConfiguration(
        commandName: "engine",
        abstract: "Measure the inputs per second of the core without decoding, on one core.",
        discussion: """
            The mix is that of a node with eight peers: wakes, older and newer registers of peers, presences, and presses \
            whose journal is answered. What it asks for is looked at and not carried out. Instructions and allocations are \
            counted under valgrind, with those of making the inputs.
            """
    )

    @Option(help: "How many inputs.")
    var inputs = 2_000_000

    @Option(help: "For how many inputs instructions and allocations are counted; 0 for none.")
    var counted = 50_000
    @OptionGroup var output: OutputOptions

    func validate() throws {
        try require(inputs > 0 && counted >= 0, "--inputs is 1 or more, and --counted 0 or more")
    }

    func measure() async throws -> [Figure] {
        let work = try await WorkCount.figures("engine", per: "input", few: 10_000, many: 10_000 + counted) {
            ["engine", "--inputs", "\($0)", "--counted", "0"]
        }
        var mix = try EngineMix()
        var (count, time) = (0, Int64(0))
        while count < inputs {
            try Task.checkCancellation()
            let batch = mix.nextBatch()
            let start = Samples.processorTime()
            count += mix.handle(batch.prefix(inputs - count))
            time += Samples.processorTime() - start
        }
        return [Figure("engine", Double(count) * 1e9 / Double(time), "inputs/s", atLeast: 1_000_000)] + work
    }
}
