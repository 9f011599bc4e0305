// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Session

/// Synchronised clocks, also such that contradict each other.
@Suite(.timeLimit(.minutes(15))) struct VouchedTimeTests {
    /// A synchronised clock that reads 2044.
    static let rogue = PeerClock(wallLead: 2_340_000_000_000 - 1_000_000)

    /// A node with a session, whose synchronised clock is wrong by `skew`.
    static func synchronised(skew: Milliseconds = 0) -> EngineHarness {
        EngineHarness(telling: EngineHarness.epoch + skew).linked(starting: "focus 25m")
    }

    /// Its role can change nothing. A service with the same clock has a vote.
    @Test(arguments: [(Role.display, false), (.service, true)])
    func theClockOfADisplayHasNoVote(role: Role, hasVote: Bool) {
        var rig = EngineHarness(wallBound: nil).linked()
        rig.meet("attic", Self.rogue, role: role)
        rig.pass(10_000)
        #expect((rig.groupTime == rig.told) != hasVote)
        #expect(rig.pings.isEmpty != hasVote)
        rig.hear(ExchangeTests.pong(of: rig, clock: Self.rogue), from: "attic")
        rig.hear(
            .ping(Ping(connection: token("c-9"), sent: 77, at: Self.rogue.time(at: rig.boot)), to: rig.node),
            from: "attic")
        rig.pass(10_000)
        #expect((rig.groupTime == rig.told) != hasVote)
        #expect(rig.pings.isEmpty != hasVote)
    }

    /// The ledger learns that the date may be wrong.
    @Test func recordsAreApproximateWhileVouchedClocksContradict() {
        var rig = Self.synchronised()
        #expect(rig.records.last?.isApproximate == false)
        rig.meet("attic", Self.rogue)
        rig.pass(1_000)
        rig.press(.pause)
        #expect(rig.records.last?.isApproximate == true)
        rig.meet("attic", PeerClock(), connection: "attic-2")
        #expect(!rig.isContradicted(by: "attic"))
        rig.start("focus 10m", id: "S2")
        #expect(rig.records.last?.isApproximate == false)
    }

    /// An unsynchronised clock or an offline node does not make a synchronised clock doubtful.
    @Test func unvouchedOrOfflineClockLeavesRecordsExact() {
        var unvouched = Self.rogue
        unvouched.quality = ClockQuality(isSynced: false)
        var rig = Self.synchronised()
        rig.meet("attic", unvouched)
        rig.pass(1_000)
        rig.start("focus 10m", id: "S2")
        #expect(rig.isContradicted(by: "attic"))
        #expect(rig.records.last?.isApproximate == false)
        var late = Self.synchronised()
        late.meet("attic", Self.rogue)
        late.hear(.presence(presence("attic-1", online: false)), from: "attic")
        let ping = Ping(connection: token("attic-1"), sent: 5, at: Self.rogue.time(at: late.boot))
        late.hear(.ping(ping, to: late.node), from: "attic")
        late.start("focus 10m", id: "S2")
        #expect(late.isContradicted(by: "attic"))
        #expect(late.records.last?.isApproximate == false)
    }

    @Test func offlineNodeContradictsNoClock() {
        var rig = Self.synchronised()
        rig.meet("attic", Self.rogue)
        rig.hear(.presence(presence("attic-1", online: false)), from: "attic")
        #expect(!rig.isContradicted(by: "attic"))
    }

    /// A person has to correct one of them; no number of accomplices moves a synchronised node.
    @Test(arguments: [-3_600_000, 11_000, 3_600_000] as [Milliseconds]) func noNumberOfClocksMovesASynchronisedOne(
        skew: Milliseconds
    ) {
        var rig = Self.synchronised(skew: skew)
        let others = (1...9).map { "n\($0)" }
        for node in others { rig.meet(node) }
        rig.pass(10_000)
        #expect(rig.groupTime == rig.told)
        #expect(rig.own?.rev == 1)
        #expect(rig.presences.allSatisfy { !$0.clock.isWrong })
        #expect(others.allSatisfy { rig.isContradicted(by: $0) })
        rig.start("focus 10m", id: "S2")
        #expect(rig.own?.stamp.time == rig.told)
        #expect(rig.records.last?.isApproximate == true)
        // The person sets the clock. Nothing that another node says is needed.
        rig.told -= skew
        rig.send(.wake)
        #expect(!others.contains { rig.isContradicted(by: $0) })
        rig.start("focus 10m", id: "S3")
        #expect(rig.records.last?.isApproximate == false)
    }

    /// Both sides learn of a contradiction, though only one of them sees the other come.
    @Test func contradictingNodeLearnsOfItByAPing() throws {
        var rig = Self.synchronised()
        rig.meet("attic", Self.rogue)
        rig.pass(1_000)
        #expect(rig.pings.filter { $0.to == id("attic") }.count == 8)
        var attic = EngineHarness("attic", telling: Self.rogue.time(at: rig.boot)).linked()
        attic.hear(.presence(presence("desk-1")), from: "desk", retained: true)
        #expect(!attic.isContradicted(by: "desk"))
        attic.hear(.ping(try #require(rig.pings.first).ping, to: attic.node), from: "desk")
        #expect(attic.isContradicted(by: "desk"))
    }

    /// A node that does not answer is not waited for longer than 2.5 seconds.
    @Test func dateIsFinalWithoutTheAnswerOfASilentNode() {
        var rig = EngineHarness(wallBound: nil).linked()
        rig.hear(.presence(presence("cellar-1")), from: "cellar", retained: true)
        rig.meet("attic")
        rig.start("focus 25m")
        rig.pass(2_519)
        #expect(rig.journal?.isGuess == true)
        rig.pass(1)
        #expect(rig.journal?.isGuess == false)
    }

    /// Otherwise each sleep of the only right clock would bring the wrong one back.
    @Test func timeOfAVouchedClockStaysWhileItsNodeIsOffline() {
        var rig = EngineHarness(telling: EngineHarness.epoch + 3_600_000, wallBound: nil).linked()
        rig.meet("attic")
        rig.pass(10_000)
        #expect(rig.groupTime == EngineHarness.epoch + 10_000)
        rig.hear(.presence(presence("attic-1", online: false)), from: "attic")
        rig.told += 5_000
        rig.pass(10_000)
        #expect(rig.groupTime == EngineHarness.epoch + 20_000)
        rig.meet("cellar", PeerClock(wallLead: EngineHarness.epoch - 1_000_000 + 60_000))
        #expect(rig.groupTime == EngineHarness.epoch + 80_000)
    }

    /// In a suspend the kernel counts the boot clock on by a battery clock.
    @Test func nodeThatWakesIsFollowedFromItsNextPongOn() {
        var rig = EngineHarness(wallBound: nil).linked()
        rig.meet("kitchen", PeerClock(wallLead: EngineHarness.epoch - 999_000))
        rig.meet("attic")
        rig.pass(1_000)
        #expect(rig.groupTime == rig.told, "of two the clock nearer to the own one counts")
        rig.hear(.presence(presence("attic-1", sleeping: true)), from: "attic")
        #expect(rig.groupTime == rig.told + 1_000)
        // It answers as soon as it wakes, and says later that it does.
        rig.clocks[id("attic")]?.back = 500
        if let (ping, to) = rig.pings.last(where: { $0.to == id("attic") }) { rig.answer(ping, for: to) }
        rig.pass(500)
        #expect(rig.groupTime == rig.told + 1_000)
        rig.hear(.presence(presence("attic-1")), from: "attic")
        #expect(rig.groupTime == rig.told + 1_000)
        rig.pass(5_000)
        #expect(rig.groupTime == rig.told)
    }

    /// Others ask a node for the time if its presence says that its kernel vouches.
    @Test func presenceIsPublishedAgainWhenTheKernelBeginsOrStopsToVouch() {
        var rig = EngineHarness(wallBound: nil).linked()
        rig.published = []
        rig.wallBound = 5
        rig.send(.wake)
        #expect(rig.presences.map(\.clock.isSynced) == [true])
        rig.wallBound = nil
        rig.send(.wake)
        rig.pass(1_000)
        #expect(rig.presences.map(\.clock.isSynced) == [true, false])
    }

    // MARK: The nodes that are asked

    /// Many nodes in a network without a time server.
    @Test func withoutAVouchedClockSevenNodesAreAskedOnce() {
        var rig = EngineHarness(wallBound: nil).linked()
        for index in 0..<300 { rig.meet("n\(index)", PeerClock(quality: ClockQuality(isSynced: false))) }
        rig.pass(10_000)
        #expect(rig.pings.count == 7 * 8)
        rig.pass(600_000)
        #expect(rig.pings.count == 7 * 8)
        #expect(!rig.published.contains(.hello))
    }

    /// Its time may be that of a vouched clock, whose presence the broker has withheld.
    @Test func contradictionSaysHelloOnceWhileNoVouchedClockIsKnown() {
        var rig = EngineHarness(wallBound: nil).linked()
        rig.hear(.presence(unsynced("kitchen-1", at: EngineHarness.epoch)), from: "kitchen", retained: true)
        rig.clocks[id("kitchen")] = PeerClock(
            groupLead: EngineHarness.epoch - 1_000_000 + 3_600_000, quality: ClockQuality(isSynced: false))
        rig.pass(10_000)
        #expect(rig.published.count { $0 == .hello } == 1)
        rig.hear(.presence(unsynced("kitchen-1", at: rig.told + 3_600_000)), from: "kitchen")
        rig.pass(10_000)
        #expect(rig.published.count { $0 == .hello } == 1)
        // Another time is news.
        rig.hear(.presence(unsynced("kitchen-1", at: rig.told + 2 * 3_600_000)), from: "kitchen")
        #expect(rig.published.count { $0 == .hello } == 2)
        rig.meet("pi")
        rig.hear(.presence(unsynced("kitchen-1", at: rig.told + 3 * 3_600_000)), from: "kitchen")
        rig.pass(10_000)
        #expect(rig.published.count { $0 == .hello } == 2)
    }

    private func unsynced(_ connection: String, at time: GroupTime) -> Presence {
        var said = presence(connection)
        (said.clock, said.at) = (ClockQuality(isSynced: false), time)
        return said
    }

    @Test func nodeWhoseKernelVouchesAsksNobody() {
        var rig = EngineHarness().linked()
        for index in 0..<20 { rig.meet("n\(index)") }
        rig.pass(10_000)
        #expect(rig.pings.isEmpty)
    }

    /// Seven tell the time, and stay the ones that do.
    @Test func firstSevenVouchedClocksThatAnswerAreAsked() {
        var rig = EngineHarness(wallBound: nil).linked()
        for number in (10...60).reversed() {
            rig.meet("n\(number)")
            rig.pass(10)
        }
        rig.pass(5_000)
        let asked = Dictionary(grouping: rig.pings, by: \.to).mapValues(\.count)
        #expect(asked.keys.map(\.rawValue).sorted() == (54...60).map { "n\($0)" })
        #expect(asked.values.allSatisfy { $0 == 8 })
    }

    /// A bridge to other brokers is broken, say, and the first nodes by name are behind it.
    @Test func silentNodeGivesItsPlaceToAnother() {
        var rig = EngineHarness(wallBound: nil)
        rig.clocks[id("n19")] = PeerClock(wallLead: EngineHarness.epoch - 1_000_000 + 60_000)
        let others = (10...19).map { ("n\($0)", Message.presence(presence("n\($0)-1"))) }
        rig.linkUp(finding: [("desk", .presence(presence("conn-desk-1")))] + others)
        #expect(Set(rig.pings.map(\.to)) == Set((10...16).map { id("n\($0)") }))
        rig.pass(10_000)
        #expect(rig.groupTime == rig.told + 60_000)
        rig.start("focus 25m")
        #expect(rig.journal?.isGuess == false)
    }
}
