// SPDX-License-Identifier: Apache-2.0

import API
import Testing

@testable import NodeRuntime
@testable import Session

@Suite(.timeLimit(.minutes(15))) struct SessionEventsTests {
    private var script = SessionScript()

    @Test mutating func eachChangeIsReportedOnce() throws {
        #expect(script.newEvents() == [])
        try script.begin("focus 25m, shortBreak 5m")
        #expect(script.newEvents() == ["started"])
        #expect(script.newEvents() == [])
        script.passes(60)
        try script.does(.pause)
        #expect(script.newEvents() == ["paused"])
        try script.does(.extend(seconds: 60))
        #expect(script.newEvents() == [])
        try script.does(.resume)
        #expect(script.newEvents() == ["resumed"])
        try script.does(.startBreak)
        #expect(script.newEvents() == ["phase"])
        try script.does(.stop)
        #expect(script.newEvents() == ["stopped"])
        #expect(script.newEvents() == [])
        try script.begin("focus 1m")
        #expect(script.newEvents() == ["started"], "an ended session is not superseded")
    }

    @Test mutating func phasesAndCompletionComeByTimeAlone() throws {
        try script.begin("focus 25m, shortBreak 5m", autoAdvance: true)
        _ = script.looks()
        let begun = script.now
        script.passes(1_499)
        #expect(script.newEvents() == [])
        let next = try #require(SessionEvents.nextLook(at: script.view(), boot: script.now - SessionScript.lead))
        #expect(next == begun + .seconds(1_500) - SessionScript.lead)
        script.passes(2)
        let phase = script.looks()
        #expect(phase.map(\.name) == [.phase])
        #expect(phase.first?.at == begun + 1_500_000)
        #expect(phase.first?.isLate == false)
        #expect(phase.first?.register.phase == 1)
        #expect(phase.first?.register.status == .running)
        script.passes(299)
        let completed = script.looks()
        #expect(completed.map(\.name) == [.completed])
        #expect(completed.first?.at == begun + 1_800_000)
        #expect(SessionEvents.nextLook(at: script.view(), boot: script.now - SessionScript.lead) == nil)
        script.passes(3_600)
        #expect(script.newEvents() == [])
    }

    @Test mutating func waitingPhaseIsReportedAndResumesWhenStarted() throws {
        try script.begin("focus 25m, shortBreak 5m")
        _ = script.looks()
        script.passes(1_500)
        let waits = script.looks()
        #expect(waits.map(\.name) == [.phase])
        #expect(waits.first?.register.status == .ready)
        #expect(waits.first?.moment?.register.currentPhase.kind == .shortBreak)
        try script.does(.startBreak)
        #expect(script.newEvents() == ["resumed"])
    }

    @Test mutating func alarmIsReportedOnceWhereItRings() throws {
        try script.begin("focus 25m, shortBreak 5m", alarm: true)
        _ = script.looks()
        script.passes(1_500)
        let events = script.looks()
        #expect(events.map(\.name) == [.phase, .alarm])
        #expect(events.last?.at == script.now)
        #expect(events.last?.moment?.alarm != nil)
        try script.restarts()
        #expect(script.newEvents() == [], "it rings already")
        script.acknowledgedAt = script.now
        #expect(script.newEvents() == [])
        try script.does(.startBreak)
        #expect(script.newEvents() == ["resumed"])
        script.passes(309)
        #expect(script.newEvents() == ["completed late", "alarm"])
        // A node that comes later does not ring.
        try script.begin("focus 1m", alarm: true)
        _ = script.looks()
        script.passes(70)
        #expect(script.newEvents() == ["completed late"])
        #expect(script.newEvents() == [])
    }

    @Test mutating func alarmOfAPhaseThatGoesOnIsReportedWhenItsLengthHasPassed() throws {
        try script.begin("focus 25m", alarm: true, overtime: true)
        _ = script.looks()
        let boot = script.now - SessionScript.lead
        #expect(SessionEvents.nextLook(at: script.view(), boot: boot) == boot + .seconds(1_500))
        script.passes(1_500)
        #expect(script.newEvents() == ["alarm"])
        try script.does(.extend(seconds: 60))
        #expect(script.newEvents() == [])
        script.passes(60)
        #expect(script.newEvents() == ["alarm"], "of the longer phase")
        try script.does(.stop)
        #expect(script.newEvents() == ["stopped"])
    }

    @Test mutating func missedEventsAreReportedInOrderAndLate() throws {
        #expect(script.newEvents() == [])
        try script.begin("work 40s, rest 20s, work 40s", autoAdvance: true)
        let begun = script.now
        script.passes(200)
        let told = script.looks()
        #expect(told.map(\.name) == [.started, .phase, .phase, .completed])
        #expect(told.map(\.at) == [0, 40_000, 60_000, 100_000].map { begun + $0 })
        #expect(told.map(\.isLate) == [true, true, true, true])
        #expect(told.map { $0.register.currentPhase.kind } == [.work, .rest, .work, .work])
        #expect(told.map { $0.register.status } == [.running, .running, .running, .completed])
        #expect(told.map { $0.moment?.elapsed } == [0, 0, 0, 40_000])
    }

    @Test mutating func eventMissedByAnEarlierProcessIsLate() throws {
        try script.begin("focus 1m")
        _ = script.looks()
        script.passes(61)
        try script.restarts()
        #expect(script.newEvents() == ["completed late"])
        try script.restarts()
        #expect(script.newEvents() == [])
    }

    @Test mutating func sessionBeforeTheFirstLookIsNotReported() throws {
        script.now += -60_000
        try script.begin("focus 25m")
        script.passes(60)
        #expect(script.newEvents() == [])
        try script.does(.pause)
        #expect(script.newEvents() == ["paused"])
        script.now += -90_000
        let early = try #require(script.register)
        script = SessionScript()
        script.passes(1)
        #expect(script.looks(at: early).isEmpty)
    }

    @Test mutating func laterStartEndsTheEarlierSession() throws {
        try script.begin("focus 25m")
        _ = script.looks()
        let before = script.register
        script.passes(60)
        try script.begin("focus 10m", on: "pi")
        let told = script.looks(latest: before)
        #expect(told.map(\.name) == [.superseded, .started])
        #expect(told.map { $0.register.id.rawValue } == ["s0", "s1"])
        #expect(told.first?.register.supersededBy?.node.rawValue == "pi")
        #expect(told.first?.isTakeover == false)
        #expect(told.first?.moment?.elapsed == 60_000)
        #expect(told.first?.at == script.now)
        #expect(script.looks(at: before).isEmpty, "an older session is not reported")
        #expect(script.newEvents() == [])
    }

    @Test mutating func earlierSessionMayHaveEndedByItself() throws {
        try script.begin("focus 1m")
        _ = script.looks()
        script.passes(100)
        try script.begin("focus 10m", on: "pi")
        #expect(script.newEvents() == ["completed late", "started"])
        var stopped = try script.present()
        script.passes(10)
        #expect(stopped.perform(.stop, defaults: SessionDefaults()) == .applied)
        stopped.rev += 1
        script.passes(10)
        try script.begin("focus 10m")
        #expect(script.looks(latest: stopped).map(\.name) == [.stopped, .started], "the owner's register decides")
    }

    @Test mutating func takeoverIsNotReportedAsAStart() throws {
        try script.begin("focus 25m")
        _ = script.looks()
        script.passes(10)
        try script.goesOn(on: "pi", by: .pause)
        #expect(script.newEvents() == ["paused"], "a mirror does not lose the session")

        script.node = NodeID("pi")
        _ = script.looks()
        let own = script.register
        try script.goesOn(on: "desk", by: .resume)
        let told = script.looks()
        #expect(told.map(\.name) == [.superseded, .resumed])
        #expect(told.first?.isOwner == true)
        #expect(told.first?.register.supersededBy?.node.rawValue == "desk")
        #expect(told.first?.isTakeover == true)
        try script.restarts()
        #expect(script.looks(at: own).isEmpty, "its own journal, before any message")
        #expect(script.newEvents() == [])
    }

    @Test mutating func eachLossOfContactIsReportedOnce() throws {
        try script.begin("focus 25m")
        _ = script.looks()
        script.contactLostAt = script.now
        let lead = SessionScript.lead
        #expect(SessionEvents.nextLook(at: script.view(), boot: script.now - lead) == script.now + .seconds(30) - lead)
        script.passes(29)
        #expect(script.newEvents() == [])
        script.passes(2)
        let told = script.looks()
        #expect(told.map(\.name) == [.stale])
        #expect(told.first?.at == script.now - 1_000)
        #expect(told.first?.moment?.staleFor == 30_000)
        script.passes(60)
        try script.restarts()
        #expect(script.newEvents() == [])
        script.contactLostAt = nil
        #expect(script.newEvents() == [])
        script.contactLostAt = script.now
        script.passes(30)
        #expect(script.newEvents() == ["stale"])
    }

    @Test mutating func olderRegisterIsNotReported() throws {
        try script.begin("focus 25m")
        let running = script.register
        _ = script.looks()
        try script.does(.pause)
        #expect(script.newEvents() == ["paused"])
        try script.restarts()
        #expect(script.looks(at: running).isEmpty)
        #expect(script.newEvents() == [])
    }

    @Test mutating func lateExtensionRepeatsNoEvent() throws {
        try script.begin("focus 25m, shortBreak 5m", autoAdvance: true)
        _ = script.looks()
        script.passes(1_499)
        let inTime = script
        script.passes(2)
        #expect(script.newEvents() == ["phase"])
        var owner = inTime
        try owner.does(.extend(seconds: 60))
        script.register = owner.register
        #expect(script.newEvents() == [])
        script.passes(70)
        #expect(script.newEvents() == [])
        script.passes(600)
        #expect(script.newEvents() == ["completed late"])
    }

    @Test mutating func clockThatWasAheadSilencesNoEvent() throws {
        script.events = SessionEvents(beginningAt: script.now + 3_600_000)
        script.passes(1)
        _ = script.looks()
        try script.begin("focus 25m")
        #expect(script.newEvents() == ["started"])
    }

    @Test mutating func forgottenSessionIsNotReportedAgain() throws {
        try script.begin("focus 25m")
        let first = script.register
        _ = script.looks()
        for _ in 0..<(2 * SessionEvents.knownLimit) {
            script.passes(1)
            try script.begin("focus 25m")
            _ = script.looks()
        }
        #expect(script.events.known.count == SessionEvents.knownLimit)
        #expect(script.looks(at: first).isEmpty)
    }

    @Test mutating func memoryIsRestoredUnchanged() throws {
        try script.begin("focus 25m, shortBreak 5m", autoAdvance: true)
        _ = script.looks()
        let back = try SessionEvents(json: script.events.json, beginningAt: script.now)
        #expect(SessionEvents.isSameMemory(back, script.events))
        for text in [
            "", "{}", "{\"v\":2,\"since\":0,\"known\":[]}", "{\"v\":1,\"since\":0,\"known\":[],\"shown\":\"x\"}",
        ] {
            #expect(throws: (any Error).self, "\(text)") {
                try SessionEvents(json: Array(text.utf8), beginningAt: 0)
            }
        }
    }
}
