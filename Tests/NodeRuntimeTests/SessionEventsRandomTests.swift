// SPDX-License-Identifier: Apache-2.0

import API
import Support
import Testing

@testable import NodeRuntime
@testable import Session

/// Random sessions, and a node that sees some of their changes, sees some twice, and restarts.
@Suite(.cpuBound) struct SessionEventsRandomTests {
    /// The key of an event that may be reported only once.
    private struct Told: Hashable {
        var lineage: SessionID
        var name: EventName
        /// Distinguishes pauses, phases and losses.
        var at: GroupTime
        var phase: Int
    }

    /// Plays random changes; returns the events in order.
    private func play(seed: UInt64, steps: Int, sees: Double) throws -> (told: [SessionEvent], script: SessionScript) {
        var random = Random(seed: seed)
        var script = SessionScript()
        script.node = NodeID(["kitchen", "desk"][Int.random(in: 0...1, using: &random)])
        var seen: [Register] = []
        var all: [SessionEvent] = []
        let plans = ["focus 25m", "focus 25m, shortBreak 5m, focus 25m", "(work 40s, rest 20s) x4"]
        for _ in 0..<steps {
            script.passes(Int64.random(in: 1...400, using: &random))
            switch Int.random(in: 0...11, using: &random) {
            case 0:
                try script.begin(
                    plans[Int.random(in: 0...2, using: &random)], on: Bool.random(using: &random) ? "desk" : "pi",
                    autoAdvance: Bool.random(using: &random), alarm: Bool.random(using: &random),
                    overtime: Bool.random(using: &random))
            case 1 where script.register != nil: try script.goesOn(on: Bool.random(using: &random) ? "desk" : "pi")
            case 2...7 where script.register != nil:
                let operations = IntentOperation.samples
                let operation = operations[Int.random(in: 0..<operations.count, using: &random)]
                var changed = try script.present()
                if changed.perform(operation, defaults: SessionDefaults()) == .applied {
                    script.register = changed
                    script.register?.rev += 1
                }
            case 8: try script.restarts()
            case 9: if let old = seen.randomElement(using: &random) { all += script.looks(at: old) }
            case 10:
                let isLost = script.contactLostAt == nil && script.register?.owner != script.node
                script.contactLostAt = isLost ? script.now : nil
            default: break
            }
            guard script.register != nil, Double.random(in: 0..<1, using: &random) < sees else { continue }
            if let register = script.register { seen.append(register) }
            all += script.looks()
            let again = script.looks()
            #expect(again.isEmpty, "seed \(seed): \(again.map(\.name)) again")
        }
        return (all, script)
    }

    @Test(arguments: 0..<150 as Range<UInt64>, [1.0, 0.4])
    func noEventIsReportedTwice(seed: UInt64, sees: Double) throws {
        let (told, script) = try play(seed: seed, steps: 120, sees: sees)
        var once: Set<Told> = []
        for event in told {
            let isOncePerSession = [.started, .completed, .stopped].contains(event.name)
            let key = Told(
                lineage: event.register.lineage, name: event.name, at: isOncePerSession ? 0 : event.at,
                phase: event.name == .phase ? event.register.phase : 0)
            #expect(once.insert(key).inserted, "seed \(seed): \(event.name) of \(event.register.id) twice")
            #expect(event.at <= script.now)
            #expect(event.moment != nil)
            #expect(event.register.lineage != event.register.supersededBy?.session)
        }
    }

    @Test(arguments: 0..<50 as Range<UInt64>)
    func lastEventMatchesTheLastStatus(seed: UInt64) throws {
        let (told, script) = try play(seed: seed, steps: 120, sees: 0.5)
        guard let last = script.events.known.last else { return }
        let ends: [EventName: Status] = [
            .completed: .completed, .stopped: .stopped, .paused: .paused, .resumed: .running, .started: .running,
        ]
        let state = told.last { $0.register.lineage == last.lineage && ends[$0.name] != nil }
        if last.status == .completed || last.status == .stopped || last.status == .paused {
            #expect(state.flatMap { ends[$0.name] } == last.status, "seed \(seed)")
        }
    }

    @Test func everyEventHappens() throws {
        var names: Set<EventName> = []
        for seed in 0..<60 as Range<UInt64> {
            names.formUnion(try play(seed: seed, steps: 120, sees: 0.8).told.map(\.name))
        }
        #expect(names == Set(EventName.allCases))
    }
}
