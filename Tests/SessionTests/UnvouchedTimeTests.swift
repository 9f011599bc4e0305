// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Session

/// Nodes of which no kernel vouches for its clock, as in a network without a time server.
@Suite(.timeLimit(.minutes(15))) struct UnvouchedTimeTests {
    static let hour: Milliseconds = 3_600_000
    static let unvouched = ClockQuality(isSynced: false)

    /// The clock of a node that is behind by an hour, which no kernel vouches for.
    static let behind = PeerClock(wallLead: EngineHarness.epoch - 1_000_000 - hour, quality: unvouched)

    static func alone(skew: Milliseconds = 0) -> EngineHarness {
        EngineHarness(telling: EngineHarness.epoch + skew, wallBound: nil).linked()
    }

    @Test func eachNodeGoesByItsOwnPlausibleClock() {
        var rig = Self.alone()
        rig.meet("kitchen", Self.behind)
        rig.hear(.register(peerRegister(at: EngineHarness.epoch - Self.hour)), from: "kitchen")
        rig.pass(10_000)
        #expect(rig.groupTime == rig.told)
        #expect(!rig.isContradicted(by: "kitchen"), "it is unknown which of them is wrong")
    }

    /// The intent lives by the clock of the node that decides.
    @Test(arguments: [-hour, hour]) func pressTakesEffectThoughTheClocksDiffer(skew: Milliseconds) throws {
        var desk = Self.alone()
        let clock = PeerClock(wallLead: EngineHarness.epoch + skew - 1_000_000, quality: Self.unvouched)
        desk.meet("kitchen", clock)
        desk.hear(.register(peerRegister(at: EngineHarness.epoch + skew)), from: "kitchen")
        desk.pass(1_000)
        desk.press(.pause)
        let intent = try #require(desk.intents.first)
        #expect(intent.at == EngineHarness.epoch + skew + 1_000)
        #expect(intent.expiresAt == intent.at + Limits.intentLife)
        // A node that goes by another time takes the session over.
        desk.clocks[id("attic")] = PeerClock(bootID: "boot-a", quality: Self.unvouched)
        desk.hear(.presence(presence("attic-1")), from: "attic")
        let began = EngineHarness.epoch + skew
        desk.hear(.register(LineageTests.continuation(of: peerRegister(at: began), at: began + 500)), from: "attic")
        desk.pass(1_500)
        let second = try #require(desk.intents.last)
        #expect(second.session != intent.session)
        #expect((second.expiresAt - EngineHarness.epoch - 1_000 - Limits.intentLife).magnitude <= 2_000)
    }

    /// The times of both parts do not compare.
    @Test(arguments: [false, true]) func takeoverFromAnotherTimeIsApproximate(isSameTime: Bool) {
        var rig = Self.alone()
        let same = PeerClock(quality: Self.unvouched)
        rig.meet("kitchen", isSameTime ? same : Self.behind)
        rig.hear(.register(peerRegister(at: EngineHarness.epoch - (isSameTime ? 0 : Self.hour))), from: "kitchen")
        rig.pass(1_000)
        rig.hear(.presence(presence("kitchen-1", online: false)), from: "kitchen")
        #expect(outcome(rig.press(.pause)) == .applied)
        #expect(rig.journal?.isApproximate == !isSameTime)
    }

    /// The takeover is dated by the right time. This node learns of it 30 s late, and of the right time by its own
    /// clock or by the node that took over, which still states it.
    @Test(arguments: [(hour, false), (0, true), (20_000, true)] as [(Milliseconds, Bool)])
    func takeoverByTheRightTimeDoesNotHoldASessionInTheWrongOne(error: Milliseconds, isStated: Bool) throws {
        var rig = Self.alone()
        rig.start("focus 25m")
        rig.pass(4_000)
        let right = rig.told + error
        rig.pass(30_000)
        if isStated {
            rig.meet("attic", PeerClock(wallLead: EngineHarness.epoch - 1_000_000 + error, quality: Self.unvouched))
        }
        rig.hear(.register(LineageTests.continuation(of: try #require(rig.own), at: right)), from: "attic")
        #expect(rig.own?.status == .superseded)
        rig.told += error
        rig.wallBound = 5
        rig.pass(1_000)
        rig.send(.wake)
        #expect(rig.own?.runs.map(\.from) == [right - Milliseconds(4_000)])
        #expect(rig.own?.runs.map(\.to) == [right])
        #expect(rig.journal?.isGuess == false)
    }

    // MARK: Stamps

    /// The mark falls again when a vouched clock comes, and the start counts from then on.
    @Test func vouchedClockJudgesAllStampsAgain() throws {
        var rig = Self.alone()
        rig.hear(.register(peerRegister(at: EngineHarness.epoch + Self.hour)), from: "kitchen")
        #expect(rig.engine.view.register?.owner == .kitchen)
        rig.start("focus 25m")
        #expect(rig.own?.stamp == Stamp(time: EngineHarness.epoch + Self.hour, counter: 1, node: id("desk")))
        #expect(rig.engine.view.isOwner)
        rig.meet("attic")
        rig.pass(1_000)
        #expect(rig.own?.stamp.time == EngineHarness.epoch)
        #expect(rig.own?.startedAt == EngineHarness.epoch)
        #expect(rig.engine.view.isOwner)
        #expect(rig.journal?.mark.time ?? .distantFuture <= EngineHarness.epoch + HybridClock.reserve)
    }

    /// The register of 2044 is of a clock that was wrong once, and is kept by the broker.
    @Test func stampsOfOthersWaitUntilAllVouchedClocksAreKnown() throws {
        var old = Self.alone()
        old.start("focus 5h")
        var rig = EngineHarness(boot: old.boot, telling: old.told, wallBound: nil, journal: old.journal)
        rig.clocks[id("attic")] = PeerClock(back: 100)
        let later = peerRegister("zoo", session: "Z1", at: 2_340_000_000_000)
        rig.linkUp(finding: [
            ("desk", .presence(presence("conn-desk-1"))), ("attic", .presence(presence("attic-1"))),
            ("zoo", .register(later)),
        ])
        rig.pass(10_000)
        #expect(rig.own?.status == .running)
        #expect(rig.engine.view.isOwner)
        // Without a vouched clock it is a start like any other.
        var other = EngineHarness(boot: old.boot, telling: old.told, wallBound: nil, journal: old.journal).linked()
        other.hear(.register(later), from: "zoo", retained: true)
        #expect(other.own?.status == .superseded)
        other.start("focus 25m", id: "S2")
        #expect(other.engine.view.isOwner)
    }

    /// There is always a stamp above the largest one.
    @Test func impossibleStampDoesNotCount() {
        var rig = Self.alone()
        let limit = EngineHarness.epoch + Limits.plausibleSpan
        for time in [Limits.earliestStamp - 1, limit + 1] as [GroupTime] {
            rig.hear(
                .register(peerRegister(session: "P\(time)", at: time, rev: Int(time.milliseconds % 1_000))),
                from: "kitchen")
            #expect(rig.engine.view.register == nil)
        }
        rig.hear(
            .register(peerRegister("zoo", session: "Z1", at: limit, counter: Limits.counter.upperBound)), from: "zoo")
        #expect(rig.engine.view.register?.id == token("Z1"))
        rig.pass(1)
        rig.start("focus 25m")
        #expect(rig.engine.view.isOwner)
    }

    @Test func nodeWithoutAVouchedTimeNeverObjectsToAClock() {
        var rig = Self.alone()
        rig.hear(.register(peerRegister(at: Limits.earliestStamp - 1)), from: "kitchen")
        rig.pass(10_000)
        #expect(!rig.published.contains { if case .ack = $0 { true } else { false } })
        var vouched = EngineHarness().linked()
        vouched.hear(.register(peerRegister(at: EngineHarness.epoch + Self.hour)), from: "kitchen")
        #expect(vouched.published.contains { if case .ack(.clock) = $0 { true } else { false } })
    }
}
