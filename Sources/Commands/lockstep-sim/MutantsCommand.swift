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

    @Option(help: "How many mutants to hunt at one time.")
    var jobs = 2

    @Option(help: "Writes a shrunken trace of each that was caught into this folder.", completion: .directory)
    var into: String?

    func validate() throws {
        if budget < 1 { throw ValidationError("--budget: at least 1.") }
        if !(1...64).contains(jobs) { throw ValidationError("--jobs: 1 to 64.") }
    }

    func run() async throws {
        var escaped = 0
        if Scenario.canary.run().violation?.check != .canary {
            print("canary: NOT REPORTED")
            escaped += 1
        }
        let width = Mutant.all.map(\.name.count).max() ?? 0
        for try await (mutant, verdict) in hunts() {
            let name = mutant.name + String(repeating: " ", count: width - mutant.name.count)
            if let verdict, let violation = verdict.violation {
                print("\(name)  caught at seed \(verdict.scenario.seed) by \(violation.check.rawValue)")
                try keep(verdict.scenario.shrunken(violating: violation.check, rules: mutant.rules), of: mutant)
            } else {
                print("\(name)  ESCAPED \(budget) seeds")
                escaped += 1
            }
        }
        if escaped > 0 { throw ExitCode(1) }
    }

    /// What came of each mutant, as it is known.
    private func hunts() -> AsyncThrowingStream<(Mutant, Verdict?), any Error> {
        let (first, budget, jobs) = (first, budget, jobs)
        return AsyncThrowingStream { continuation in
            // Ends with the stream: whoever stops reading cancels it.
            let hunting = Task {
                await withTaskGroup(of: (Mutant, Verdict?).self) { group in
                    var left = Mutant.all[...]
                    for mutant in left.prefix(jobs) {
                        group.addTask { (mutant, mutant.hunt(from: first, budget: budget)) }
                    }
                    left = left.dropFirst(jobs)
                    for await result in group {
                        continuation.yield(result)
                        guard let mutant = left.popFirst() else { continue }
                        group.addTask { (mutant, mutant.hunt(from: first, budget: budget)) }
                    }
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in hunting.cancel() }
        }
    }

    private func keep(_ scenario: @autoclosure () -> Scenario, of mutant: Mutant) throws {
        guard let into else { return }
        let path = "\(into)/mutant \(mutant.name).trace"
        guard let file = fopen(path, "w") else { throw UsageError("\(path) cannot be written") }
        defer { fclose(file) }
        fputs(scenario().text, file)
    }
}
