// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Session

/// A press that its owner does not answer is applied by the node where it was made, as the new owner.
@Suite struct TakeoverTests {
    /// A mirror of a session that `kitchen` owns, which ran for a minute.
    static func mirror(
        _ register: Register = peerRegister(plan: "focus 25m, shortBreak 5m"), node: String = "desk",
        role: Role = .node, isAnnounced: Bool = true
    ) -> Rig {
        var rig = Rig(node, bootID: "boot-\(node)", role: role, isAnnounced: isAnnounced)
        rig.linkUp()
        rig.hear(.presence(presence("k1")), from: "kitchen")
        rig.hear(.register(register), from: "kitchen")
        rig.pass(60_000)
        rig.published = []
        return rig
    }

    static let gone = [presence("k1", online: false), presence("k1", sleeping: true)]

    @Test func aSilentOwnerHasTwoSeconds() {
        var rig = Self.mirror()
        #expect(rig.press(.pause, id: "I1") == nil)
        rig.pass(1_999)
        #expect(rig.replies.isEmpty && rig.own == nil)
        #expect(rig.intents.map(\.id) == [token("I1"), token("I1")], "it is asked twice, by one id")
        rig.pass(1)
        #expect(outcome(rig.replies[1]) == .applied)
        #expect(rig.engine.view.isOwner && rig.moment?.register.status == .paused)
        rig.pass(60_000)
        #expect(rig.intents.count == 2, "nobody else is asked any more")
    }

    @Test(arguments: gone) func anOwnerThatIsKnownToBeGoneHasNone(said: Presence) {
        var before = Self.mirror()
        before.hear(.presence(said), from: "kitchen")
        #expect(outcome(before.press(.pause)) == .applied && before.intents.isEmpty)
        var meanwhile = Self.mirror()
        meanwhile.press(.pause)
        meanwhile.pass(300)
        #expect(meanwhile.replies.isEmpty)
        meanwhile.hear(.presence(said), from: "kitchen")
        #expect(outcome(meanwhile.replies[1]) == .applied && meanwhile.intents.count == 1)
    }

    @Test func aZombieWillIsNoReason() {
        var rig = Self.mirror()
        rig.hear(.presence(presence("k0", online: false)), from: "kitchen")
        #expect(rig.press(.pause) == nil)
        rig.hear(.presence(presence("k0", online: false)), from: "kitchen")
        #expect(rig.replies.isEmpty && rig.own == nil)
    }

    /// Its clock answers, its engine does not.
    @Test func aMuteOwnerHasFourSeconds() {
        var rig = Self.mirror()
        rig.meet("kitchen", connection: "k1")
        rig.press(.pause)
        rig.pass(3_999)
        #expect(rig.replies.isEmpty && rig.own == nil)
        rig.pass(1)
        #expect(outcome(rig.replies[1]) == .applied && rig.engine.view.isOwner)
    }

    @Test func silenceCountsFromTheLastSignOfLife() {
        var rig = Self.mirror()
        rig.press(.pause)
        rig.pass(1_500)
        rig.hear(.ack(.fork(node: id("attic"), version: Version(epoch: 1, rev: 1))), from: "kitchen")
        rig.pass(1_999)
        #expect(rig.replies.isEmpty)
        rig.pass(1)
        #expect(outcome(rig.replies[1]) == .applied && rig.engine.view.isOwner)
    }

    @Test func anOwnerThatAnswersInTimeKeepsIt() {
        var rig = Self.mirror()
        rig.meet("kitchen", connection: "k1")
        rig.press(.pause, id: "I1")
        rig.pass(3_900)
        rig.hear(RequestTests.answer(.applied), from: "kitchen")
        rig.pass(10_000)
        #expect(outcome(rig.replies[1]) == .applied && rig.own == nil)
    }

    @Test func theContinuationSaysWhatItContinues() throws {
        var register = peerRegister(plan: "focus 25m, shortBreak 5m", epoch: 3, rev: 7)
        register.applied = [token("I0")]
        register.title = "Reading"
        register.lineage = token("P0")
        var rig = Self.mirror(register)
        rig.hear(.presence(presence("k1", online: false)), from: "kitchen")
        rig.press(.pause, id: "I1")
        let own = try #require(rig.own)
        #expect(own.continues == Continuation(node: .kitchen, epoch: 3, rev: 7, at: Rig.epoch + 60_000))
        #expect(own.lineage == token("P0") && own.id == token("I1") && own.owner == id("desk"))
        #expect(own.stamp > register.stamp && own.stamp.node == id("desk"))
        #expect(own.applied == [token("I0"), token("I1")])
        #expect(own.last == LastIntent(intent: token("I1"), op: .pause, from: id("desk"), at: rig.wall))
        #expect(own.title == "Reading" && own.plan == register.plan && own.startedAt == register.startedAt)
        let here = Anchor(elapsed: 60_000, at: rig.wall, bound: 5, bootID: token("boot-desk"), boot: rig.boot)
        #expect(own.anchor == here)
        #expect(own.runs == [Run(phase: 0, from: Rig.epoch, to: Rig.epoch + 60_000)])
        #expect(rig.registers == [own] && rig.notes.contains(.tookOver(own.id, from: .kitchen)))
    }

    @Test func anEffectIsNeededForATakeover() {
        for (operation, phase, expected) in [
            (.resume, nil, .noop), (.extend(seconds: 0), nil, .refused(.invalid)), (.startFocus, nil, .noop),
            (.skip, 1, .refused(.stalePhase)),
        ] as [(Session.Operation, Int?, Outcome)] {
            var rig = Self.mirror()
            rig.hear(.presence(presence("k1", online: false)), from: "kitchen")
            #expect(outcome(rig.press(operation, phase: phase)) == expected)
            #expect(rig.own == nil && rig.registers.isEmpty)
        }
    }

    /// The phase went over while the owner was waited for.
    @Test func aJumpIsFencedAtTheTakeoverToo() {
        var rig = Self.mirror(peerRegister(plan: "focus 61s, shortBreak 5m", autoAdvance: true))
        rig.press(.skip)
        rig.pass(2_000)
        #expect(outcome(rig.replies[1]) == .refused(.stalePhase))
        #expect(rig.moment?.register.phase == 1 && rig.own == nil)
    }

    /// What was stale when its owner was found gone is not credited; a short gap is.
    @Test(arguments: [Session.Operation.stop, .pause])
    func aCountUpEndsAtTheLastSignOfLife(operation: Session.Operation) throws {
        for (gone, elapsed) in [(29_999, 89_999), (30_000, 60_000), (3_600_000, 60_000)] as [(Int64, Int64)] {
            var rig = Self.mirror(peerRegister(plan: "focus 15h", mode: .countup))
            rig.hear(.presence(presence("k1", online: false)), from: "kitchen")
            rig.pass(gone)
            #expect(outcome(rig.press(operation)) == .applied)
            let own = try #require(rig.own)
            #expect(own.anchor.elapsed == elapsed && own.flaw == nil)
            #expect(own.runs.map(\.length).reduce(0, +) == elapsed)
            #expect(own.runs.first == Run(phase: 0, from: Rig.epoch, to: Rig.epoch + elapsed))
        }
    }

    @Test func whatOwnsNothingTakesNothingOver() {
        for (role, isAnnounced) in [(Role.display, true), (.service, true), (.node, false)] {
            var rig = Self.mirror(role: role, isAnnounced: isAnnounced)
            rig.hear(.presence(presence("k1", online: false)), from: "kitchen")
            #expect(rig.press(.pause) == nil)
            rig.pass(5_000)
            #expect(rig.replies[1] == .noAnswer(token("P1")) && rig.own == nil && rig.registers.isEmpty)
            #expect(rig.intents.count == 5)
            rig.ticket += 1
            rig.send(.take(id: token("T1"), ticket: rig.ticket))
            #expect(rig.replies[2] == .invalid("role"))
        }
    }

    /// Whoever asked is told of a later start, although the owner that was asked stays silent.
    @Test func aStartThatCameMeanwhileAnswersForTheOwner() {
        var rig = Self.mirror()
        rig.press(.stop)
        rig.pass(500)
        rig.start("focus 10m", id: "S2")
        rig.pass(1_500)
        #expect(outcome(rig.replies[1]) == .refused(.superseded))
        #expect(rig.own?.id == token("S2") && rig.own?.status == .running)
    }

    /// The owner is given its time from when it was first asked, not from a press made before there was a link.
    @Test func aPressWithoutALinkDoesNotShortenTheOwnersTime() {
        var rig = Self.mirror()
        rig.send(.linkDown)
        rig.press(.pause)
        rig.pass(1_900)
        rig.linkUp()
        #expect(rig.intents.count == 1)
        rig.pass(1_000)
        #expect(rig.replies.isEmpty && rig.own == nil)
    }
}

/// Moving a session on request.
@Suite struct MoveTests {
    static func take(_ rig: inout Rig, id: String = "T1") -> Reply? {
        rig.ticket += 1
        rig.send(.take(id: token(id), ticket: rig.ticket))
        return rig.replies[rig.ticket]
    }

    @Test(arguments: [Status.running, .paused]) func aLiveSessionMovesHereAsItIs(status: Status) throws {
        var rig = TakeoverTests.mirror(peerRegister(rev: 4, status: status, elapsed: 5_000))
        let before = try #require(rig.moment)
        #expect(outcome(Self.take(&rig)) == .applied)
        let own = try #require(rig.own)
        #expect(own.id == token("T1") && own.lineage == token("P1") && own.status == status)
        #expect(own.continues == Continuation(node: .kitchen, epoch: 1, rev: 4, at: rig.wall))
        #expect(own.last == nil && own.applied.isEmpty)
        #expect(rig.moment?.elapsed == before.elapsed && rig.moment?.shownSeconds == before.shownSeconds)
        #expect(rig.registers == [own] && rig.engine.view.isOwner && rig.intents.isEmpty)
    }

    @Test func itsOwnStaysWhereItIs() {
        var rig = Rig()
        rig.linkUp()
        rig.start("focus 25m")
        let own = rig.own
        #expect(outcome(Self.take(&rig)) == .noop && rig.own == own)
    }

    @Test func nothingLiveCannotMove() {
        var idle = Rig()
        idle.linkUp()
        #expect(Self.take(&idle) == .noSession)
        for status in [Status.stopped, .completed, .superseded] {
            var rig = TakeoverTests.mirror(peerRegister(status: status))
            #expect(Self.take(&rig) == .noSession && rig.own == nil)
        }
        var over = TakeoverTests.mirror(peerRegister(plan: "focus 60s"))
        #expect(Self.take(&over) == .noSession, "by date it is over")
    }

    @Test func theOwnerYieldsAndEndsItsRunsThere() throws {
        var owner = Rig("owner", bootID: "boot-o")
        var taker = Rig("taker", bootID: "boot-t", boot: 77_000)
        owner.linkUp()
        taker.linkUp()
        owner.start("focus 25m")
        taker.hear(.register(try #require(owner.own)), from: "owner")
        owner.pass(60_000)
        taker.pass(60_000)
        #expect(outcome(Self.take(&taker)) == .applied)
        owner.pass(5_000)
        let taken = try #require(taker.own)
        owner.hear(.register(taken), from: "taker")
        let own = try #require(owner.own)
        #expect(own.status == .superseded && own.supersededBy?.session == taken.id)
        #expect(own.runs == [Run(phase: 0, from: Rig.epoch, to: Rig.epoch + 60_000)])
        #expect(owner.engine.view.register == taken && owner.moment?.elapsed == 65_000)
    }
}
