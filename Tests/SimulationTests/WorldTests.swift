// SPDX-License-Identifier: Apache-2.0

import Simulation
import Support
import Testing

@Suite(.cpuBound) struct WorldTests {
    /// A build without optimisation takes seconds for each; `Deploy/test` runs a thousand.
    @Test func seedsViolateNothing() async {
        let summary = await Campaign(count: 2, jobs: 2).run()
        let found = summary.failures.map { "seed \($0.scenario.seed): \($0.violation?.description ?? "")" }
        #expect(found.isEmpty)
        #expect(summary.seeds == 2)
    }

    @Test(arguments: Kept.traces) func keptTraceViolatesNothing(trace: KeptTrace) {
        #expect(trace.scenario.run().violation == nil)
    }
}

@Suite(.cpuBound) struct TraceTests {
    /// The traces without a rule. To keep one more, state its reason and raise this number.
    private static let withoutRule = 24

    @Test(arguments: Kept.traces.filter { !$0.isWithoutRule })
    func headerNamesAMutant(trace: KeptTrace) {
        #expect(trace.mutant != nil, "no mutant is called “\(trace.rule)”")
    }

    @Test func fewTracesAreKeptWithoutARule() {
        #expect(Kept.traces.count { $0.isWithoutRule } == Self.withoutRule)
    }

    @Test func everyMutantHasATrace() {
        let traced = Set(Kept.traces.filter(\.isForMutant).map(\.rule))
        #expect(Mutant.all.map(\.name).filter { !traced.contains($0) } == [])
    }

    @Test func eachMutantLacksAnotherRule() {
        #expect(Set(Mutant.all.map(\.rule)).count == Mutant.all.count)
    }

    @Test func everyFileIsATrace() {
        #expect(!Kept.names.isEmpty)
        #expect(Kept.traces.map { "\($0.name).trace" } == Kept.names)
    }

    @Test(arguments: Kept.traces) func headerStatesTheCauseInASentence(trace: KeptTrace) {
        let words = trace.cause.lowercased().filter { $0.isLetter || $0.isNumber || $0 == " " }
        #expect(words.split(separator: " ").joined(separator: "-") != trace.name)
        #expect(trace.cause.hasSuffix("."))
        #expect(!trace.rule.isEmpty)
    }

    @Test(arguments: Kept.traces) func nameIsPlain(trace: KeptTrace) {
        #expect(trace.name.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" })
        #expect(!trace.name.contains("-seed-"))
    }
}
