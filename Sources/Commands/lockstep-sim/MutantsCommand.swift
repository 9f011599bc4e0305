// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Commands
import Glibc
import Simulation

/// `lockstep-sim mutants`: the simulator's own proof.
struct MutantsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mutants",
        abstract: "Runs engines that lack one rule each; every one must be caught, and so must the canary.")

    @Option(help: "How many seeds each may live through.")
    var budget = 2_000

    @Option(help: "The first seed.")
    var first: UInt64 = 1

    @Option(help: "Writes a shrunken trace of each that was caught into this folder.", completion: .directory)
    var into: String?

    func run() async throws {
        var escaped = 0
        if Scenario.canary.run().violation?.check != .canary {
            print("canary: NOT REPORTED")
            escaped += 1
        }
        let width = Mutant.all.map(\.name.count).max() ?? 0
        for mutant in Mutant.all {
            let name = mutant.name + String(repeating: " ", count: width - mutant.name.count)
            if let verdict = mutant.hunt(from: first, budget: budget), let violation = verdict.violation {
                print("\(name)  caught at seed \(verdict.scenario.seed) by \(violation.check.rawValue)")
                try keep(verdict.scenario.shrunken(violating: violation.check, rules: mutant.rules), of: mutant)
            } else {
                print("\(name)  ESCAPED \(budget) seeds")
                escaped += 1
            }
        }
        if escaped > 0 { throw ExitCode(1) }
    }

    private func keep(_ scenario: @autoclosure () -> Scenario, of mutant: Mutant) throws {
        guard let into else { return }
        let path = "\(into)/mutant \(mutant.name).trace"
        guard let file = fopen(path, "w") else { throw UsageError("\(path) cannot be written") }
        defer { fclose(file) }
        fputs(scenario().text, file)
    }
}
