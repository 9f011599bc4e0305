// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Session

/// Limits on the harm that a lying peer with a valid password can do.
@Suite(.timeLimit(.minutes(15))) struct AdmissionTests {
    static let limit = Limits.counter.upperBound

    static func fork(of node: String = "desk", _ epoch: Int, _ rev: Int) -> Message {
        .ack(.fork(node: id(node), version: Version(epoch: epoch, rev: rev)))
    }

    /// An engine of another node that has received only this register.
    static func reader(of register: Register?, at told: GroupTime = EngineHarness.epoch) -> EngineHarness {
        var rig = EngineHarness("reader", bootID: "boot-r", telling: told).linked()
        if let register { rig.hear(.register(register), from: register.owner.rawValue) }
        return rig
    }

    // MARK: Versions

    @Test func ownerContinuesAboveANearVersionAndStartsAnEpochBelowAFarOne() {
        for (rev, epoch) in [(2 + Limits.claimedRevisions, 1), (3 + Limits.claimedRevisions, 2), (Self.limit, 2)] {
            var rig = LinkTests.running()
            rig.hear(Self.fork(1, rev), from: "kitchen")
            #expect(rig.own?.epoch == epoch)
            #expect(epoch == 2 || rig.own?.rev == rev + 1)
        }
    }

    /// An owner without journal and retained register learns its later epochs from an observer.
    @Test func ownerReachesAnHonestClaimStepByStep() throws {
        var rig = LinkTests.running()
        var observer = Self.reader(
            of: peerRegister("desk", session: "S0", at: EngineHarness.epoch - 9_000, epoch: 6, rev: 40))
        for _ in 0..<10 {
            observer.published = []
            observer.hear(.register(try #require(rig.own)), from: "desk")
            for message in observer.published { rig.hear(message, from: "reader") }
            rig.pass(1_000)
        }
        #expect(rig.own?.version == Version(epoch: 6, rev: 41))
        #expect(observer.engine.view.register?.id == token("S1"))
    }

    @Test func registerOfAnImpossibleEpochIsRefused() {
        let bound = Limits.epochs + Int((EngineHarness.epoch - Limits.earliestStamp).count) / 1_000
        for (epoch, isUsed) in [(bound, true), (bound + 1, false), (Self.limit, false)] {
            var rig = EngineHarness().linked()
            rig.hear(.register(peerRegister(epoch: epoch)), from: "kitchen")
            #expect((rig.engine.view.register != nil) == isUsed)
            #expect(rig.engine.peers[.kitchen].discarded == (isUsed ? [:] : [.outOfBounds: 1]))
        }
    }

    /// Possible only at a broker without access rules.
    @Test func ownerRecoversFromAForgedVersionOnItsTopic() throws {
        var rig = LinkTests.running()
        var forged = try #require(rig.own)
        forged.epoch = Limits.epochs + Int((rig.told - Limits.earliestStamp).count) / 1_000
        forged.rev = Self.limit
        var reader = Self.reader(of: forged, at: rig.told)
        rig.hear(.register(forged), from: "desk")
        rig.pass(2_000)
        reader.pass(2_000)
        #expect(outcome(rig.start("focus 25m", id: "S2")) == .applied)
        reader.hear(.register(try #require(rig.own)), from: "desk")
        #expect(reader.engine.view.register?.id == token("S2"))
    }

    // MARK: Stamps and marks

    @Test func startBeatsTheLargestAdmissibleStamp() throws {
        var rig = EngineHarness().linked()
        let largest = peerRegister(at: EngineHarness.epoch + Limits.stampLead, counter: Self.limit)
        rig.hear(.register(largest), from: "kitchen")
        #expect(rig.engine.view.register?.owner == .kitchen)
        #expect(outcome(rig.start("focus 25m")) == .applied)
        #expect(rig.engine.view.isOwner)
        var reader = Self.reader(of: largest)
        reader.hear(.register(try #require(rig.own)), from: "desk")
        reader.pass(1)
        #expect(reader.engine.view.register?.id == token("S1"), "one millisecond later at most")
    }

    /// The reserve of the mark does not push the next start out of reach.
    @Test func startAfterARestartCountsAboveTheLargestAdmittedStamp() throws {
        var rig = EngineHarness().linked()
        let largest = peerRegister(at: EngineHarness.epoch + Limits.stampLead)
        rig.hear(.register(largest), from: "kitchen")
        var restarted = EngineHarness(boot: rig.boot, telling: rig.told, journal: rig.journal).linked()
        restarted.hear(.register(largest), from: "kitchen", retained: true)
        restarted.start("focus 25m")
        #expect(restarted.engine.view.isOwner)
        var reader = Self.reader(of: largest)
        reader.hear(.register(try #require(restarted.own)), from: "desk")
        reader.pass(1)
        #expect(reader.engine.view.register?.id == token("S1"))
    }

    // MARK: Answers

    @Test func lateAnswerOfAFormerOwnerIsNotDiscarded() {
        var rig = TakeoverTests.displayOfKitchen()
        rig.press(.pause, id: "I1")
        rig.hear(.register(LineageTests.continuation()), from: "attic")
        rig.hear(RequestTests.answer(.noop), from: "kitchen")
        #expect(rig.replies.isEmpty)
        #expect(rig.engine.peers[.kitchen].discarded.isEmpty)
        rig.hear(RequestTests.answer(.applied), from: "attic")
        #expect(outcome(rig.replies[1]) == .applied)
    }

    /// The codec and the broker's access rules reject most of these earlier.
    @Test func verdictDependsOnSenderAndAddressee() throws {
        var rig = RequestTests.rig()
        rig.press(.pause, id: "I1")
        let request = try #require(rig.engine.requests[token("I1")])
        func verdict(
            _ message: Message, from sender: String, head: (owner: NodeID, lineage: SessionID)? = nil
        ) -> Admission.Verdict {
            let known = Admission.Situation(
                context: rig.engine.context(at: rig.now), isSelf: id(sender) == rig.node,
                connection: rig.engine.link.connection, request: request, head: head)
            return Admission.judge(message, from: id(sender), in: known)
        }
        let intent = try #require(rig.intents.first)
        #expect(verdict(.intent(intent), from: "desk") == .accepted)
        #expect(verdict(.intent(intent), from: "zoo") == .refused(.wrongSender))
        let answer = RequestTests.answer(.applied)
        #expect(verdict(answer, from: "kitchen") == .accepted)
        #expect(verdict(answer, from: "desk") == .ignored)
        // By now it owns this session, or another one.
        #expect(verdict(answer, from: "attic", head: (id("attic"), token("P1"))) == .accepted)
        #expect(verdict(answer, from: "attic", head: (id("attic"), token("Z1"))) == .refused(.notAsked))
        for (subject, sender, isAccepted) in [("desk", "zoo", true), ("attic", "zoo", false), ("desk", "desk", false)] {
            let clock = Message.ack(.clock(node: id(subject), session: token("S1"), at: EngineHarness.epoch))
            for objection in [Self.fork(of: subject, 1, 9), clock] {
                #expect(verdict(objection, from: sender) == (isAccepted ? .accepted : .ignored))
            }
        }
        #expect(verdict(.hello, from: "zoo") == .accepted)
        #expect(verdict(.hello, from: "desk") == .ignored)
    }

    /// A node that was not asked continues the session and has applied the intent.
    @Test func registerOfTheHeadShowsAnEffect() {
        var rig = TakeoverTests.displayOfKitchen()
        rig.press(.pause, id: "I1")
        rig.hear(.register(LineageTests.continuation(applied: [token("I1")])), from: "attic")
        #expect(outcome(rig.replies[1]) == .applied)
        #expect(rig.intents.count == 1)
    }

    // MARK: Rates

    /// Presses `count` times as one peer, within its rate.
    private static func press(_ count: Int, as peer: String, into rig: inout EngineHarness) {
        for index in 0..<count {
            var press = rig.intent(index % 2 == 0 ? .pause : .resume, id: "\(peer)-\(index)")
            press.from = id(peer)
            rig.hear(press)
            rig.pass(60)
        }
    }

    static func flooded(_ count: Int) -> EngineHarness {
        var rig = EngineHarness().linked(starting: "focus 25m")
        rig.published = []
        for index in 0..<count {
            rig.hear(rig.intent(index % 2 == 0 ? .pause : .resume, id: "flood-\(index)"))
        }
        return rig
    }

    @Test func floodOfOnePeerIsBoundedAndCounted() {
        var rig = Self.flooded(10_000)
        let answers = Dictionary(grouping: rig.answers, by: \.outcome).mapValues(\.count)
        #expect(answers == [.applied: 100, .refused(.busy): 100])
        #expect(rig.registers.count == 100)
        #expect(rig.engine.peers[.kitchen].discarded == [.tooOften: 9_900])
        var pause = rig.intent(.pause, id: "honest")
        pause.from = id("zoo")
        rig.hear(pause)
        #expect(rig.answers.last?.intent == token("honest"))
        #expect(rig.answers.last?.outcome == .applied)
        rig.pass(10_000)
        rig.hear(rig.intent(.resume, id: "later"))
        #expect(rig.answers.last?.outcome == .applied, "a peer that has stopped is accepted again")
    }

    @Test func intentRefusedForItsRateStaysRefused() {
        var rig = Self.flooded(101)
        rig.pass(10_000)
        rig.hear(rig.intent(.pause, id: "flood-100"))
        #expect(rig.answers.suffix(2).map(\.outcome) == [.refused(.busy), .refused(.busy)])
        #expect(rig.own?.status == .running)
    }

    @Test func newSessionRestoresThePeersAllowance() {
        var rig = Self.flooded(1_000)
        rig.start("focus 25m", id: "S2")
        rig.hear(rig.intent(.pause, id: "fresh"))
        #expect(rig.answers.last?.intent == token("fresh"))
        #expect(rig.answers.last?.outcome == .applied)
    }

    @Test func appliedIntentIsNotAnsweredBusy() {
        var old = Self.flooded(0)
        let extend = old.intent(.extend(seconds: 60), id: "applied")
        old.hear(extend)
        var rig = EngineHarness(boot: old.boot, telling: old.told, journal: old.journal).linked()
        for index in 0..<100 { rig.hear(rig.intent(index % 2 == 0 ? .pause : .resume, id: "flood-\(index)")) }
        rig.published = []
        rig.hear(extend)
        rig.hear(rig.intent(.pause, id: "last"))
        #expect(rig.answers.map(\.intent) == [token("last")])
        #expect(rig.answers.last?.outcome == .refused(.busy))
    }

    /// Refusals are remembered for each peer.
    @Test func floodDoesNotEvictAnotherPeersRefusal() {
        var rig = EngineHarness().linked(starting: "focus 25m")
        var resume = rig.intent(.resume, id: "honest")
        resume.from = id("zoo")
        rig.hear(resume)
        for index in 0..<200 {
            rig.hear(rig.intent(.resume, id: "flood-\(index)"))
            rig.pass(60)
        }
        rig.press(.pause)
        rig.hear(resume)
        #expect(rig.answers.last?.intent == token("honest"))
        #expect(rig.answers.last?.outcome == .noop)
        #expect(rig.own?.status == .paused)
    }

    /// The register keeps the last ids of all peers; the owner remembers more of each peer.
    @Test func intentEvictedFromTheRegisterIsStillADuplicate() throws {
        var rig = EngineHarness().linked(starting: "focus 25m")
        let first = rig.intent(.extend(seconds: 60), id: "first")
        rig.hear(first)
        for peer in ["kitchen", "attic"] { Self.press(60, as: peer, into: &rig) }
        let own = try #require(rig.own)
        #expect(!own.applied.contains(first.id))
        rig.hear(first)
        #expect(rig.answers.last?.intent == first.id)
        #expect(rig.answers.last?.outcome == .duplicate)
        #expect(rig.own?.plan[0].seconds == 26 * 60)
    }

    @Test func pingsAndObjectionsAreBounded() {
        var rig = LinkTests.running()
        for _ in 0..<1_000 {
            rig.hear(.ping(Ping(connection: token("k1"), sent: 1, at: rig.told), to: id("desk")), from: "kitchen")
        }
        rig.hear(.register(peerRegister(at: EngineHarness.epoch - 1, rev: 8)), from: "kitchen")
        for _ in 0..<1_000 { rig.hear(.register(peerRegister(at: EngineHarness.epoch - 1, rev: 7)), from: "kitchen") }
        #expect(rig.published.count { if case .pong = $0 { true } else { false } } == 100)
        #expect(rig.published.count { if case .ack(.fork) = $0 { true } else { false } } == 100)
    }

    @Test func floodOfRisingStampsCausesFewWrites() {
        var rig = EngineHarness().linked()
        rig.log = []
        for count in 1...1_000 {
            let at = EngineHarness.epoch + Milliseconds(Int64(count))
            rig.hear(.register(peerRegister(session: "P\(count)", at: at, rev: count)), from: "kitchen")
        }
        #expect((1...2).contains(rig.log.count { if case .journal = $0 { true } else { false } }))
    }

    @Test func floodOfNewConnectionsRestartsThePingsOnceASecond() {
        var rig = EngineHarness(wallBound: nil).linked()
        for count in 0..<1_000 {
            rig.hear(.presence(presence("k\(count)", sleeping: count % 3 == 0)), from: "kitchen")
            rig.pass(10)
        }
        // A round begins with eight pings, and ten seconds pass.
        #expect((10...90).contains(rig.pings.count))
    }

    @Test func pongsOfOnePeerMoveGroupTimeAtABoundedRate() {
        var rig = EngineHarness(wallBound: nil).linked().besideKitchen()
        rig.published = []
        for index in 0..<1_000 {
            let year: Milliseconds = index % 2 == 0 ? 31_557_600_000 : 63_115_200_000
            let clock = PeerClock(wallLead: rig.told - rig.boot + year, quality: ClockQuality(isSynced: true))
            rig.hear(ExchangeTests.pong(of: rig, clock: clock), from: "kitchen")
        }
        #expect(rig.notes.count { if case .clockCorrected = $0 { true } else { false } } == 100)
        #expect(rig.engine.peers[.kitchen].discarded == [.tooOften: 900])
        #expect(rig.presences.count == 1, "a presence that changes is published once a second at most")
    }

    @Test(arguments: [Admission.Effort.intent, .ping, .pong, .objection])
    func forgottenPeerHasItsFullAllowanceAgain(effort: Admission.Effort) {
        let rig = EngineHarness()
        let context = rig.engine.context(at: rig.now)
        var admission = Admission()
        for _ in 0..<200 { _ = admission.charge(effort, to: .kitchen, context) }
        #expect(admission.charge(effort, to: .kitchen, context) == .refused(.tooOften))
        admission.forget(.kitchen)
        #expect(admission.charge(effort, to: .kitchen, context) == .accepted)
    }

    // MARK: Registers that the broker has lost

    /// An owner that has repeated its register for `kitchen`, which has joined.
    private static func runningBesideKitchen() -> EngineHarness {
        var rig = LinkTests.running()
        rig.hear(.presence(presence("k1")), from: "kitchen")
        rig.pass(1_000)
        rig.published = []
        return rig
    }

    @Test func ownerRepeatsItsRegisterWhenAnOlderLiveOneAppears() {
        var rig = Self.runningBesideKitchen()
        for rev in 1...20 {
            rig.hear(.register(peerRegister(at: EngineHarness.epoch - 60_000, rev: rev)), from: "kitchen")
        }
        #expect(rig.registers.isEmpty)
        rig.pass(1_000)
        #expect(rig.registers == [rig.own].compactMap(\.self))
        rig.pass(60_000)
        #expect(rig.registers.count == 1)
    }

    /// The repeated register may be lost too: the next message of the older session repeats it again.
    @Test func ownerRepeatsItsRegisterEachTimeTheOlderOneComes() {
        var rig = LinkTests.running()
        rig.hear(.presence(presence("k1")), from: "kitchen")
        for count in 1...3 {
            rig.hear(.register(peerRegister(at: EngineHarness.epoch - 60_000)), from: "kitchen")
            rig.pass(1_000)
            #expect(rig.registers.count == count)
        }
    }

    @Test func retainedOlderRegisterIsNotAnswered() throws {
        var rig = EngineHarness(journal: LinkTests.running().journal)
        let older = peerRegister(at: EngineHarness.epoch - 60_000)
        rig.linkUp(finding: [("kitchen", .presence(presence("k1"))), ("kitchen", .register(older))])
        rig.pass(10_000)
        #expect(rig.registers.count == 1)
    }

    /// Possible only at a broker without access rules.
    @Test func registerOfAnotherNodeOnTheOwnTopicIsReplaced() {
        var rig = LinkTests.running()
        rig.hear(.register(peerRegister()), from: "desk")
        rig.pass(1_000)
        #expect(rig.registers == [rig.own].compactMap(\.self))
    }
}
