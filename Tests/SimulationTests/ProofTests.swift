// SPDX-License-Identifier: Apache-2.0

import Simulation
import Support
import Testing

/// The proof of the simulator: it reports a violation, and a seed determines a world.
@Suite(.cpuBound) struct ProofTests {
    @Test func plantedViolationIsReported() {
        #expect(Scenario.canary.run().violation?.check == .canary)
    }

    @Test func seedDeterminesAWorld() {
        let first = Scenario(seed: 3).run(isTelling: true)
        #expect(first == Scenario(seed: 3).run(isTelling: true))
        #expect(!first.lines.isEmpty)
        #expect(first.hash == Scenario(seed: 3).run().hash, "telling changes nothing")
        #expect(first.hash != Scenario(seed: 11).run().hash)
    }

    @Test(arguments: UInt64(1)...50) func traceIsReadBack(seed: UInt64) throws {
        let scenario = Scenario(seed: seed)
        #expect(try Scenario(text: scenario.text) == scenario)
    }

    @Test func badTraceIsRefused() {
        for text in ["", "seed 1", "lockstep trace 1\nseed x", "lockstep trace 1\nseed 1\n5 a dance"] {
            #expect(throws: TraceError.self) { try Scenario(text: text) }
        }
    }

    @Test func failureIsShrunken() {
        var scenario = Scenario(seed: 1)
        scenario.mix.canary = 1
        let short = scenario.shrunken(violating: .canary)
        #expect(!scenario.acts.isEmpty)
        #expect(short.acts.isEmpty)
        #expect(short.run().violation?.check == .canary)
    }
}
