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

    @Option(
        help: "A folder of traces: a mutant that outlives its seeds must fail in its own trace.", completion: .directory
    )
    var kept: String?

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
        let (first, budget) = (first, budget)
        try await withThrowingTaskGroup(of: (Mutant, Verdict?).self) { group in
            for (number, mutant) in Mutant.all.enumerated() {
                if number >= jobs, let (hunted, verdict) = try await group.next() {
                    escaped += try tell(verdict, of: hunted)
                }
                group.addTask { (mutant, mutant.hunt(from: first, budget: budget)) }
            }
            for try await (hunted, verdict) in group { escaped += try tell(verdict, of: hunted) }
        }
        if escaped > 0 { throw ExitCode(1) }
    }

    /// Says what came of a mutant, and keeps the trace.
    /// - Returns: How many have escaped: 0 or 1.
    private func tell(_ verdict: Verdict?, of mutant: Mutant) throws -> Int {
        let width = Mutant.all.map(\.name.count).max() ?? 0
        let name = mutant.name + String(repeating: " ", count: width - mutant.name.count)
        guard let verdict, let violation = verdict.violation else {
            let trace = "\(kept ?? "")/\(Self.file(of: mutant))"
            if kept != nil, access(trace, R_OK) == 0,
                let found = try ReplayCommand.scenario(in: trace).run(rules: mutant.rules).violation
            {
                print("\(name)  caught in its trace by \(found.check.rawValue)")
                return 0
            }
            print("\(name)  ESCAPED \(budget) seeds")
            return 1
        }
        print("\(name)  caught at seed \(verdict.scenario.seed) by \(violation.check.rawValue)")
        try keep(verdict.scenario.shrunken(violating: violation.check, rules: mutant.rules), of: mutant)
        return 0
    }

    private static func file(of mutant: Mutant) -> String { "mutant \(mutant.name).trace" }

    private func keep(_ scenario: @autoclosure () -> Scenario, of mutant: Mutant) throws {
        guard let into else { return }
        let path = "\(into)/\(Self.file(of: mutant))"
        guard let file = fopen(path, "w") else { throw UsageError("\(path) cannot be written") }
        defer { fclose(file) }
        fputs(scenario().text, file)
    }
}
