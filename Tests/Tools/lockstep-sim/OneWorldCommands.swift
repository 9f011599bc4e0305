// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Settings
import Simulation

/// `lockstep-sim seed`: the world of one seed.
struct SeedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "seed", abstract: "Print the events in the world of one seed, and a hash of them.")

    @Argument(help: "Run this seed.")
    var seed: UInt64

    @Flag(help: "Print only the acts, as a file for replay.")
    var acts = false

    func run() async throws {
        let scenario = Scenario(seed: seed)
        if acts { return print(scenario.text, terminator: "") }
        try tell(scenario)
    }
}

/// `lockstep-sim replay`: the world of one trace.
struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "Run a trace from a file and print the events in its world.")

    @Argument(help: "Read this file, with the text that a failure printed.", completion: .file())
    var file: String

    @Option(help: "Run the engine without the rule of this mutant.")
    var mutant: String?

    func validate() throws {
        guard let mutant else { return }
        try Mutant.requireBuilt()
        if !Mutant.all.contains(where: { $0.name == mutant }) {
            throw ValidationError("--mutant: there is no mutant “\(mutant)”.")
        }
    }

    func run() async throws {
        try tell(TraceFolder.trace(file).scenario, under: Mutant.all.first { $0.name == mutant })
    }
}

/// Prints a world. The exit code is 1 if a check failed.
private func tell(_ scenario: Scenario, under mutant: Mutant? = nil) throws {
    let verdict = scenario.run(under: mutant, isTelling: true)
    for line in verdict.lines { print(line) }
    print("\(verdict.events) events, hash \(String(verdict.hash, radix: 16))")
    guard let violation = verdict.violation else { return }
    CommandLineRunner.say("lockstep-sim: seed \(scenario.seed): \(violation)")
    throw ExitCode(1)
}
