// SPDX-License-Identifier: Apache-2.0

import Simulation
import Support
import Testing

/// The simulator's own proof: what it must find, it finds, and what it does is determined.
@Suite(.computing) struct ProofTests {
    @Test func aPlantedViolationIsReported() {
        #expect(Scenario.canary.run().violation?.check == .canary)
    }

    @Test(arguments: Mutant.all) func everyMutantIsCaught(mutant: Mutant) throws {
        // Its own trace says it quickly, unless the engine has changed so much that the trace goes another way.
        let kept = try Kept.mutants[mutant.name].map { try Scenario(text: $0).run(rules: mutant.rules) }
        if kept?.violation != nil { return }
        #expect(mutant.hunt(budget: 150) != nil, "nothing found wrong with: \(mutant.name)")
    }

    @Test(arguments: [UInt64(3), 11, 70, 99]) func oneSeedIsOneWorld(seed: UInt64) {
        let first = Scenario(seed: seed).run(isTelling: true)
        let second = Scenario(seed: seed).run(isTelling: true)
        #expect(first == second)
        #expect(!first.lines.isEmpty)
        #expect(first.hash == Scenario(seed: seed).run().hash, "telling changes nothing")
    }

    @Test func otherSeedsAreOtherWorlds() {
        let hashes = Set((1...10).map { Scenario(seed: $0).run().hash })
        #expect(hashes.count == 10)
    }

    @Test(arguments: UInt64(1)...50) func aTraceIsReadBack(seed: UInt64) throws {
        let scenario = Scenario(seed: seed)
        #expect(try Scenario(text: scenario.text) == scenario)
    }

    @Test func aBadTraceIsSaid() {
        for text in ["", "seed 1", "lockstep trace 1\nseed x", "lockstep trace 1\nseed 1\n5 a dance"] {
            #expect(throws: TraceError.self) { try Scenario(text: text) }
        }
    }

    @Test func aFailureIsShrunken() throws {
        let mutant = try #require(Mutant.all.first)
        let verdict = try #require(mutant.hunt(budget: 20))
        let violation = try #require(verdict.violation)
        let short = verdict.scenario.shrunken(violating: violation.check, rules: mutant.rules, attempts: 300)
        #expect(short.acts.count < verdict.scenario.acts.count)
        #expect(short.run(rules: mutant.rules).violation?.check == violation.check)
    }
}
