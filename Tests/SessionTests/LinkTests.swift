// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Session

/// Connections, presence, and the repair of retained registers.
@Suite(.timeLimit(.minutes(15))) struct LinkTests {
    @Test func barrierPrecedesTheRegisterOnEachConnection() {
        var rig = EngineHarness()
        rig.start("focus 25m")
        rig.barriers = false
        rig.linkUp()
        #expect(rig.presences.count == 1)
        #expect(rig.registers.isEmpty, "the barrier comes before the register")
        rig.send(.barrierPassed(token("another")))
        #expect(rig.registers.isEmpty)
        rig.send(.barrierPassed(token("conn-desk-1")))
        #expect(rig.registers == [rig.own].compactMap(\.self))
        rig.send(.linkDown)
        rig.published = []
        rig.linkUp()
        #expect(rig.presences.count == 1)
        #expect(rig.registers.isEmpty, "on each connection")
        rig.send(.barrierPassed(token("conn-desk-2")))
        #expect(rig.registers.count == 1)
    }

    @Test func registerWaitsTwoSecondsForABarrierAtMost() {
        var rig = EngineHarness()
        rig.start("focus 25m")
        rig.barriers = false
        rig.linkUp()
        rig.pass(1_999)
        #expect(rig.registers.isEmpty)
        rig.pass(1)
        #expect(rig.registers.count == 1)
    }

    @Test func nothingIsPublishedWithoutALink() {
        var rig = EngineHarness()
        rig.start("focus 25m")
        rig.press(.pause)
        #expect(rig.published.isEmpty)
        #expect(rig.replies.count == 2)
        rig.linkUp()
        #expect(rig.registers.map(\.status) == [.paused], "only the latest state is published")
    }

    @Test func helloIsSentWithoutRetainedMessages() {
        var rig = EngineHarness()
        rig.echoes = false
        rig.linkUp()
        #expect(rig.published.contains(.hello))
        #expect(rig.notes == [.noRetained])
        let usual = EngineHarness().linked()
        #expect(!usual.published.contains(.hello))
    }

    @Test func presenceSaysSleepingUntilTheMachineWakes() {
        var rig = EngineHarness().linked()
        rig.send(.sleeping(true))
        rig.send(.sleeping(true))
        #expect(rig.presences.map(\.isSleeping) == [false, true])
        rig.send(.linkDown)
        rig.linkUp()
        #expect(rig.presences.last?.isSleeping == true, "also on another connection")
        rig.send(.sleeping(false))
        #expect(rig.presences.last?.isSleeping == false)
        #expect(rig.presences.last?.isOnline == true)
    }

    @Test func helloIsAnswered() {
        var rig = EngineHarness().linked(starting: "focus 25m")
        rig.published = []
        rig.hear(.hello, from: "kitchen")
        rig.hear(.hello, from: "zoo")
        rig.pass(200)
        #expect(rig.presences.count == 1)
        #expect(rig.registers.count == 1)
        rig.hear(.hello, from: "kitchen")
        rig.pass(799)
        #expect(rig.presences.count == 1, "at most once a second")
        rig.pass(201)
        #expect(rig.presences.count == 2)
    }

    /// A message may still be in flight when the link is down.
    @Test func nothingIsDueWithoutALink() {
        var rig = EngineHarness()
        rig.start("focus 25m")
        let boundary = rig.engine.nextWake
        rig.hear(.hello, from: "kitchen")
        rig.hear(.presence(presence("x")), from: "desk")
        #expect(rig.published.isEmpty)
        #expect(rig.engine.nextWake == boundary)
    }

    @Test func willOfAnEarlierConnectionIsIgnored() {
        var rig = EngineHarness().linked()
        rig.hear(.register(peerRegister()), from: "kitchen")
        rig.hear(.presence(presence("k1")), from: "kitchen")
        rig.hear(.presence(presence("k2")), from: "kitchen")
        rig.hear(.presence(presence("k1", online: false)), from: "kitchen")
        #expect(rig.engine.peers[.kitchen].isOnline)
        #expect(rig.engine.view.contactLostAt == nil)
        rig.hear(.presence(presence("k2", online: false)), from: "kitchen")
        #expect(!rig.engine.peers[.kitchen].isOnline)
        #expect(rig.engine.view.contactLostAt == rig.boot)
        let lost = rig.boot
        rig.pass(29_999)
        #expect(rig.moment?.staleFor == nil)
        #expect(rig.moment?.nextChange == rig.boot + 1)
        rig.pass(1)
        #expect(rig.moment?.staleFor == 30_000)
        #expect(rig.moment?.contactLostAt == lost)
        rig.hear(.presence(presence("k3")), from: "kitchen")
        #expect(rig.moment?.contactLostAt == nil)
    }

    @Test func sleepingNodeIsOffline() {
        var rig = EngineHarness().linked()
        rig.hear(.presence(presence("k2", sleeping: true)), from: "kitchen")
        #expect(!rig.engine.peers[.kitchen].isOnline)
        rig.hear(.presence(presence("k1", online: false)), from: "kitchen")
        #expect(rig.engine.peers[.kitchen].presence?.connection == token("k2"))
    }

    @Test func retainedPresenceIsThePresentState() {
        var rig = EngineHarness().linked().besideKitchen()
        rig.send(.linkDown)
        rig.pass(1_000)
        rig.linkUp()
        rig.hear(.presence(presence("k2", online: false)), from: "kitchen", retained: true)
        #expect(!rig.engine.peers[.kitchen].isOnline)
        #expect(rig.engine.peers[.kitchen].lastReceived == rig.boot - 1_000, "a retained message is no sign of life")
    }

    @Test func linkLossMakesDisplaysStaleButNotOwners() {
        var rig = EngineHarness().linked().besideKitchen(peerRegister())
        rig.send(.linkDown)
        rig.pass(30_000)
        #expect(rig.moment?.staleFor == 30_000)
        rig.start("focus 1h")
        rig.pass(60_000)
        #expect(rig.moment?.staleFor == nil)
        #expect(rig.engine.view.isOwner)
        #expect(!rig.engine.view.isLinked)
    }

    @Test func offlinePresenceOfTheNodeItselfIsCorrected() {
        var rig = EngineHarness().linked()
        rig.published = []
        rig.hear(.presence(presence("conn-desk-0", online: false)), from: "desk")
        #expect(rig.presences.map(\.isOnline) == [true])
        for _ in 0..<50 { rig.hear(.presence(presence("another-program")), from: "desk") }
        #expect(rig.presences.count == 1)
        rig.pass(1_000)
        #expect(rig.presences.count == 2, "two programs with one id do not chase each other")
    }

    static func running(hearsItself: Bool = true) -> EngineHarness {
        var rig = EngineHarness()
        rig.linkUp(hearsItself: hearsItself)
        rig.start("focus 25m")
        rig.press(.extend(seconds: 60))
        rig.pass(5_000)
        rig.published = []
        rig.notes = []
        return rig
    }

    @Test func olderEchoIsRepaired() throws {
        var rig = Self.running()
        var old = try #require(rig.own)
        old.rev -= 1
        rig.hear(.register(old), from: "desk")
        #expect(rig.registers == [rig.own].compactMap(\.self))
        #expect(rig.notes == [.repaired(Version(epoch: 1, rev: 2))])
        for _ in 0..<20 { rig.hear(.register(old), from: "desk") }
        #expect(rig.registers.count == 1)
        rig.pass(1_000)
        #expect(rig.registers.count == 2)
        rig.pass(10_000)
        #expect(rig.registers.count == 2)
    }

    @Test func differentOrHigherEchoIsOutbid() throws {
        let own = try #require(Self.running().own)
        var different = own
        different.title = "swapped"
        var higher = own
        higher.rev += 5
        var epoch = own
        epoch.epoch += 1
        var top = own
        top.rev = Limits.counter.upperBound
        for (echo, epoch, rev) in [(different, 1, 3), (higher, 1, 8), (epoch, 2, 3), (top, 2, 0)] {
            var rig = Self.running()
            rig.hear(.register(echo), from: "desk")
            #expect(rig.own?.version == Version(epoch: epoch, rev: rev))
            #expect(rig.registers == [rig.own].compactMap(\.self))
            #expect(rig.own?.invalidField == nil)
            #expect(rig.own?.title == "")
            #expect(rig.journal?.epoch == epoch)
        }
    }

    @Test func twoProgramsWithOneIdDoNotChaseEachOther() throws {
        var rig = Self.running()
        rig.echoes = false
        for _ in 0..<100 {
            var other = try #require(rig.own)
            other.rev += 1
            rig.hear(.register(other), from: "desk")
        }
        #expect(rig.registers.count == 1)
        rig.pass(10_000)
        #expect(rig.registers.count == 2)
    }

    @Test func forkObjectionIsAppliedOnce() throws {
        var rig = Self.running()
        let version = try #require(rig.own?.version)
        for peer in ["kitchen", "zoo", "attic"] {
            rig.hear(.ack(.fork(node: id("desk"), version: version)), from: peer)
            rig.hear(.ack(.fork(node: id("zoo"), version: version)), from: peer)
        }
        rig.pass(5_000)
        #expect(rig.own?.version == version.next)
        #expect(rig.registers.count == 1)
    }

    @Test func lateEchoesOfOwnPublicationsAreAccepted() {
        var rig = Self.running()
        rig.echoes = false
        for index in 0..<100 { rig.press(index % 2 == 0 ? .pause : .resume) }
        let late = rig.registers
        rig.published = []
        for register in late { rig.hear(.register(register), from: "desk") }
        rig.pass(5_000)
        #expect(late.count == 100)
        #expect(rig.published.isEmpty)
        #expect(rig.notes.isEmpty)
    }

    @Test func echoInSpiteOfNoLocalIsNoReasonToRepair() {
        var rig = Self.running(hearsItself: false)
        rig.echoes = false
        for index in 0..<20 {
            rig.press(index % 2 == 0 ? .pause : .resume)
            rig.published.suffix(1).forEach { rig.hear($0, from: "desk") }
            rig.pass(1_000)
        }
        #expect(rig.registers.count == 20)
        #expect(rig.notes.isEmpty)
    }

    @Test func echoesInSpiteOfNoLocalThatAreLateCauseOneRepair() {
        var rig = Self.running(hearsItself: false)
        rig.echoes = false
        for index in 0..<100 { rig.press(index % 2 == 0 ? .pause : .resume) }
        let late = rig.registers
        rig.published = []
        for register in late { rig.hear(.register(register), from: "desk") }
        rig.registers.forEach { rig.hear(.register($0), from: "desk") }
        rig.pass(60_000)
        #expect(rig.registers.count <= 2)
    }

    /// Its broker may keep no register of another member of a cluster.
    @Test func nodeThatConnectsAsleepIsRemindedOfTheSession() {
        var rig = Self.running()
        rig.hear(.presence(presence("k1", online: false)), from: "kitchen")
        rig.hear(.presence(presence("k2", sleeping: true)), from: "kitchen")
        rig.hear(.presence(presence("k2")), from: "kitchen")
        rig.pass(1_000)
        #expect(rig.registers.count == 1)
    }

    @Test func anErasedRegisterIsPublishedAgain() {
        var rig = Self.running()
        rig.send(.erased(from: id("kitchen"), isPresence: false))
        #expect(rig.published.isEmpty)
        rig.send(.erased(from: id("desk"), isPresence: false))
        #expect(rig.registers.count == 1)
        #expect(rig.presences.count == 1)
    }

    @Test func discardedMessagesAreCountedAndReportedOnce() {
        var rig = EngineHarness()
        for _ in 0..<3 { rig.send(.discarded(.malformed, from: .kitchen)) }
        rig.send(.discarded(.tooLarge, from: .kitchen))
        for _ in 0..<2 { rig.send(.discarded(.unknownVersion, from: nil)) }
        #expect(rig.engine.peers[.kitchen].discarded == [.malformed: 3, .tooLarge: 1])
        #expect(rig.engine.peers.unattributedDiscards == [.unknownVersion: 2])
        #expect(rig.notes.count == 3)
    }

    @Test func newNodeReplacesAnUnannouncedRemote() {
        var rig = EngineHarness().linked()
        rig.hear(.register(peerRegister()), from: "kitchen")
        for index in 0..<Limits.nodes + 88 { rig.hear(.hello, from: "remote-\(index)") }
        rig.pass(Limits.intentLife + 1)
        rig.hear(.presence(presence("new-1")), from: "new")
        #expect(rig.engine.peers[id("new")].isOnline)
        #expect(rig.engine.register(of: .kitchen) != nil)
        #expect(rig.engine.peers.all.count == Limits.nodes)
    }

    /// A broker without an access list may keep sessions under any number of names.
    @Test func numberOfRetainedSessionsIsLimited() {
        var rig = EngineHarness().linked()
        for index in 0..<Limits.nodes + 88 {
            let older = peerRegister(
                "n\(index)", session: "P\(index)", at: EngineHarness.epoch - Milliseconds(Int64(index)))
            rig.hear(.register(older), from: "n\(index)", retained: true)
        }
        // This node is one of them, and has no session.
        #expect(rig.engine.replicas.all.count == Limits.nodes - 1)
        #expect(rig.engine.peers.all.count == Limits.nodes)
        #expect(rig.engine.peers.unattributedDiscards == [.tooManyNodes: 89])
    }

    @Test func numberOfNodesInASpaceIsLimited() {
        var rig = EngineHarness()
        for index in 0..<Limits.nodes + 88 { rig.hear(.hello, from: "n\(index)") }
        #expect(rig.engine.peers.all.count == Limits.nodes)
        #expect(rig.engine.peers.unattributedDiscards == [.tooManyNodes: 88])
        rig.send(.discarded(.malformed, from: id("n\(Limits.nodes + 87)")))
        #expect(rig.engine.peers.unattributedDiscards[.malformed] == 1)
    }
}
