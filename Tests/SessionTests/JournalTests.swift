// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Session

/// What survives a death, and what a failing disk does.
@Suite struct JournalTests {
    static let minute: Int64 = 60_000

    /// A rig whose session of `text` ran for `milliseconds`; its journal is what a later one starts from.
    static func before(_ text: String, _ milliseconds: Int64, autoAdvance: Bool = false) -> Rig {
        var rig = Rig()
        rig.linkUp()
        rig.start(text, autoAdvance: autoAdvance)
        rig.pass(milliseconds)
        return rig
    }

    @Test func sameBootIsExact() {
        let old = Self.before("focus 25m", 10 * Self.minute)
        // The wall clock was stepped meanwhile, and does not matter.
        var new = Rig(boot: old.boot + 5 * Self.minute, wall: 77, journal: old.journal)
        #expect(new.own == old.own)
        #expect(new.moment?.elapsed == 15 * Self.minute)
        new.linkUp()
        #expect(new.registers == [old.own].compactMap(\.self))
        new.pass(10 * Self.minute)
        #expect(new.own?.status == .completed && new.own?.rev == 2)
    }

    @Test func anotherBootGoesByDate() throws {
        let old = Self.before("focus 25m", 10 * Self.minute)
        var new = Rig(bootID: "boot-2", boot: 30_000, wall: old.wall + 5 * Self.minute, journal: old.journal)
        #expect(new.moment?.elapsed == 15 * Self.minute)
        #expect(new.own?.rev == 2 && new.own?.anchor.bootID == token("boot-2"))
        #expect(new.journal?.own == new.own)
        new.pass(9 * Self.minute)
        new.press(.pause)
        let own = try #require(new.own)
        #expect(own.anchor.elapsed == 24 * Self.minute && own.runs.map(\.length) == [24 * Self.minute])
    }

    /// Minutes away, autoAdvance, status, phase, milliseconds of it.
    static let away: [(Int64, Bool, Status, Int, Int64)] = [
        (16, false, .ready, 1, 0), (16, true, .running, 1, minute), (44, true, .running, 2, 24 * minute),
        (45, true, .completed, 2, 25 * minute), (45, false, .ready, 1, 0), (46, true, .ready, 1, 0),
    ]

    @Test(arguments: away, ["boot-1", "boot-2"])
    func boundariesCrossedWhileDown(row: (Int64, Bool, Status, Int, Int64), bootID: String) {
        let old = Self.before("focus 25m, shortBreak 5m, focus 25m", 10 * Self.minute, autoAdvance: row.1)
        let boot = bootID == "boot-1" ? old.boot + row.0 * Self.minute : 20_000
        let new = Rig(bootID: bootID, boot: boot, wall: old.wall + row.0 * Self.minute, journal: old.journal)
        let moment = new.engine.view.lastMoment(at: new.boot)
        #expect(moment?.register.status == (row.0 == 45 && row.1 ? new.own?.status : row.2))
        #expect(moment?.register.phase == row.3)
        #expect(new.own?.flaw == nil && new.own?.runs.last?.to == nil || row.2 != .running)
        #expect(new.journal?.own == new.own)
    }

    @Test func aFinalSessionSurvivesAReboot() {
        var old = Self.before("focus 25m", Self.minute)
        old.press(.stop)
        var new = Rig(bootID: "boot-2", boot: 400_000, wall: old.wall + 60_000, journal: old.journal)
        new.barriers = false
        new.linkUp()
        if let own = old.own { new.hear(.register(own), from: "desk", retained: true) }
        new.send(.barrierPassed(token("conn-desk-1")))
        #expect(new.own?.status == .stopped && new.own?.epoch == 1 && new.moment == nil)
        #expect(new.notes.isEmpty)
    }

    @Test func dedupeAndMarkSurvive() {
        var old = Self.before("focus 25m", Self.minute)
        let extend = old.intent(.extend(seconds: 60))
        old.hear(extend)
        old.hear(.register(peerRegister(at: old.wall + 9_000)), from: "kitchen")
        var new = Rig(boot: old.boot, wall: old.wall, journal: old.journal)
        new.linkUp()
        new.hear(extend)
        #expect(new.answers.map(\.outcome) == [.duplicate])
        new.start("focus 1m", id: "S2")
        #expect(new.own?.stamp.time == old.wall + 9_000 && new.own?.stamp.counter == 1)
        new.hear(new.intent(.stop, id: "I9", session: "S1"))
        #expect(new.answers.last?.outcome == .refused(.superseded))
    }

    /// A node without its journal, and what the broker still holds of it.
    static func found(_ found: Register?, then act: (inout Rig) -> Void = { _ in }, wall: Int64) -> Rig {
        var rig = Rig(boot: 2_000_000, wall: wall)
        rig.barriers = false
        act(&rig)
        rig.linkUp()
        if let found { rig.hear(.register(found), from: "desk", retained: true) }
        rig.send(.barrierPassed(token("conn-desk-1")))
        return rig
    }

    @Test func aLostJournalIsRecoveredFromTheBroker() {
        let old = Self.before("focus 25m", 10 * Self.minute)
        let new = Self.found(old.own, wall: old.wall)
        #expect(new.own?.id == token("S1") && new.own?.version == Version(epoch: 2, rev: 2))
        #expect(new.engine.view.isOwner && new.own?.stamp == old.own?.stamp)
        #expect(new.registers == [new.own].compactMap(\.self) && new.journal?.epoch == 2)
        #expect(new.notes.contains(.recovered(token("S1"))))
    }

    @Test func aFoundOneThatComesLateIsTakenBackToo() throws {
        let old = Self.before("focus 25m", Self.minute)
        var new = Self.found(nil, wall: old.wall)
        new.hear(.register(try #require(old.own)), from: "desk", retained: true)
        #expect(new.own?.epoch == 2 && new.own?.status == .running)
    }

    @Test func aFoundOneYieldsToALaterStart() throws {
        let old = Self.before("focus 25m", Self.minute)
        let winner = peerRegister(at: old.wall)
        let new = Self.found(
            old.own,
            then: { rig in
                rig.hear(.register(winner), from: "kitchen")
            }, wall: old.wall)
        #expect(new.own?.status == .superseded && new.own?.epoch == 2)
        #expect(new.registers.map(\.status) == [.superseded])
    }

    @Test(arguments: [Int64(0), -3_600_000, -9_000]) func aFreshStartIsKeptAndBeatsTheFoundOne(skew: Int64) throws {
        let old = Self.before("focus 25m x2", 30 * Self.minute)
        let new = Self.found(
            old.own, then: { $0.start("focus 5m", id: "mine") }, wall: old.wall - 30 * Self.minute + skew)
        let own = try #require(new.own)
        let found = try #require(old.own)
        #expect(own.id == token("mine") && own.status == .running)
        #expect(own.version > found.version && new.registers == [own] && new.journal?.own == own)
        // A stamp that this node's clock does not admit is nobody's business here; otherwise the start goes above it.
        #expect(own.stamp > found.stamp || skew < -Limits.stampLead)
        #expect(new.journal?.past == [token("S1")])
    }

    @Test func aLostTailIsTakenBack() throws {
        var old = Self.before("focus 25m", Self.minute)
        let journal = old.journal
        old.hear(old.intent(.pause))
        var new = Rig(boot: old.boot, wall: old.wall, journal: journal)
        new.barriers = false
        new.linkUp()
        new.hear(.register(try #require(old.own)), from: "desk", retained: true)
        new.send(.barrierPassed(token("conn-desk-1")))
        #expect(new.own?.status == .paused && new.own?.version == Version(epoch: 2, rev: 3))
        new.hear(old.intent(.pause))
        #expect(new.answers.map(\.outcome) == [.duplicate])
    }

    /// The lost end of the journal is taken back without what was asked meanwhile: that has to take effect once more.
    @Test func whatATakenBackRegisterUndoesTakesEffectAgain() throws {
        var old = Self.before("focus 25m", Self.minute)
        let journal = old.journal
        for index in 0..<4 { old.hear(old.intent(index % 2 == 0 ? .pause : .resume, id: "O\(index)")) }
        var new = Rig(boot: old.boot, wall: old.wall, journal: journal)
        new.barriers = false
        new.linkUp()
        let extend = new.intent(.extend(seconds: 60), id: "I1")
        new.hear(extend)
        #expect(new.own?.plan[0].seconds == 26 * 60)
        new.hear(.register(try #require(old.own)), from: "desk", retained: true)
        new.send(.barrierPassed(token("conn-desk-1")))
        #expect(new.own?.plan[0].seconds == 25 * 60)
        new.hear(extend)
        #expect(new.own?.plan[0].seconds == 26 * 60 && new.answers.last?.outcome == .applied)
    }

    @Test func aLostRegisterIsTakenBackAboveEveryEpochThatTheJournalKnows() {
        let old = Self.before("focus 25m", Self.minute)
        var new = Rig(boot: old.boot, wall: old.wall, journal: Journal(epoch: 5))
        new.barriers = false
        new.linkUp()
        if let own = old.own { new.hear(.register(own), from: "desk", retained: true) }
        new.send(.barrierPassed(token("conn-desk-1")))
        #expect(new.own?.id == token("S1") && new.own?.epoch == 6)
    }

    /// A stamp that no clock admits does not draw the fresh start after it.
    @Test func aFreshStartIsNotStampedAboveAStampFarAhead() throws {
        var ahead = try #require(Self.before("focus 25m", Self.minute).own)
        ahead.stamp.time += 3_600_000
        let new = Self.found(ahead, then: { $0.start("focus 5m", id: "mine") }, wall: Rig.epoch)
        #expect(new.own?.id == token("mine") && new.own?.stamp.time == Rig.epoch)
    }

    @Test func whatRanOverARebootIsApproximate() {
        let old = Self.before("focus 25m", Self.minute)
        #expect(old.records.last?.isApproximate == false)
        let new = Rig(bootID: "boot-2", boot: 30_000, wall: old.wall + Self.minute, journal: old.journal)
        #expect(new.records.last?.isApproximate == true)
    }

    @Test func aForkAtTheBrokerIsOutbid() throws {
        let old = Self.before("focus 25m", Self.minute)
        var swapped = try #require(old.own)
        swapped.title = "swapped"
        var new = Rig(boot: old.boot, wall: old.wall, journal: old.journal)
        new.barriers = false
        new.linkUp()
        new.hear(.register(swapped), from: "desk", retained: true)
        new.send(.barrierPassed(token("conn-desk-1")))
        #expect(new.own?.title == "" && new.own?.version == Version(epoch: 1, rev: 2))
    }

    @Test func aFailingDiskHoldsNobodyHereUp() {
        var rig = Rig()
        rig.linkUp()
        rig.disk = .failing
        rig.published = []
        #expect(outcome(rig.start("focus 25m")) == .applied)
        #expect(outcome(rig.press(.pause)) == .applied)
        #expect(outcome(rig.press(.pause)) == .noop)
        rig.hear(rig.intent(.resume))
        #expect(rig.own?.status == .running && rig.published.isEmpty)
        rig.pass(10_000)
        #expect(rig.published.isEmpty && rig.notes == [.journal(works: false)])
        rig.disk = .atOnce
        rig.pass(1_000)
        #expect(rig.notes == [.journal(works: false), .journal(works: true)])
        #expect(rig.registers == [rig.own].compactMap(\.self) && rig.answers.map(\.outcome) == [.applied])
        rig.log = []
        rig.pass(60_000)
        #expect(rig.log.isEmpty)
    }

    @Test func aFailingDiskDoesNotHoardAnswers() {
        var rig = Rig()
        rig.linkUp()
        rig.start("focus 25m")
        rig.disk = .failing
        for index in 0..<1_000 {
            var press = rig.intent(index % 2 == 0 ? .pause : .resume, id: "I\(index)")
            press.from = id("n\(index % 10)")
            rig.hear(press)
        }
        #expect(rig.engine.disk.held.count == Disk.heldAnswers)
    }

    /// A write that only notes a stamp holds up no answer.
    @Test func answerWaitsOnlyForTheRegisterThatItSpeaksOf() {
        var rig = Rig()
        rig.linkUp()
        rig.start("focus 25m")
        rig.press(.stop)
        rig.disk = .later
        rig.hear(.register(peerRegister(at: rig.wall + 1)), from: "kitchen")
        #expect(rig.pendingWrites.count == 1)
        rig.hear(rig.intent(.stop))
        #expect(rig.answers.map(\.outcome) == [.noop])
    }

    @Test func aSlowDiskIsWaitedFor() {
        var rig = Rig()
        rig.linkUp()
        rig.disk = .later
        #expect(rig.start("focus 25m") == nil)
        #expect(rig.moment?.shownSeconds == 1_500, "the display does not wait")
        rig.send(.hangUp(1))
        rig.ticket = 1
        #expect(rig.press(.pause) == nil)
        rig.flush()
        #expect(rig.replies.keys.sorted() == [2] && rig.registers.map(\.status) == [.paused])
    }
}
