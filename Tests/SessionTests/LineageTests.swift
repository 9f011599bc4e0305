// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Session

/// An intent follows its session along the lineage, under one id, and takes effect once.
@Suite struct LineageTests {
    /// What `attic` made of the session that `kitchen` owned.
    static func continuation(
        of register: Register = peerRegister(plan: "focus 25m, shortBreak 5m"), at: Int64 = Rig.epoch + 60_000,
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
                    by: Superseder(session: token(session), node: id(node), at: Rig.epoch))))
    }

    /// A node that has taken the session over from `kitchen`.
    static func head() -> Rig {
        var register = peerRegister(plan: "focus 25m, shortBreak 5m")
        register.applied = [token("I0")]
        var rig = TakeoverTests.mirror(register)
        rig.hear(.presence(presence("k1", online: false)), from: "kitchen")
        rig.press(.pause, id: "H1")
        rig.published = []
        return rig
    }

    // MARK: The asking side

    @Test func itIsAskedOfTheHeadAsSoonAsThatIsSeen() {
        var rig = TakeoverTests.mirror()
        rig.press(.pause, id: "I1")
        rig.pass(500)
        rig.hear(.register(Self.continuation()), from: "attic")
        #expect(rig.intents.map(\.session) == [token("P1"), token("C1")])
        #expect(Set(rig.intents.map(\.id)) == [token("I1")])
        rig.hear(RequestTests.answer(.applied), from: "attic")
        #expect(outcome(rig.replies[1]) == .applied)
        rig.pass(10_000)
        #expect(rig.intents.count == 2 && rig.own == nil)
    }

    /// The old owner says who has the session; the person waits until that one is seen to continue it.
    @Test func aRefusalThatNamesTheHeadIsNotTheAnswer() {
        var rig = TakeoverTests.mirror()
        rig.press(.pause, id: "I1")
        rig.hear(Self.refusal(by: "C1", "attic"), from: "kitchen")
        #expect(rig.replies.isEmpty)
        rig.hear(.register(Self.continuation()), from: "attic")
        #expect(rig.replies.isEmpty && rig.intents.last?.session == token("C1"))
        rig.hear(RequestTests.answer(.applied), from: "attic")
        #expect(outcome(rig.replies[1]) == .applied)
    }

    @Test func aRefusalByAnotherSessionIsTheAnswer() {
        var rig = TakeoverTests.mirror()
        rig.press(.pause, id: "I1")
        rig.hear(Self.refusal(by: "Z1", "attic"), from: "kitchen")
        #expect(rig.replies.isEmpty, "it may continue the session")
        rig.hear(.register(peerRegister("attic", session: "Z1", at: rig.wall)), from: "attic")
        #expect(outcome(rig.replies[1]) == .refused(.superseded))
        rig.pass(10_000)
        #expect(rig.own == nil)
    }

    /// The person pressed on a picture of the session that is older than the takeover.
    @Test func whoLooksAtAnAncestorMeansTheHead() {
        var rig = TakeoverTests.mirror()
        rig.hear(.register(Self.continuation()), from: "attic")
        rig.press(.pause, session: "P1")
        #expect(rig.intents.last?.session == token("C1"))
        var owner = Self.head()
        #expect(outcome(owner.press(.resume, session: "P1")) == .applied)
    }

    // MARK: The head

    @Test func theHeadSaysThatItIsTheHead() {
        var rig = Self.head()
        rig.hear(rig.intent(.resume, id: "I1", session: "P1"))
        #expect(rig.answers.map(\.outcome) == [.refused(.superseded)])
        #expect(rig.answers.last?.by?.session == token("H1") && rig.answers.last?.by?.node == id("desk"))
        rig.hear(rig.intent(.resume, id: "I1", session: "H1"))
        #expect(rig.answers.last?.outcome == .applied, "the same id, aimed at the head, is not refused again")
        rig.hear(rig.intent(.resume, id: "I1", session: "P1"))
        #expect(rig.answers.last?.outcome == .duplicate && rig.own?.status == .running)
    }

    @Test func theHeadKnowsWhatTookEffectBefore() {
        var rig = Self.head()
        for session in ["P1", "H1"] { rig.hear(rig.intent(.resume, id: "I0", session: session)) }
        #expect(rig.answers.map(\.outcome) == [.duplicate, .duplicate] && rig.own?.status == .paused)
    }

    /// Its own session was continued in turn: whoever has it now answers.
    @Test func whoIsNoLongerTheHeadIsSilent() throws {
        var rig = Self.head()
        let next = Self.continuation(of: try #require(rig.own), at: rig.wall + 1)
        rig.hear(.register(next), from: "attic")
        #expect(rig.own?.status == .superseded)
        rig.hear(rig.intent(.resume, id: "I1", session: "P1"))
        #expect(rig.answers.isEmpty)
    }

    // MARK: The old owner

    /// An owner whose last effect never reached anybody.
    static func cutOff() -> Rig {
        var rig = Rig()
        rig.linkUp()
        rig.start("focus 25m, shortBreak 5m")
        rig.pass(50_000)
        rig.hear(rig.intent(.extend(seconds: 60), id: "I1"))
        rig.pass(20_000)
        rig.published = []
        return rig
    }

    @Test func whatDidNotTravelIsHandedOnUnderItsId() throws {
        var rig = Self.cutOff()
        let winner = Self.continuation(of: try #require(rig.own), node: "kitchen")
        rig.hear(.register(winner), from: "kitchen")
        #expect(rig.own?.status == .superseded && rig.intents.count == 1)
        let intent = try #require(rig.intents.first)
        #expect(intent.id == token("I1") && intent.session == winner.id && intent.lineage == token("S1"))
        #expect(intent.operation == .extend(seconds: 60) && intent.from == id("desk"))
        rig.pass(1_000)
        #expect(rig.intents.count == 2, "until it is answered")
        rig.hear(RequestTests.answer(.applied), from: "kitchen")
        rig.pass(30_000)
        #expect(rig.intents.count == 2, "and nobody is told: its own person was answered long ago")
    }

    /// The clock that told when it expires may have been wrong.
    @Test func whatIsHandedOnIsGivenUpAfterTheLifeOfAnIntent() throws {
        var rig = Rig()
        rig.linkUp()
        rig.start("focus 25m, shortBreak 5m")
        rig.hear(rig.intent(.extend(seconds: 60), id: "I1", life: 86_400_000))
        rig.pass(60_000)
        rig.hear(.register(Self.continuation(of: try #require(rig.own), node: "kitchen")), from: "kitchen")
        rig.pass(Limits.intentLife)
        let sent = rig.intents.count
        #expect(sent > 1)
        rig.pass(60_000)
        #expect(rig.intents.count == sent)
    }

    @Test func whatTravelledOrIsTooOldIsNotHandedOn() throws {
        var known = Self.cutOff()
        known.hear(
            .register(Self.continuation(of: try #require(known.own), node: "kitchen", applied: [token("I1")])),
            from: "kitchen")
        #expect(known.own?.status == .superseded && known.intents.isEmpty)
        var late = Self.cutOff()
        late.pass(10_000)
        late.hear(.register(Self.continuation(of: try #require(late.own), node: "kitchen")), from: "kitchen")
        #expect(late.own?.status == .superseded && late.intents.isEmpty)
        var other = Self.cutOff()
        other.hear(.register(peerRegister(at: other.wall)), from: "kitchen")
        #expect(other.own?.status == .superseded && other.intents.isEmpty, "another start is nobody's continuation")
    }

    /// A takeover of another node's session, dated before this one began, is none of it.
    @Test(arguments: [0, Rig.epoch - Limits.stampLead - 1]) func runsStayWhereATakeoverLiesBeforeTheSession(
        at: Int64
    ) throws {
        var rig = Rig()
        rig.linkUp()
        rig.start("focus 25m")
        rig.pass(60_000)
        var forged = Self.continuation(of: try #require(rig.own))
        forged.continues = Continuation(node: id("zoo"), epoch: 1, rev: 1, at: at)
        rig.hear(.register(forged), from: "attic")
        #expect(rig.own?.status == .superseded)
        #expect(rig.own?.runs == [Run(phase: 0, from: Rig.epoch, to: Rig.epoch + 60_000)])
    }

    /// The takeover from this node is heard of after a later one: the runs still end where the first one began.
    @Test func runsEndAtTheFirstTakeover() throws {
        var rig = Self.cutOff()
        let first = Self.continuation(of: try #require(rig.own), at: Rig.epoch + 20_000, node: "kitchen")
        var second = Self.continuation(of: first, at: Rig.epoch + 40_000)
        second.id = token("C2")
        rig.hear(.register(second), from: "attic")
        #expect(rig.own?.runs == [Run(phase: 0, from: Rig.epoch, to: Rig.epoch + 40_000)])
        rig.hear(.register(first), from: "kitchen")
        #expect(rig.own?.runs == [Run(phase: 0, from: Rig.epoch, to: Rig.epoch + 20_000)])
        #expect(rig.registers.last == rig.own && rig.own?.flaw == nil)
    }

    // MARK: All together

    /// Delivers what each rig has published to the others, until nobody has anything new to say.
    static func talk(_ rigs: inout [Rig], heard: inout [Int]) {
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

    /// Two persons press at once on the session of an owner that is gone. Both are told that it took effect, and it did.
    @Test(arguments: [[0, 1], [1, 0]]) func twoTakeoversAtOnceLoseNothing(order: [Int]) {
        var rigs = ["attic", "zoo"].map { TakeoverTests.mirror(node: $0) }
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
        #expect(rigs[0].own?.status == .superseded && rigs[0].own?.runs.last?.to == Rig.epoch + 60_000)
        for index in rigs.indices { rigs[index].pass(10_000) }
        Self.talk(&rigs, heard: &heard)
        #expect(rigs[1].own?.currentPhase.seconds == 1_560, "once")
    }

    /// The owner applied a press and was cut off before anybody saw it; the asking node asks again, and takes over.
    @Test func aPressThatBothApplyTakesEffectOnce() throws {
        var owner = Rig("owner", bootID: "boot-o")
        var asker = Rig("asker", bootID: "boot-a", boot: 9_000)
        owner.linkUp()
        asker.linkUp()
        owner.start("focus 25m")
        asker.hear(.register(try #require(owner.own)), from: "owner")
        asker.press(.extend(seconds: 60), id: "I1")
        owner.hear(try #require(asker.intents.first))
        owner.send(.linkDown)
        owner.pass(2_000)
        asker.pass(2_000)
        #expect(outcome(asker.replies[1]) == .applied && asker.own?.id == token("I1"))
        asker.published = []
        owner.published = []
        asker.hear(.register(try #require(owner.own)), from: "owner")
        owner.linkUp()
        owner.hear(.register(try #require(asker.own)), from: "asker")
        for intent in owner.intents { asker.hear(intent) }
        #expect(owner.own?.status == .superseded && owner.intents.isEmpty)
        #expect(asker.own?.currentPhase.seconds == 1_560 && asker.own?.applied == [token("I1")])
    }

    // MARK: The chain

    static func link(
        _ node: String, lineage: String = "S1", at: Int64, started: Int64? = nil, from: String? = nil
    ) -> ChainLink {
        ChainLink(
            lineage: token(lineage), node: id(node), stamp: Stamp(time: at, counter: 0, node: id(node)),
            startedAt: started ?? at, takeover: from.map { ChainLink.Takeover(node: id($0), at: at) })
    }

    @Test func takeoverEndsOnlyWhatItsOwnChainExplains() {
        let first = Self.link("desk", at: 100_000)
        #expect(first.end(by: Self.link("hall", at: 160_000, from: "desk")) == 160_000)
        #expect(first.end(by: Self.link("hall", lineage: "S2", at: 160_000, from: "desk")) == nil, "another lineage")
        #expect(first.end(by: Self.link("hall", at: 160_000, from: "attic")) == nil, "another node")
        #expect(first.end(by: Self.link("hall", at: 160_000)) == nil, "a start")
        var earlier = Self.link("hall", at: 160_000, from: "desk")
        earlier.stamp.time = 99_000
        #expect(first.end(by: earlier) == nil, "stamped before it")
        let both = [Self.link("attic", at: 200_000, from: "desk"), Self.link("hall", at: 160_000, from: "desk")]
        #expect(first.end(by: both) == 160_000 && first.end(by: both.reversed()) == 160_000)
    }

    /// Clocks may differ by as much as a stamp may lead; a session that came back begins at its own takeover.
    @Test func takeoverFromBeforeASessionBelongsToAnEarlierOne() {
        let again = Self.link("desk", at: 500_000, started: 100_000, from: "hall")
        func end(at: Int64) -> Int64? {
            var later = Self.link("attic", at: at, from: "desk")
            later.stamp.time = 600_000
            return again.end(by: later)
        }
        #expect(end(at: 500_000 - Limits.stampLead) == 490_000)
        #expect(end(at: 500_000 - Limits.stampLead - 1) == nil)
    }
}
