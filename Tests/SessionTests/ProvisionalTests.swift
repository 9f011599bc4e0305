// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Session

/// A start without contact is shown and counted at once. The others learn of it when there is contact again, if it still
/// lives, stamped with its true start.
@Suite struct ProvisionalTests {
    static let minute: Int64 = 60_000

    /// A start with no link, a minute ago.
    static func offline(_ text: String = "focus 25m", before: String? = nil) -> Rig {
        var rig = Rig()
        if let before {
            rig.linkUp()
            rig.start(before, id: "S0")
            rig.pass(5_000)
            rig.send(.linkDown)
        }
        rig.start(text, id: "S1")
        rig.pass(minute)
        rig.published = []
        return rig
    }

    /// Contact again: what the broker kept arrives, then the barrier.
    static func rejoin(_ rig: inout Rig, _ retained: Register...) {
        rig.barriers = false
        rig.linkUp()
        for register in retained {
            rig.hear(.presence(presence("k1")), from: register.owner.rawValue, retained: true)
            rig.hear(.register(register), from: register.owner.rawValue, retained: true)
        }
        if let connection = rig.engine.link.connection { rig.send(.barrierPassed(connection)) }
    }

    @Test func itIsShownAndCountedAtOnce() {
        let rig = Self.offline()
        #expect(rig.engine.isProvisional && rig.journal?.isProvisional == true && rig.journal?.before == nil)
        #expect(rig.engine.view.isOwner && rig.moment?.elapsed == Self.minute)
        #expect(outcome(rig.replies[1]) == .applied && rig.published.isEmpty)
    }

    @Test func aStartWithContactIsNotProvisional() {
        var rig = Rig()
        rig.linkUp()
        rig.start("focus 25m")
        #expect(!rig.engine.isProvisional && rig.registers.count == 1)
        rig.send(.linkDown)
        rig.pass(Self.minute)
        #expect(!rig.engine.isProvisional, "what the others have heard of stays heard of")
    }

    /// Between connection and barrier nobody has heard of anything yet.
    @Test func aStartBeforeTheBarrierIsWithoutContact() {
        var rig = Rig()
        rig.barriers = false
        rig.linkUp()
        rig.start("focus 25m")
        #expect(rig.engine.isProvisional && rig.registers.isEmpty)
        rig.send(.barrierPassed(token("conn-desk-1")))
        #expect(!rig.engine.isProvisional && rig.registers.count == 1 && rig.journal?.isProvisional == false)
    }

    @Test func onRejoinItIsAnnouncedAsItBegan() throws {
        var rig = Self.offline()
        let begun = try #require(rig.own)
        Self.rejoin(&rig, peerRegister(at: Rig.epoch - 1))
        #expect(rig.registers == [begun] && rig.own == begun && begun.startedAt == Rig.epoch)
        #expect(!rig.engine.isProvisional && rig.journal?.isProvisional == false && rig.engine.view.isOwner)
    }

    /// Made in 1970 by a machine without a battery: its start is where it was, its stamp above what was seen before it.
    @Test func itsTrueStartIsFoundByTheClocksOfTheOthers() throws {
        var rig = Rig(wall: 1_000, wallBound: nil)
        rig.start("focus 25m")
        #expect(rig.own?.stamp.time == Limits.earliestStamp, "no clock, no mark: the earliest time that can be")
        rig.pass(Self.minute)
        rig.clocks[.kitchen] = PeerClock()
        Self.rejoin(&rig, peerRegister(at: Rig.epoch - 1))
        let own = try #require(rig.own)
        #expect(own.stamp == Stamp(time: Rig.epoch, counter: 0, node: id("desk")))
        #expect(own.startedAt == Rig.epoch && own.runs == [Run(phase: 0, from: Rig.epoch)])
        #expect(rig.registers == [own] && rig.engine.view.isOwner && rig.moment?.elapsed == Self.minute)
        #expect(rig.notes.contains(.stampedAnew(own.id, from: Limits.earliestStamp, to: Rig.epoch)))
    }

    /// Whoever starts while looking at a session beats it, offline too and however the clocks stand.
    @Test func itStaysAboveWhatItsNodeHadSeen() throws {
        var rig = Rig(wall: Rig.epoch - 9_000, wallBound: nil)
        rig.linkUp()
        rig.meet("kitchen", PeerClock(wallLead: Rig.epoch - 1_009_000))
        let seen = peerRegister(at: Rig.epoch, counter: 3)
        rig.hear(.register(seen), from: "kitchen")
        rig.send(.linkDown)
        rig.start("focus 25m")
        rig.pass(1_000)
        Self.rejoin(&rig, seen)
        #expect(rig.own?.stamp == Stamp(time: Rig.epoch, counter: 4, node: id("desk")))
        #expect(rig.own?.status == .running && rig.engine.view.isOwner)
    }

    @Test func aLaterStartElsewhereWins() throws {
        var rig = Self.offline()
        let winner = peerRegister(at: Rig.epoch + 30_000)
        Self.rejoin(&rig, winner)
        #expect(rig.own?.status == .superseded && rig.own?.supersededBy?.session == winner.id)
        #expect(rig.registers.map(\.status) == [.superseded], "it was never announced as live")
        #expect(rig.engine.view.register == winner)
        let own = try #require(rig.own)
        #expect(own.runs == [Run(phase: 0, from: Rig.epoch, to: rig.wall)])
    }

    @Test func theOthersYieldToIt() throws {
        var offline = Self.offline()
        var kitchen = Rig("kitchen", bootID: "boot-k", boot: 5_000, wall: Rig.epoch - Self.minute)
        kitchen.linkUp()
        kitchen.start("focus 25m", id: "K1")
        kitchen.pass(2 * Self.minute)
        Self.rejoin(&offline, try #require(kitchen.own))
        for register in offline.registers { kitchen.hear(.register(register), from: "desk") }
        #expect(kitchen.own?.status == .superseded && kitchen.own?.supersededBy?.session == token("S1"))
        #expect(kitchen.engine.view.register == offline.own)
        #expect(kitchen.moment?.elapsed == offline.moment?.elapsed)
    }

    @Test(arguments: [nil, "focus 20m"]) func whatBeganAndEndedOfflineDisturbsNobody(before: String?) throws {
        for ends in ["stop", "by itself"] {
            var rig = Self.offline(ends == "stop" ? "focus 25m" : "focus 30s", before: before)
            if ends == "stop" { rig.press(.stop) }
            #expect(rig.own?.id == token("S1") && rig.own?.status.isLive == false)
            let other = peerRegister(at: Rig.epoch - 1_000)
            Self.rejoin(&rig, other)
            let isSaid = rig.registers.contains { $0.id == token("S1") }
            #expect(!isSaid)
            rig.pass(Self.minute)
            rig.hear(rig.intent(.stop, id: "late", session: "S1"))
            #expect(rig.registers.allSatisfy { $0.id == token("S0") })
            guard before != nil else {
                #expect(rig.registers.isEmpty && rig.engine.view.register == other)
                continue
            }
            // The session before was the current one; the start has ended it, offline or not.
            let own = try #require(rig.own)
            #expect(own.id == token("S0") && own.status == .superseded && own.supersededBy?.session == token("S1"))
            #expect(own.runs == [Run(phase: 0, from: Rig.epoch, to: Rig.epoch + 5_000)])
            #expect(rig.registers.last == own && rig.journal?.own == own && rig.journal?.before == nil)
            #expect(rig.notes.contains(.keptToItself(token("S1"))) && !rig.engine.isProvisional)
            #expect(rig.answers.map(\.outcome) == [.refused(.superseded)], "it is known that there was one")
        }
    }

    /// Several offline starts are one: what the others know is what there was before the first.
    @Test func theRegisterBeforeIsTheOneThatOthersKnow() throws {
        var rig = Self.offline(before: "focus 20m")
        rig.start("focus 10m", id: "S2")
        #expect(rig.journal?.before?.id == token("S0") && rig.journal?.isProvisional == true)
        rig.press(.stop)
        Self.rejoin(&rig)
        #expect(rig.own?.id == token("S0") && rig.own?.status == .superseded)
        #expect(rig.registers.map(\.id) == [token("S0")])
    }

    @Test func itSurvivesTheProcess() throws {
        let old = Self.offline(before: "focus 20m")
        var live = Rig(boot: old.boot + 1_000, wall: old.wall + 1_000, journal: old.journal)
        #expect(live.engine.isProvisional && live.moment?.elapsed == Self.minute + 1_000)
        Self.rejoin(&live, peerRegister(at: Rig.epoch + 4_000))
        #expect(live.registers == [old.own].compactMap(\.self) && !live.engine.isProvisional)
        var late = Rig(boot: old.boot + 30 * Self.minute, wall: old.wall + 30 * Self.minute, journal: old.journal)
        Self.rejoin(&late)
        #expect(late.own?.id == token("S0") && late.registers.map(\.status) == [.superseded])
    }

    /// What the broker kept says that the end of the journal is lost: others did hear of it.
    @Test func whatTheBrokerKeptWasHeardOf() throws {
        let old = Self.offline()
        var new = Rig(boot: old.boot, wall: old.wall, journal: old.journal)
        Self.rejoin(&new, try #require(old.own))
        #expect(!new.engine.isProvisional && new.own?.status == .running)
        new.press(.stop)
        #expect(new.registers.last?.status == .stopped, "so its end is said")
    }

    // MARK: Waiting for the time

    /// A machine whose clock is not known to be right compares it first, a second at most.
    @Test func anUnknownTimeIsWaitedForASecond() {
        var rig = Rig(wallBound: nil)
        rig.start("focus 25m")
        rig.pass(Self.minute)
        Self.rejoin(&rig, peerRegister(at: Rig.epoch - 1))
        rig.pass(999)
        #expect(rig.registers.isEmpty && rig.engine.view.isOwner)
        rig.pass(1)
        #expect(rig.registers.map(\.status) == [.running])
        var alone = Rig(wallBound: nil)
        alone.start("focus 25m")
        Self.rejoin(&alone)
        #expect(alone.registers.count == 1, "with nobody to ask nothing is waited for")
    }

    /// A start by a clock that is an hour ahead does not beat one that was made after it.
    @Test(arguments: [Int64(3_600_000), -3_600_000, 9_000, -9_000]) func aWrongClockDecidesNothing(skew: Int64) {
        for (kitchen, status) in [(Int64(-30_000), Status.running), (30_000, .superseded)] {
            var rig = Rig(wall: Rig.epoch + skew, wallBound: nil)
            rig.start("focus 25m")
            rig.pass(Self.minute)
            rig.clocks[.kitchen] = PeerClock()
            Self.rejoin(&rig, peerRegister(at: Rig.epoch + kitchen))
            rig.pass(1_000)
            #expect(rig.own?.status == status && rig.own?.stamp.time == Rig.epoch, "\(skew) \(kitchen)")
            #expect(rig.registers.map(\.status) == [status])
        }
    }
}

/// A session that is taken over by a node that has no link itself.
@Suite struct OfflineTakeoverTests {
    /// The person was told that it took effect: the owner hears of it, and yields.
    @Test(arguments: [Session.Operation.pause, .stop]) func whatWasAppliedOfflineIsSaid(
        operation: Session.Operation
    ) throws {
        var kitchen = Rig("kitchen", bootID: "boot-p", boot: 5_000_000)
        kitchen.linkUp()
        kitchen.start("focus 25m", id: "P1")
        var rig = Rig()
        rig.linkUp()
        rig.hear(.presence(presence("k1")), from: "kitchen")
        rig.hear(.register(try #require(kitchen.own)), from: "kitchen")
        rig.pass(60_000)
        rig.send(.linkDown)
        rig.press(operation)
        rig.pass(2_000)
        #expect(outcome(rig.replies[1]) == .applied && rig.engine.isProvisional)
        let status = rig.own?.status
        rig.pass(10_000)
        kitchen.pass(72_000)
        ProvisionalTests.rejoin(&rig, try #require(kitchen.own))
        for register in rig.registers { kitchen.hear(.register(register), from: "desk") }
        #expect(rig.registers.map(\.status) == [status].compactMap(\.self))
        #expect(kitchen.own?.status == .superseded)
        #expect(kitchen.engine.view.register?.status == status)
        #expect(kitchen.own?.runs == [Run(phase: 0, from: Rig.epoch, to: Rig.epoch + 62_000)])
    }
}
