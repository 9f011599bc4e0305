// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Session

/// Recovery after a crash, and failing disks.
@Suite(.timeLimit(.minutes(15))) struct JournalTests {
    static let minute: Milliseconds = 60_000

    /// A harness whose session of `text` ran for `time`.
    static func before(_ text: String, _ time: Milliseconds, autoAdvance: Bool = false) -> EngineHarness {
        var rig = EngineHarness().linked()
        rig.start(text, autoAdvance: autoAdvance)
        rig.pass(time)
        return rig
    }

    @Test func sameBootIsExact() {
        let old = Self.before("focus 25m", 10 * Self.minute)
        // A step of the wall clock does not matter.
        var new = EngineHarness(boot: old.boot + 5 * Self.minute, telling: 77, journal: old.journal)
        #expect(new.own == old.own)
        #expect(new.moment?.elapsed == 15 * Self.minute)
        new.linkUp()
        #expect(new.registers == [old.own].compactMap(\.self))
        new.pass(10 * Self.minute)
        #expect(new.own?.status == .completed)
        #expect(new.own?.rev == 2)
    }

    @Test func rebootPlacesTheSessionByDate() throws {
        let old = Self.before("focus 25m", 10 * Self.minute)
        var new = EngineHarness(
            bootID: "boot-2", boot: 30_000, telling: old.told + 5 * Self.minute, journal: old.journal)
        #expect(new.moment?.elapsed == 15 * Self.minute)
        #expect(new.own?.rev == 2)
        #expect(new.own?.anchor.bootID == token("boot-2"))
        #expect(new.journal?.own == new.own)
        new.pass(9 * Self.minute)
        new.press(.pause)
        let own = try #require(new.own)
        #expect(own.anchor.elapsed == 24 * Self.minute)
        #expect(own.runs.map(\.length) == [24 * Self.minute])
    }

    /// The time away, and the session after it.
    typealias Absence = (minutes: Int64, autoAdvance: Bool, status: Status, phase: Int, elapsed: Milliseconds)

    static let absences: [Absence] = [
        (16, false, .ready, 1, 0), (16, true, .running, 1, minute), (44, true, .running, 2, 24 * minute),
        (45, true, .completed, 2, 25 * minute), (45, false, .ready, 1, 0), (46, true, .ready, 1, 0),
    ]

    @Test(arguments: absences, ["boot-1", "boot-2"])
    func boundariesAreCrossedWhileDown(absence: Absence, bootID: String) {
        let old = Self.before("focus 25m, shortBreak 5m, focus 25m", 10 * Self.minute, autoAdvance: absence.autoAdvance)
        let boot = bootID == "boot-1" ? old.boot + absence.minutes * Self.minute : 20_000
        let new = EngineHarness(
            bootID: bootID, boot: boot, telling: old.told + absence.minutes * Self.minute, journal: old.journal)
        let moment = new.engine.view.lastMoment(at: new.boot)
        #expect(moment?.register.status == absence.status)
        #expect(moment?.register.phase == absence.phase)
        #expect(moment?.elapsed == absence.elapsed)
        #expect(new.own?.invalidField == nil || absence.status != .running)
        #expect(new.own?.runs.last?.to == nil || absence.status != .running)
        #expect(new.journal?.own == new.own)
    }

    @Test func aFinalSessionSurvivesAReboot() throws {
        var old = Self.before("focus 25m", Self.minute)
        old.press(.stop)
        var new = EngineHarness(bootID: "boot-2", boot: 400_000, telling: old.told + 60_000, journal: old.journal)
        new.linkUp(finding: [("desk", .register(try #require(old.own)))])
        #expect(new.own?.status == .stopped)
        #expect(new.own?.epoch == 1)
        #expect(new.moment == nil)
        #expect(new.notes.isEmpty)
    }

    @Test func appliedIntentsAndMarkSurvive() {
        var old = Self.before("focus 25m", Self.minute)
        let extend = old.intent(.extend(seconds: 60))
        old.hear(extend)
        old.hear(.register(peerRegister(at: old.told + 9_000)), from: "kitchen")
        var new = EngineHarness(boot: old.boot, telling: old.told, journal: old.journal).linked()
        new.hear(extend)
        #expect(new.answers.map(\.outcome) == [.duplicate])
        new.start("focus 1m", id: "S2")
        #expect(new.own?.stamp.time == old.told + 9_000 + HybridClock.reserve)
        #expect(new.own?.stamp.counter == 1)
        new.hear(new.intent(.stop, id: "I9", session: "S1"))
        #expect(new.answers.last?.outcome == .refused(.superseded))
    }

    /// A node without its journal, which finds its own retained register at the broker.
    static func found(_ found: Register?, then act: (inout EngineHarness) -> Void = { _ in }, telling told: GroupTime)
        -> EngineHarness
    {
        var rig = EngineHarness(boot: 2_000_000, telling: told)
        act(&rig)
        rig.linkUp(finding: found.map { [("desk", .register($0))] } ?? [])
        return rig
    }

    @Test func aLostJournalIsRecoveredFromTheBroker() {
        let old = Self.before("focus 25m", 10 * Self.minute)
        let new = Self.found(old.own, telling: old.told)
        #expect(new.own?.id == token("S1"))
        #expect(new.own?.version == Version(epoch: 2, rev: 2))
        #expect(new.engine.view.isOwner)
        #expect(new.own?.stamp == old.own?.stamp)
        #expect(new.registers == [new.own].compactMap(\.self))
        #expect(new.journal?.epoch == 2)
        #expect(new.notes.contains(.recovered(token("S1"))))
    }

    @Test func lateRetainedRegisterIsRecovered() throws {
        let old = Self.before("focus 25m", Self.minute)
        var new = Self.found(nil, telling: old.told)
        new.hear(.register(try #require(old.own)), from: "desk", retained: true)
        #expect(new.own?.epoch == 2)
        #expect(new.own?.status == .running)
    }

    @Test(arguments: [Milliseconds(0), -3_600_000, -9_000]) func freshStartBeatsTheRetainedRegister(skew: Milliseconds)
        throws
    {
        let old = Self.before("focus 25m x2", 30 * Self.minute)
        let new = Self.found(
            old.own, then: { $0.start("focus 5m", id: "mine") }, telling: old.told - 30 * Self.minute + skew)
        let own = try #require(new.own)
        let found = try #require(old.own)
        #expect(own.id == token("mine"))
        #expect(own.status == .running)
        #expect(own.version > found.version)
        #expect(new.registers == [own])
        #expect(new.journal?.own == own)
        // The start is stamped above the found register, unless this node's clock does not admit that stamp.
        #expect(own.stamp > found.stamp || skew < -Limits.stampLead)
        #expect(new.journal?.past == [token("S1")])
    }

    @Test func lostJournalTailIsRecovered() throws {
        var old = Self.before("focus 25m", Self.minute)
        let journal = old.journal
        old.hear(old.intent(.pause))
        var new = EngineHarness(boot: old.boot, telling: old.told, journal: journal)
        new.linkUp(finding: [("desk", .register(try #require(old.own)))])
        #expect(new.own?.status == .paused)
        #expect(new.own?.version == Version(epoch: 2, rev: 3))
        new.hear(old.intent(.pause))
        #expect(new.answers.map(\.outcome) == [.duplicate])
    }

    @Test func recoveredRegisterGetsAnEpochAboveTheJournals() throws {
        let old = Self.before("focus 25m", Self.minute)
        var new = EngineHarness(boot: old.boot, telling: old.told, journal: Journal(epoch: 5))
        new.linkUp(finding: [("desk", .register(try #require(old.own)))])
        #expect(new.own?.id == token("S1"))
        #expect(new.own?.epoch == 6)
    }

    @Test func freshStartIgnoresAStampFarAhead() throws {
        var ahead = try #require(Self.before("focus 25m", Self.minute).own)
        ahead.stamp.time += 3_600_000
        let new = Self.found(ahead, then: { $0.start("focus 5m", id: "mine") }, telling: EngineHarness.epoch)
        #expect(new.own?.id == token("mine"))
        #expect(new.own?.stamp.time == EngineHarness.epoch)
    }

    @Test func sessionIsApproximateAfterAReboot() {
        let old = Self.before("focus 25m", Self.minute)
        #expect(old.records.last?.isApproximate == false)
        let new = EngineHarness(bootID: "boot-2", boot: 30_000, telling: old.told + Self.minute, journal: old.journal)
        #expect(new.records.last?.isApproximate == true)
    }

    @Test func failingDiskDoesNotDelayLocalPresses() {
        var rig = EngineHarness().linked()
        rig.disk = .failing
        rig.published = []
        #expect(outcome(rig.start("focus 25m")) == .applied)
        #expect(outcome(rig.press(.pause)) == .applied)
        #expect(outcome(rig.press(.pause)) == .noop)
        rig.hear(rig.intent(.resume))
        #expect(rig.own?.status == .running)
        #expect(rig.published.isEmpty)
        rig.pass(10_000)
        #expect(rig.published.isEmpty)
        #expect(rig.notes == [.journal(works: false)])
        rig.disk = .atOnce
        rig.pass(1_000)
        #expect(rig.notes == [.journal(works: false), .journal(works: true)])
        #expect(rig.registers == [rig.own].compactMap(\.self))
        #expect(rig.answers.map(\.outcome) == [.applied])
        rig.log = []
        rig.pass(60_000)
        #expect(rig.log.isEmpty)
    }

    @Test func failingDiskHoldsABoundedNumberOfAnswers() {
        var rig = EngineHarness().linked(starting: "focus 25m")
        rig.disk = .failing
        for index in 0..<1_000 {
            var press = rig.intent(index % 2 == 0 ? .pause : .resume, id: "I\(index)")
            press.from = id("n\(index % 10)")
            rig.hear(press)
        }
        #expect(rig.engine.gate.waiting.count == WriteGate.waitingAnswersLimit)
    }

    /// A write of a mark alone does not delay answers.
    @Test func answerWaitsOnlyForItsOwnRegister() {
        var rig = EngineHarness().linked(starting: "focus 25m")
        rig.press(.stop)
        rig.disk = .later
        rig.hear(.register(peerRegister(at: rig.told + 1)), from: "kitchen")
        #expect(rig.pendingWrites.count == 1)
        rig.hear(rig.intent(.stop))
        #expect(rig.answers.map(\.outcome) == [.noop])
    }

    @Test func answerWaitsForASlowDisk() {
        var rig = EngineHarness().linked()
        rig.disk = .later
        #expect(rig.start("focus 25m") == nil)
        #expect(rig.moment?.shownSeconds == 1_500, "the display does not wait")
        rig.send(.hangUp(1))
        rig.ticket = 1
        #expect(rig.press(.pause) == nil)
        rig.flush()
        #expect(rig.replies.keys.sorted() == [2])
        #expect(rig.registers.map(\.status) == [.paused])
    }
}
