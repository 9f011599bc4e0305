// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Session

struct EngineCommand: Measurement {
    static let configuration = CommandConfiguration(
        commandName: "engine",
        abstract: "Measure the inputs per second of the engine alone, on one core.",
        discussion: """
            The mix is that of a node with eight peers: wakes, older and newer registers of peers, presences, and presses \
            whose journal is answered. What it asks for is looked at and not carried out.
            """
    )

    @Option(help: "How many inputs.")
    var inputs = 2_000_000

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard inputs > 0 else { throw ValidationError("--inputs is 1 or more") }
    }

    func measure() throws -> [Figure] {
        var mix = try EngineMix()
        var (count, time) = (0, Int64(0))
        while count < inputs {
            try Task.checkCancellation()
            let batch = mix.nextBatch()
            let start = Samples.processorTime()
            count += mix.handle(batch)
            time += Samples.processorTime() - start
        }
        return [Figure("engine", Double(count) * 1e9 / Double(time), "inputs/s", atLeast: 1_000_000)]
    }
}
