// SPDX-License-Identifier: Apache-2.0

import API
import Session
import Support
import Testing
import Wire

@testable import Calm

/// Compares the state with the reference over a thousand random sessions.
@Suite(.cpuBound) struct ReferenceTests {
    /// Counts the cases that occurred, so that a mistake in the stories cannot hide one.
    struct Seen {
        var readings = 0
        var trends: Set<CalmFeed.Trend> = []
        var restarts = 0
        var unheard = 0
    }

    @Test(arguments: 0..<10)
    func stateAgreesWithTheReference(hundred: Int) throws {
        var seen = Seen()
        for seed in hundred * 100..<hundred * 100 + 100 { try play(seed: seed, &seen) }
        #expect(seen.readings > 100)
        #expect(seen.restarts > 0)
        #expect(seen.unheard > 0)
        #expect(!seen.trends.isEmpty)
    }

    private func play(seed: Int, _ seen: inout Seen) throws {
        let story = try Story(seed: seed)
        var random = Random(seed: UInt64(seed) + 1_000_000)
        var (state, reference) = (CalmState(threshold: story.threshold), Reference())
        var current: Register?
        var held: [NodeID: Register] = [:]
        var compared = 0
        for (at, event) in story.events where at <= story.end + 60_000 {
            switch event {
            case .sample(let sample):
                state.meter.add(sample, at: BootTime(at))
                reference.hear(sample, at: at)
            case .register(let register):
                held[register.owner] = register
                current = register
                _ = state.update(register) { held[$0] }
                reference.hear(register)
            case .restart:
                seen.restarts += 1
                let before = current.flatMap { reading(state, $0, at: at) }
                state = try ReportJSON.decode(from: ReportJSON.encode(state))
                #expect(current.flatMap { reading(state, $0, at: at) } == before, "seed \(seed): a restart jumps")
            }
            guard let current, compared < 1, random.chance(1) else { continue }
            compared += 1
            try compare(state, reference, current, story, seed: seed, at: at, &seen)
        }
        let register = try #require(current)
        try compare(state, reference, register, story, seed: seed, at: story.end + 60_000, &seen)
    }

    private func compare(
        _ state: CalmState, _ reference: Reference, _ register: Register, _ story: Story, seed: Int, at now: Int64,
        _ seen: inout Seen
    ) throws {
        guard let feed = reading(state, register, at: now) else { return }
        let found = reference.found(at: now, threshold: story.threshold)
        seen.readings += 1
        if found.coverage < 80 { seen.unheard += 1 }
        // Rounding is off by half a point at most.
        #expect(abs(Double(feed.coverage) - found.coverage) <= 0.5001, "seed \(seed) at \(now)")
        #expect(abs(Double(feed.percent) - found.percent) <= 0.5001, "seed \(seed) at \(now)")
        guard let change = found.change else { return }
        guard found.hasTrend else {
            #expect(feed.trend == nil, "seed \(seed) at \(now)")
            return
        }
        if let trend = feed.trend { seen.trends.insert(trend) }
        guard abs(abs(change) - 5) > 0.5 else { return }
        #expect(feed.trend == (change > 5 ? .rising : change < -5 ? .falling : .steady), "seed \(seed) at \(now)")
    }

    private func reading(_ state: CalmState, _ register: Register, at now: Int64) -> CalmFeed? {
        var state = state
        let view = View(register: register, anchorBoot: register.anchor.boot)
        return view.lastMoment(at: BootTime(now)).flatMap { state.feed(of: $0) }
    }
}
