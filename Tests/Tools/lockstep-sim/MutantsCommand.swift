// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Settings
import Simulation

/// `lockstep-sim mutants`: the proof of the simulator.
struct MutantsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mutants",
        abstract: "Run engines that lack one rule each. Every one must be caught, and so must a planted violation.",
        discussion: """
            A program that ships has no switch for a rule. Tests/Mutants/make builds a lockstep-sim that has.

            With --kept each trace of a folder is replayed under the mutant that its header names. A trace in which that \
            mutant does not fail is stale, which is a failure. Mutants without a trace are hunted.
            """)

    @Option(help: "Give up on a mutant after this many seeds.")
    var budget = 2_000

    @Option(help: "Start with this seed.")
    var first: UInt64 = 1

    @Option(help: "Hunt this many mutants at a time.")
    var jobs = 2

    @Option(help: "Write a shrunken trace of each hunted mutant into this folder.", completion: .directory)
    var into: String?

    @Option(help: "Replay the traces of this folder.", completion: .directory)
    var kept: String?

    @Flag(help: "Print all mutants that fail in each kept trace, and exit.")
    var match = false

    func validate() throws {
        try Mutant.requireBuilt()
        if budget < 1 { throw ValidationError("--budget: at least 1.") }
        if !(1...64).contains(jobs) { throw ValidationError("--jobs: 1 to 64.") }
        if match, kept == nil { throw ValidationError("--match needs --kept.") }
    }

    func run() async throws {
        let traces = try kept.map { try TraceFolder.traces(in: $0) } ?? []
        if match { return await printMatches(traces) }
        var failures = 0
        if Scenario.canary.run().violation?.check != .canary {
            print("canary: NOT REPORTED")
            failures += 1
        }
        for (trace, violation) in await Self.inParallel(traces, jobs: jobs, { $0.violationUnderMutant() }) {
            if trace.mutant == nil, trace.isWithoutRule { continue }
            print("\(trace.name): \(violation.map { "caught by \($0.check.rawValue)" } ?? "STALE, \(trace.rule)")")
            if violation == nil { failures += 1 }
        }
        let kept = Set(traces.filter(\.isForMutant).map(\.rule))
        let (first, budget) = (first, budget)
        let hunted = Mutant.all.filter { !kept.contains($0.name) }
        for (mutant, verdict) in await Self.inParallel(hunted, jobs: jobs, { $0.hunt(from: first, budget: budget) }) {
            if try !report(verdict, of: mutant) { failures += 1 }
        }
        if failures > 0 { throw ExitCode(1) }
    }

    private func printMatches(_ traces: [KeptTrace]) async {
        let matches = await Self.inParallel(traces, jobs: jobs) { trace in
            Mutant.all.compactMap { mutant in
                trace.scenario.run(under: mutant).violation.map { "\(mutant.name) (\($0.check.rawValue))" }
            }
        }
        for (trace, names) in matches { print("\(trace.name): \(names.joined(separator: ", "))") }
    }

    /// Computes a value for each element, `jobs` at a time. Returns both in the order of the elements.
    private static func inParallel<Element: Sendable, Value: Sendable>(
        _ elements: [Element], jobs: Int, _ body: @escaping @Sendable (Element) -> Value
    ) async -> [(Element, Value)] {
        await withTaskGroup(of: (Int, Value).self) { group in
            var values: [Int: Value] = [:]
            for (number, element) in elements.enumerated() {
                if number >= jobs, let (place, value) = await group.next() { values[place] = value }
                group.addTask { (number, body(element)) }
            }
            for await (place, value) in group { values[place] = value }
            return elements.enumerated().compactMap { number, element in values[number].map { (element, $0) } }
        }
    }

    /// Prints the outcome of a hunt and writes the trace. Returns whether the mutant was caught.
    private func report(_ verdict: Verdict?, of mutant: Mutant) throws -> Bool {
        guard let verdict, let violation = verdict.violation else {
            print("\(mutant.name): ESCAPED \(budget) seeds")
            return false
        }
        print("\(mutant.name): caught at seed \(verdict.scenario.seed) by \(violation.check.rawValue)")
        guard let into else { return true }
        let scenario = verdict.scenario.shrunken(violating: violation.check, under: mutant)
        let name = mutant.name.filter { $0 != "'" }.map { $0 == " " ? "-" : $0 }
        let text = "# went wrong: nothing; this world catches the mutant.\n# rule: \(mutant.name)\n\(scenario.text)"
        try TraceFolder.write(text, to: "\(into)/mutant-\(String(name).lowercased()).trace")
        return true
    }
}

extension Mutant {
    /// Ends a command that needs mutants in a build without them.
    static func requireBuilt() throws {
        if areBuilt { return }
        throw ValidationError(
            """
            This lockstep-sim can leave out no rule, since it has the code that ships. Tests/Mutants/make builds one that can: \
            .build/mutants/lockstep-sim.
            """)
    }
}
