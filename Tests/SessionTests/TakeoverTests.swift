// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Session

/// A node applies a press that the owner does not answer, as the new owner.
@Suite(.timeLimit(.minutes(15))) struct TakeoverTests {
    /// A node that shows a session of `kitchen`, which ran for a minute.
    static func displayOfKitchen(
        _ register: Register = peerRegister(plan: "focus 25m, shortBreak 5m"), node: String = "desk",
        role: Role = .node, publishesPresence: Bool = true
    ) -> EngineHarness {
        var rig = EngineHarness(node, bootID: "boot-\(node)", role: role, publishesPresence: publishesPresence).linked()
            .besideKitchen(register)
        rig.pass(60_000)
        rig.published = []
        return rig
    }

    /// The old owner sees that the intent is missing from the list, and sends it again.
    @Test func intentThatHasLeftAFullListIsADuplicate() {
        var register = peerRegister(plan: "focus 25m")
        register.applied = (0..<Limits.applied).map { token("A\($0)") }
        var rig = Self.displayOfKitchen(register)
        rig.send(.take(id: token("T1"), ticket: 90))
        rig.press(.pause, id: "I1")
        #expect(rig.own?.applied.contains(token("A0")) == false)
        rig.hear(rig.intent(.resume, id: "A0"))
        #expect(rig.answers.last?.outcome == .duplicate)
        #expect(rig.own?.status == .paused)
    }

    /// The full list may have dropped the intent, so whether it took effect is not known.
    @Test func nothingIsForwardedToAHeadWithAFullList() {
        var rig = EngineHarness().linked(starting: "focus 25m")
        rig.press(.pause, id: "I1")
        var head = peerRegister(at: EngineHarness.epoch + 1)
        head.lineage = token("S1")
        head.applied = (0..<Limits.applied).map { token("A\($0)") }
        rig.hear(.presence(presence("k1")), from: "kitchen")
        rig.hear(.register(head), from: "kitchen")
        rig.pass(2_000)
        #expect(rig.own?.status == .superseded)
        #expect(rig.intents.isEmpty)
    }

    static let gone = [presence("k1", online: false), presence("k1", sleeping: true)]

    @Test func silentOwnerIsTakenOverAfterTwoSeconds() {
        var rig = Self.displayOfKitchen()
        #expect(rig.press(.pause, id: "I1") == nil)
        rig.pass(1_999)
        #expect(rig.replies.isEmpty)
        #expect(rig.own == nil)
        #expect(rig.intents.map(\.id) == [token("I1"), token("I1")], "it is asked twice with one ID")
        rig.pass(1)
        #expect(outcome(rig.replies[1]) == .applied)
        #expect(rig.engine.view.isOwner)
        #expect(rig.moment?.register.status == .paused)
        rig.pass(60_000)
        #expect(rig.intents.count == 2, "no other node is asked")
    }

    @Test(arguments: gone) func offlineOwnerIsTakenOverAtOnce(said: Presence) {
        var before = Self.displayOfKitchen()
        before.hear(.presence(said), from: "kitchen")
        #expect(outcome(before.press(.pause)) == .applied)
        #expect(before.intents.isEmpty)
        var meanwhile = Self.displayOfKitchen()
        meanwhile.press(.pause)
        meanwhile.pass(300)
        #expect(meanwhile.replies.isEmpty)
        meanwhile.hear(.presence(said), from: "kitchen")
        #expect(outcome(meanwhile.replies[1]) == .applied)
        #expect(meanwhile.intents.count == 1)
    }

    /// The owner answers pings and no intent.
    @Test func muteOwnerIsTakenOverAfterFourSeconds() {
        var rig = Self.displayOfKitchen()
        rig.meet("kitchen", connection: "k1")
        rig.press(.pause)
        rig.pass(3_999)
        #expect(rig.replies.isEmpty)
        #expect(rig.own == nil)
        rig.pass(1)
        #expect(outcome(rig.replies[1]) == .applied)
        #expect(rig.engine.view.isOwner)
    }

    @Test func silenceCountsFromTheLastSignOfLife() {
        var rig = Self.displayOfKitchen()
        rig.press(.pause)
        rig.pass(1_500)
        rig.hear(.ack(.fork(node: id("attic"), version: Version(epoch: 1, rev: 1))), from: "kitchen")
        rig.pass(1_999)
        #expect(rig.replies.isEmpty)
        rig.pass(1)
        #expect(outcome(rig.replies[1]) == .applied)
        #expect(rig.engine.view.isOwner)
    }

    @Test func ownerThatAnswersInTimeKeepsTheSession() {
        var rig = Self.displayOfKitchen()
        rig.meet("kitchen", connection: "k1")
        rig.press(.pause, id: "I1")
        rig.pass(3_900)
        rig.hear(RequestTests.answer(.applied), from: "kitchen")
        rig.pass(10_000)
        #expect(outcome(rig.replies[1]) == .applied)
        #expect(rig.own == nil)
    }

    @Test func remoteTakesNoSessionOver() {
        for (role, publishesPresence) in [(Role.display, true), (.service, true), (.node, false)] {
            var rig = Self.displayOfKitchen(role: role, publishesPresence: publishesPresence)
            rig.hear(.presence(presence("k1", online: false)), from: "kitchen")
            #expect(rig.press(.pause) == nil)
            rig.pass(5_000)
            #expect(rig.replies[1] == .noAnswer(token("P1")))
            #expect(rig.own == nil)
            #expect(rig.registers.isEmpty)
            #expect(rig.intents.count == 5)
            rig.ticket += 1
            rig.send(.take(id: token("T1"), ticket: rig.ticket))
            #expect(rig.replies[2] == .notPermitted)
        }
    }

    @Test func laterStartAnswersForTheSilentOwner() {
        var rig = Self.displayOfKitchen()
        rig.press(.stop)
        rig.pass(500)
        rig.start("focus 10m", id: "S2")
        rig.pass(1_500)
        #expect(outcome(rig.replies[1]) == .refused(.superseded))
        #expect(rig.own?.id == token("S2"))
        #expect(rig.own?.status == .running)
    }

    /// The owner's time begins with the first message to it, not with an earlier press.
    @Test func pressWithoutALinkKeepsTheOwnersTime() {
        var rig = Self.displayOfKitchen()
        rig.send(.linkDown)
        rig.press(.pause)
        rig.pass(1_900)
        rig.linkUp()
        #expect(rig.intents.count == 1)
        rig.pass(1_000)
        #expect(rig.replies.isEmpty)
        #expect(rig.own == nil)
    }

    // MARK: Moving a session on request

    static func take(_ rig: inout EngineHarness, id: String = "T1") -> Reply? {
        rig.ticket += 1
        rig.send(.take(id: token(id), ticket: rig.ticket))
        return rig.replies[rig.ticket]
    }

    @Test func endedSessionCannotMove() {
        var idle = EngineHarness().linked()
        #expect(Self.take(&idle) == .noSession)
        for status in [Status.stopped, .completed, .superseded] {
            var rig = Self.displayOfKitchen(peerRegister(status: status))
            _ = Self.take(&rig)
            // The other nodes are asked first.
            rig.pass(2_000)
            #expect(rig.replies[rig.ticket] == .noSession)
            #expect(rig.own == nil)
        }
        var over = Self.displayOfKitchen(peerRegister(plan: "focus 60s"))
        #expect(Self.take(&over) == .noSession, "by date it is over")
    }
}
