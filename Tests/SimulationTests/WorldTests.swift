// SPDX-License-Identifier: Apache-2.0

import Simulation
import Support
import Testing

@Suite(.computing) struct WorldTests {
    /// As many as a build without optimisation can run beside all other tests; `Deploy/test` runs thousands.
    @Test func seeds() async {
        let summary = await Campaign(count: 150, jobs: 2).run()
        let found = summary.failures.map { "seed \($0.scenario.seed): \($0.violation?.description ?? "")" }
        #expect(found.isEmpty)
        #expect(summary.seeds == 150)
    }

    /// What was once found wrong stays right.
    @Test(arguments: Kept.traces) func trace(trace: Kept.Trace) throws {
        let verdict = try Scenario(text: trace.text).run()
        #expect(verdict.violation == nil, "\(trace.name): \(verdict.violation?.description ?? "")")
    }

    @Test func tracesAreKept() {
        #expect(!Kept.traces.isEmpty)
    }
}
