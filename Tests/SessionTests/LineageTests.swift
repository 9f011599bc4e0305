// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Session

/// An intent follows its session along the lineage with one id and takes effect once.
@Suite(.timeLimit(.minutes(15))) struct LineageTests {
    /// The continuation by `attic` of a session that `kitchen` owned.
    static func continuation(
        of register: Register = peerRegister(plan: "focus 25m, shortBreak 5m"),
        at: GroupTime = EngineHarness.epoch + 60_000,
        node: String = "attic", applied: [IntentID] = []
    ) -> Register {
        var next = register
        next.id = token("C1")
        next.owner = id(node)
        next.stamp = Stamp(time: at, counter: 0, node: id(node))
        next.epoch = 1
        next.rev = 1
        next.continues = Continuation(
            node: register.owner, epoch: register.epoch, rev: register.rev, at: at)
        next.anchor = Anchor(elapsed: at - register.startedAt, at: at, bootID: token("boot-c"), boot: 800_000)
        next.applied = applied
        return next
    }

    static func refusal(of intent: String = "I1", by session: String, _ node: String) -> Message {
        .ack(
            .answer(
                Answer(
                    intent: token(intent), outcome: .refused(.superseded), session: token(session), rev: 9,
                    by: Superseder(session: token(session), node: id(node), at: EngineHarness.epoch))))
    }

    /// A node that has taken the session over from `kitchen`.
    static func head() -> EngineHarness {
        var register = peerRegister(plan: "focus 25m, shortBreak 5m")
        register.applied = [token("I0")]
        var rig = TakeoverTests.displayOfKitchen(register)
        rig.hear(.presence(presence("k1", online: false)), from: "kitchen")
        rig.press(.pause, id: "H1")
        rig.published = []
        return rig
    }

    // MARK: The asking side

    /// The old owner names the head; the request waits until the continuation is seen.
    @Test func refusalThatNamesTheHeadIsNotTheAnswer() {
        var rig = TakeoverTests.displayOfKitchen()
        rig.press(.pause, id: "I1")
        rig.hear(Self.refusal(by: "C1", "attic"), from: "kitchen")
        #expect(rig.replies.isEmpty)
        rig.hear(.register(Self.continuation()), from: "attic")
        #expect(rig.replies.isEmpty)
        #expect(rig.intents.last?.session == token("C1"))
        rig.hear(RequestTests.answer(.applied), from: "attic")
        #expect(outcome(rig.replies[1]) == .applied)
    }

    /// The refusal was of the old owner, so the silence of the new one counts as for any request.
    @Test func silentHeadIsTakenOverAfterARefusalByTheOldOwner() throws {
        var rig = TakeoverTests.displayOfKitchen()
        rig.press(.pause, id: "I1")
        rig.hear(Self.refusal(by: "C1", "attic"), from: "kitchen")
        rig.hear(.register(Self.continuation()), from: "attic")
        rig.pass(6_000)
        #expect(outcome(rig.replies[1]) == .applied)
        #expect(rig.own?.status == .paused)
        #expect(rig.own?.continues?.node == id("attic"))
    }

    @Test func refusalByAnotherSessionIsTheAnswer() {
        var rig = TakeoverTests.displayOfKitchen()
        rig.press(.pause, id: "I1")
        rig.hear(Self.refusal(by: "Z1", "attic"), from: "kitchen")
        #expect(rig.replies.isEmpty, "it may continue the session")
        rig.hear(.register(peerRegister("attic", session: "Z1", at: rig.told)), from: "attic")
        #expect(outcome(rig.replies[1]) == .refused(.superseded))
        rig.pass(10_000)
        #expect(rig.own == nil)
    }

    /// The person pressed on a view from before the takeover.
    @Test func pressOnAnAncestorGoesToTheHead() {
        var rig = TakeoverTests.displayOfKitchen()
        rig.hear(.register(Self.continuation()), from: "attic")
        rig.press(.pause, session: "P1")
        #expect(rig.intents.last?.session == token("C1"))
        var owner = Self.head()
        #expect(outcome(owner.press(.resume, session: "P1")) == .applied)
    }

    // MARK: The head

    /// Another node has continued its session and answers now.
    @Test func formerHeadDoesNotAnswer() throws {
        var rig = Self.head()
        let next = Self.continuation(of: try #require(rig.own), at: rig.told + 1)
        rig.hear(.register(next), from: "attic")
        #expect(rig.own?.status == .superseded)
        rig.hear(rig.intent(.resume, id: "I1", session: "P1"))
        #expect(rig.answers.isEmpty)
    }

    // MARK: The old owner

    /// An owner whose last change reached no peer.
    static func cutOff() -> EngineHarness {
        var rig = EngineHarness().linked(starting: "focus 25m, shortBreak 5m")
        rig.pass(50_000)
        rig.hear(rig.intent(.extend(seconds: 60), id: "I1"))
        rig.pass(20_000)
        rig.published = []
        return rig
    }

    @Test func missingIntentIsForwardedWithItsID() throws {
        var rig = Self.cutOff()
        let winner = Self.continuation(of: try #require(rig.own), node: "kitchen")
        rig.hear(.register(winner), from: "kitchen")
        #expect(rig.own?.status == .superseded)
        #expect(rig.intents.count == 1)
        let intent = try #require(rig.intents.first)
        #expect(intent.id == token("I1"))
        #expect(intent.session == winner.id)
        #expect(intent.lineage == token("S1"))
        #expect(intent.operation == .extend(seconds: 60))
        #expect(intent.from == id("desk"))
        rig.pass(1_000)
        #expect(rig.intents.count == 2, "until it is answered")
        rig.hear(RequestTests.answer(.applied), from: "kitchen")
        rig.pass(30_000)
        #expect(rig.intents.count == 2, "the person was answered before")
    }

    /// Its expiry may stem from a wrong clock.
    @Test func forwardingEndsAfterTheLifeOfAnIntent() throws {
        var rig = EngineHarness().linked(starting: "focus 25m, shortBreak 5m")
        rig.hear(rig.intent(.extend(seconds: 60), id: "I1", life: 86_400_000))
        rig.pass(60_000)
        rig.hear(.register(Self.continuation(of: try #require(rig.own), node: "kitchen")), from: "kitchen")
        rig.pass(Limits.intentLife)
        let sent = rig.intents.count
        #expect(sent > 1)
        rig.pass(60_000)
        #expect(rig.intents.count == sent)
    }

    @Test func knownOrExpiredIntentIsNotForwarded() throws {
        var known = Self.cutOff()
        known.hear(
            .register(Self.continuation(of: try #require(known.own), node: "kitchen", applied: [token("I1")])),
            from: "kitchen")
        #expect(known.own?.status == .superseded)
        #expect(known.intents.isEmpty)
        var late = Self.cutOff()
        late.pass(10_000)
        late.hear(.register(Self.continuation(of: try #require(late.own), node: "kitchen")), from: "kitchen")
        #expect(late.own?.status == .superseded)
        #expect(late.intents.isEmpty)
        var other = Self.cutOff()
        other.hear(.register(peerRegister(at: other.told)), from: "kitchen")
        #expect(other.own?.status == .superseded)
        #expect(other.intents.isEmpty, "another start continues no session")
    }

    /// The takeover from this node arrives after a later one: the runs still end at the first one.
    @Test func runsEndAtTheFirstTakeover() throws {
        var rig = Self.cutOff()
        let first = Self.continuation(of: try #require(rig.own), at: EngineHarness.epoch + 20_000, node: "kitchen")
        var second = Self.continuation(of: first, at: EngineHarness.epoch + 40_000)
        second.id = token("C2")
        rig.hear(.register(second), from: "attic")
        #expect(rig.own?.runs == [Run(phase: 0, from: EngineHarness.epoch, to: EngineHarness.epoch + 40_000)])
        rig.hear(.register(first), from: "kitchen")
        #expect(rig.own?.runs == [Run(phase: 0, from: EngineHarness.epoch, to: EngineHarness.epoch + 20_000)])
        #expect(rig.registers.last == rig.own)
        #expect(rig.own?.invalidField == nil)
    }

    // MARK: All together

    /// Delivers the messages of each harness to the others until no harness publishes more.
    static func talk(_ rigs: inout [EngineHarness], heard: inout [Int]) {
        var isQuiet = false
        while !isQuiet {
            isQuiet = true
            for sender in rigs.indices {
                let new = Array(rigs[sender].published.dropFirst(heard[sender]))
                heard[sender] = rigs[sender].published.count
                for message in new {
                    isQuiet = false
                    for receiver in rigs.indices where receiver != sender {
                        rigs[receiver].hear(message, from: rigs[sender].node.rawValue)
                    }
                }
            }
        }
    }

    /// Two persons press at once while the owner is offline. Both presses take effect.
    @Test(arguments: [[0, 1], [1, 0]]) func concurrentTakeoversLoseNoPress(order: [Int]) {
        var rigs = ["attic", "zoo"].map { TakeoverTests.displayOfKitchen(node: $0) }
        for index in order {
            rigs[index].hear(.presence(presence("k1", online: false)), from: "kitchen")
            let press = rigs[index].press(index == 0 ? .extend(seconds: 60) : .pause, id: "press-\(index)")
            #expect(outcome(press) == .applied)
        }
        var heard = [0, 0]
        Self.talk(&rigs, heard: &heard)
        #expect(rigs.map { $0.engine.view.register?.id } == [token("press-1"), token("press-1")])
        for rig in rigs {
            #expect(rig.moment?.register.status == .paused)
            #expect(rig.moment?.register.currentPhase.seconds == 1_560)
        }
        #expect(rigs[0].own?.status == .superseded)
        #expect(rigs[0].own?.runs.last?.to == EngineHarness.epoch + 60_000)
        for index in rigs.indices { rigs[index].pass(10_000) }
        Self.talk(&rigs, heard: &heard)
        #expect(rigs[1].own?.currentPhase.seconds == 1_560, "once")
    }

    // MARK: The chain

    static func part(
        _ node: String, lineage: String = "S1", at: GroupTime, started: GroupTime? = nil, from: String? = nil
    ) -> LineagePart {
        LineagePart(
            lineage: token(lineage), node: id(node), stamp: Stamp(time: at, counter: 0, node: id(node)),
            startedAt: started ?? at, takeover: from.map { LineagePart.Takeover(node: id($0), at: at) })
    }

    @Test func takeoverEndsOnlyWhatItsOwnChainExplains() {
        let first = Self.part("desk", at: 100_000)
        #expect(first.takenOverAt(by: Self.part("hall", at: 160_000, from: "desk")) == 160_000)
        let other = Self.part("hall", lineage: "S2", at: 160_000, from: "desk")
        #expect(first.takenOverAt(by: other) == nil, "another lineage")
        #expect(first.takenOverAt(by: Self.part("hall", at: 160_000, from: "attic")) == nil, "another node")
        #expect(first.takenOverAt(by: Self.part("hall", at: 160_000)) == nil, "a start")
        var earlier = Self.part("hall", at: 160_000, from: "desk")
        earlier.stamp.time = 99_000
        #expect(first.takenOverAt(by: earlier) == nil, "stamped before it")
        let both = [Self.part("attic", at: 200_000, from: "desk"), Self.part("hall", at: 160_000, from: "desk")]
        #expect(first.takenOverAt(by: both) == 160_000)
        #expect(first.takenOverAt(by: both.reversed()) == 160_000)
    }

    /// Clocks may differ by the stamp lead; a session that was taken back begins at its own takeover.
    @Test func takeoverFromBeforeASessionBelongsToAnEarlierOne() {
        let again = Self.part("desk", at: 500_000, started: 100_000, from: "hall")
        func end(at: GroupTime) -> GroupTime? {
            var later = Self.part("attic", at: at, from: "desk")
            later.stamp.time = 600_000
            return again.takenOverAt(by: later)
        }
        #expect(end(at: 500_000 - Limits.stampLead) == 490_000)
        #expect(end(at: 500_000 - Limits.stampLead - 1) == nil)
    }
}
