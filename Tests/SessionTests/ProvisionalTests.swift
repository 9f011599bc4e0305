// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Session

/// Starts without a link are shown and counted at once. They are published with their true start after the link is
/// back, if they are still live.
@Suite(.timeLimit(.minutes(15))) struct ProvisionalTests {
    static let minute: Milliseconds = 60_000

    /// A start with no link, a minute ago.
    static func offline(_ text: String = "focus 25m", before: String? = nil) -> EngineHarness {
        var rig = EngineHarness()
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

    /// Connects again: the retained messages arrive, then the barrier.
    static func rejoin(_ rig: inout EngineHarness, _ retained: Register...) {
        rig.linkUp(
            finding: retained.flatMap { register in
                [.presence(presence("k1")), .register(register)].map { (register.owner.rawValue, $0) }
            })
    }

    @Test func offlineStartIsShownAndCountedAtOnce() {
        let rig = Self.offline()
        #expect(rig.engine.isProvisional)
        #expect(rig.journal?.isProvisional == true)
        #expect(rig.journal?.lastAnnounced == nil)
        #expect(rig.engine.view.isOwner)
        #expect(rig.moment?.elapsed == Self.minute)
        #expect(outcome(rig.replies[1]) == .applied)
        #expect(rig.published.isEmpty)
    }

    @Test func startWithALinkIsNotProvisional() {
        var rig = EngineHarness().linked(starting: "focus 25m")
        #expect(!rig.engine.isProvisional)
        #expect(rig.registers.count == 1)
        rig.send(.linkDown)
        rig.pass(Self.minute)
        #expect(!rig.engine.isProvisional, "peers know it already")
    }

    @Test func startBeforeTheBarrierIsProvisional() {
        var rig = EngineHarness()
        rig.barriers = false
        rig.linkUp()
        rig.start("focus 25m")
        #expect(rig.engine.isProvisional)
        #expect(rig.registers.isEmpty)
        rig.send(.barrierPassed(token("conn-desk-1")))
        #expect(!rig.engine.isProvisional)
        #expect(rig.registers.count == 1)
        #expect(rig.journal?.isProvisional == false)
    }

    @Test func offlineStartIsPublishedUnchanged() throws {
        var rig = Self.offline()
        let begun = try #require(rig.own)
        Self.rejoin(&rig, peerRegister(at: EngineHarness.epoch - 1))
        #expect(rig.registers == [begun])
        #expect(rig.own == begun)
        #expect(begun.startedAt == EngineHarness.epoch)
        #expect(!rig.engine.isProvisional)
        #expect(rig.journal?.isProvisional == false)
        #expect(rig.engine.view.isOwner)
    }

    /// A crash came after the first publication, before the journal said so.
    @Test func sessionThatTheBrokerHasStaysStoppedThoughTheJournalCallsItProvisional() throws {
        var rig = Self.offline()
        let announced = try #require(rig.own)
        rig.press(.stop)
        rig.linkUp()
        #expect(rig.registers.isEmpty, "it began and ended without contact")
        rig.hear(.register(announced), from: "desk", retained: true)
        #expect(rig.own?.status == .stopped)
        #expect(rig.registers.map(\.status) == [.stopped])
    }

    /// A start without a link wins over the session that its node had seen, whatever the clocks read.
    @Test func offlineStartBeatsTheSessionInView() throws {
        var rig = EngineHarness(telling: EngineHarness.epoch - 9_000, wallBound: nil).linked()
        rig.meet("kitchen", PeerClock(wallLead: EngineHarness.epoch - 1_009_000))
        let seen = peerRegister(at: EngineHarness.epoch, counter: 3)
        rig.hear(.register(seen), from: "kitchen")
        rig.send(.linkDown)
        rig.start("focus 25m")
        rig.pass(1_000)
        Self.rejoin(&rig, seen)
        #expect(rig.own?.stamp == Stamp(time: EngineHarness.epoch, counter: 4, node: id("desk")))
        #expect(rig.own?.status == .running)
        #expect(rig.engine.view.isOwner)
    }

    @Test func laterStartOfAPeerWins() throws {
        var rig = Self.offline()
        let winner = peerRegister(at: EngineHarness.epoch + 30_000)
        Self.rejoin(&rig, winner)
        #expect(rig.own?.status == .superseded)
        #expect(rig.own?.supersededBy?.session == winner.id)
        #expect(rig.registers.map(\.status) == [.superseded], "it was never announced as live")
        #expect(rig.engine.view.register == winner)
        let own = try #require(rig.own)
        #expect(own.runs == [Run(phase: 0, from: EngineHarness.epoch, to: rig.told)])
    }

    @Test(arguments: [nil, "focus 20m"]) func sessionThatEndedOfflineIsNotPublished(before: String?) throws {
        for ends in ["stop", "by itself"] {
            var rig = Self.offline(ends == "stop" ? "focus 25m" : "focus 30s", before: before)
            if ends == "stop" { rig.press(.stop) }
            #expect(rig.own?.id == token("S1"))
            #expect(rig.own?.status.isLive == false)
            let other = peerRegister(at: EngineHarness.epoch - 1_000)
            Self.rejoin(&rig, other)
            let isSaid = rig.registers.contains { $0.id == token("S1") }
            #expect(!isSaid)
            rig.pass(Self.minute)
            rig.hear(rig.intent(.stop, id: "late", session: "S1"))
            #expect(rig.registers.allSatisfy { $0.id == token("S0") })
            guard before != nil else {
                #expect(rig.registers.isEmpty)
                #expect(rig.engine.view.register == other)
                continue
            }
            // The start has ended the earlier session, although it was offline.
            let own = try #require(rig.own)
            #expect(own.id == token("S0"))
            #expect(own.status == .superseded)
            #expect(own.supersededBy?.session == token("S1"))
            #expect(own.runs == [Run(phase: 0, from: EngineHarness.epoch, to: EngineHarness.epoch + 5_000)])
            #expect(rig.registers.last == own)
            #expect(rig.journal?.own == own)
            #expect(rig.journal?.lastAnnounced == nil)
            #expect(rig.notes.contains(.notAnnounced(token("S1"))))
            #expect(!rig.engine.isProvisional)
            #expect(rig.answers.map(\.outcome) == [.refused(.superseded)], "the session is remembered")
        }
    }

    /// After several offline starts, peers still know the register from before the first.
    @Test func registerKnownToPeersIsKept() throws {
        var rig = Self.offline(before: "focus 20m")
        rig.start("focus 10m", id: "S2")
        #expect(rig.journal?.lastAnnounced?.id == token("S0"))
        #expect(rig.journal?.isProvisional == true)
        rig.press(.stop)
        Self.rejoin(&rig)
        #expect(rig.own?.id == token("S0"))
        #expect(rig.own?.status == .superseded)
        #expect(rig.registers.map(\.id) == [token("S0")])
    }

    @Test func offlineStartSurvivesARestart() throws {
        let old = Self.offline(before: "focus 20m")
        var live = EngineHarness(boot: old.boot + 1_000, telling: old.told + 1_000, journal: old.journal)
        #expect(live.engine.isProvisional)
        #expect(live.moment?.elapsed == Self.minute + 1_000)
        Self.rejoin(&live, peerRegister(at: EngineHarness.epoch + 4_000))
        #expect(live.registers == [old.own].compactMap(\.self))
        #expect(!live.engine.isProvisional)
        var late = EngineHarness(
            boot: old.boot + 30 * Self.minute, telling: old.told + 30 * Self.minute, journal: old.journal)
        Self.rejoin(&late)
        #expect(late.own?.id == token("S0"))
        #expect(late.registers.map(\.status) == [.superseded])
    }

    // MARK: Waiting for group time

    /// An unsynchronised clock is compared first, until a node that vouches is silent.
    @Test func publicationWaitsForVouchedClocks() {
        var rig = EngineHarness(wallBound: nil)
        rig.start("focus 25m")
        rig.pass(Self.minute)
        Self.rejoin(&rig, peerRegister(at: EngineHarness.epoch - 1))
        rig.pass(2_519)
        #expect(rig.registers.isEmpty)
        #expect(rig.engine.view.isOwner)
        rig.pass(1)
        #expect(rig.registers.map(\.status) == [.running])
        var alone = EngineHarness(wallBound: nil)
        alone.start("focus 25m")
        Self.rejoin(&alone)
        #expect(alone.registers.count == 1, "without a peer there is no wait")
    }

    // MARK: Takeovers without a link

    /// The old owner learns of the takeover and yields.
    @Test(arguments: [IntentOperation.pause, .stop]) func pressAppliedOfflineIsPublished(
        operation: IntentOperation
    ) throws {
        var kitchen = EngineHarness("kitchen", bootID: "boot-p", boot: 5_000_000).linked()
        kitchen.start("focus 25m", id: "P1")
        var rig = EngineHarness().linked().besideKitchen(kitchen.own)
        rig.pass(60_000)
        rig.send(.linkDown)
        rig.press(operation)
        rig.pass(2_000)
        #expect(outcome(rig.replies[1]) == .applied)
        #expect(rig.engine.isProvisional)
        let status = rig.own?.status
        rig.pass(10_000)
        kitchen.pass(72_000)
        Self.rejoin(&rig, try #require(kitchen.own))
        for register in rig.registers { kitchen.hear(.register(register), from: "desk") }
        #expect(rig.registers.map(\.status) == [status].compactMap(\.self))
        #expect(kitchen.own?.status == .superseded)
        #expect(kitchen.engine.view.register?.status == status)
        #expect(kitchen.own?.runs == [Run(phase: 0, from: EngineHarness.epoch, to: EngineHarness.epoch + 62_000)])
    }
}
