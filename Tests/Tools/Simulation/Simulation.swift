// SPDX-License-Identifier: Apache-2.0

/// The result of one scenario.
package struct Verdict: Hashable, Sendable {
    package var scenario: Scenario
    package var violation: Violation?
    package var counters: Counters
    package var events: Int
    /// A hash of each published byte and its time.
    package var hash: UInt64
    package var lines: [String]
}

extension Scenario {
    /// Runs the world of this scenario, with every rule but the mutant's, to its settled end or the first violation.
    package func run(under mutant: Mutant? = nil, isTelling: Bool = false) -> Verdict {
        if let mutant { return mutant.run { run(isTelling: isTelling) } }
        var world = World(self, isTelling: isTelling)
        world.run()
        return Verdict(
            scenario: self, violation: world.violation, counters: world.counters, events: world.trace.count,
            hash: world.trace.hash, lines: world.trace.lines)
    }

    /// Shrinks the scenario to one that violates the same check, by delta debugging over the acts, then over the mix.
    /// `attempts` is the largest number of worlds to run.
    package func shrunken(violating check: Check, under mutant: Mutant? = nil, attempts: Int = 2_000) -> Scenario {
        var best = self
        var left = attempts
        func fails(_ scenario: Scenario) -> Bool {
            left -= 1
            return left >= 0 && scenario.run(under: mutant).violation?.check == check
        }
        var size = max(1, best.acts.count / 2)
        while left > 0 {
            var didShrink = false
            var from = 0
            while from < best.acts.count, left > 0 {
                var candidate = best
                candidate.acts.removeSubrange(from..<min(from + size, best.acts.count))
                if fails(candidate) {
                    best = candidate
                    didShrink = true
                } else {
                    from += size
                }
            }
            if size == 1, !didShrink { break }
            if !didShrink || size > best.acts.count { size = max(1, size / 2) }
        }
        for simplify in best.mix.simplifications {
            var candidate = best
            simplify(&candidate.mix)
            if candidate != best, fails(candidate) { best = candidate }
        }
        return best
    }
}

extension Mix {
    fileprivate var simplifications: [@Sendable (inout Mix) -> Void] {
        [
            { $0.dialects = 0 }, { $0.drift = 0 }, { $0.skew = 0 }, { $0.wakeLate = 0 }, { $0.inflight = 0 },
            { $0.halves = 1 }, { $0.noRetained = 0 }, { $0.noLocal = 0 }, { $0.reorders = 0 }, { $0.drops = 0 },
            { $0.duplicates = 0 },
            { $0.jitter = 0 }, { $0.latency = 1_000 },
        ]
    }
}
