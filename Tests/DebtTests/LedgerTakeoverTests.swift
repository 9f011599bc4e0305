// SPDX-License-Identifier: Apache-2.0

import Ledger
import Session
import Support
import Testing
import Wire

@testable import Debt

/// Tests the effect of one node's records on another node's minutes.
@Suite("Takeovers in the ledger", .cpuBound, .onBothStores)
struct LedgerTakeoverTests {
    private let directory: TemporaryDirectory
    private let ledger: LedgerStore
    private let home = SpaceID.home
    private static let start: GroupTime = 1_800_000_000_000
    private static let minute: Milliseconds = 60_000

    init() throws {
        directory = try TemporaryDirectory()
        ledger = try LedgerStore(at: Store.place(in: directory))
    }

    private func record(
        _ id: String, of node: String, lineage: String? = nil, from: Int64 = 0, minutes: Int64,
        status: Status = .stopped,
        epoch: Int = 1, took: (node: String?, at: Int64)? = nil
    ) throws -> LedgerRecord {
        try .sample(id, of: node, from: Self.start + from * Self.minute, minutes: minutes, counter: took == nil ? 0 : 1)
        {
            if let lineage { $0.lineage = try #require(SessionID(lineage)) }
            $0.continuedAt = took.map { Self.start + $0.at * Self.minute }
            $0.continuedFrom = took?.node.flatMap(NodeID.init)
            ($0.version.epoch, $0.status) = (epoch, status)
            if status == .running { ($0.endsAt, $0.runs[0].to) = ($0.runs[0].to, nil) }
        }
    }

    @discardableResult
    private func file(_ record: LedgerRecord, at minute: Int64) throws -> FilingResult {
        let at = Self.start + minute * Self.minute
        return try ledger.file([LedgerStore.Arrival(space: home, digested: DigestedRecord(record), at: at)])[0].filing
    }

    private func minutes(at now: Int64 = 1_000) throws -> Int64 {
        let entries = try ledger.entries(of: home, from: .distantPast, to: .distantFuture)
        return CountedTime(of: entries, now: Self.start + now * Self.minute).total.count / Self.minute.count
    }

    @Test func recordOfAnotherNodeReplacesNothing() throws {
        let own = try record("s-1", of: "desk", minutes: 60)
        try file(own, at: 60)
        #expect(try file(record("s-1", of: "rogue", minutes: 1, epoch: 1_000_000), at: 70) == .stored)
        #expect(try ledger.record(own.key, of: home) == own)
        #expect(try minutes() == 60)
        #expect(try ledger.nodes(of: own.id, in: home).map(\.rawValue) == ["desk", "rogue"])
        // A correction of one does not affect the other.
        let rogue = LedgerRecord.Key(node: try #require(NodeID("rogue")), session: own.id)
        try ledger.correct(Correction(id: try #require(Token("c-1")), key: rogue, at: 0, content: nil), in: home)
        #expect(try minutes() == 60)
    }

    @Test(arguments: ["desk", nil]) func takeoverEndsARunningSession(named: String?) throws {
        try file(record("s-1", of: "desk", minutes: 120, status: .running), at: 0)
        try file(
            record("s-2", of: "hall", lineage: "s-1", from: 60, minutes: 30, took: (named, 60)), at: 61)
        #expect(try minutes() == 90)
        // The first node did not hear of the takeover, and reports that the session ran to its end.
        var late = try record("s-1", of: "desk", minutes: 120)
        late.version.rev = 2
        try file(late, at: 180)
        #expect(try minutes() == 90)
    }

    @Test(arguments: ["desk", nil]) func takeoverAfterTheEndOfASessionDoesNotCutIt(named: String?) throws {
        try file(record("s-1", of: "desk", minutes: 120), at: 120)
        try file(record("s-2", of: "rogue", lineage: "s-1", from: 1, minutes: 0, took: (named, 1)), at: 100_000)
        #expect(try minutes(at: 200_000) == 120)
    }

    /// The first arrival of either decides, however often the nodes send newer versions.
    @Test func laterVersionsDoNotChangeTheOrderOfArrival() throws {
        try file(record("s-1", of: "desk", minutes: 120, status: .running), at: 0)
        var takeover = try record("s-2", of: "hall", lineage: "s-1", from: 60, minutes: 30, took: ("desk", 60))
        try file(takeover, at: 61)
        var late = try record("s-1", of: "desk", minutes: 120)
        late.version.rev = 2
        try file(late, at: 180)
        takeover.version.rev = 2
        try file(takeover, at: 200)
        #expect(try minutes() == 90)
        try file(record("s-5", of: "desk", from: 300, minutes: 120), at: 420)
        try file(record("s-6", of: "rogue", lineage: "s-5", from: 301, minutes: 0, took: ("desk", 301)), at: 100_000)
        var again = try record("s-5", of: "desk", from: 300, minutes: 120)
        again.version.rev = 2
        try file(again, at: 100_001)
        #expect(try minutes(at: 200_000) == 210)
    }

    /// A ledger that was offline receives the end of a session and its takeover together.
    @Test func takeoverCutsASessionThatArrivesWithIt() throws {
        try file(record("s-1", of: "desk", minutes: 120), at: 180)
        try file(record("s-2", of: "hall", lineage: "s-1", from: 60, minutes: 30, took: ("desk", 60)), at: 180)
        #expect(try minutes() == 90)
    }

    @Test func firstOfTwoTakeoversEndsASession() throws {
        try file(record("s-1", of: "desk", minutes: 120, status: .running), at: 0)
        try file(record("s-2", of: "hall", lineage: "s-1", from: 60, minutes: 10, took: ("desk", 60)), at: 61)
        try file(record("s-3", of: "attic", lineage: "s-1", from: 90, minutes: 10, took: ("desk", 90)), at: 91)
        #expect(try minutes() == 80)
    }

    /// Weeks are kept, so each change must name the first instant that it touches.
    @Test func versionThatLeavesALineageTouchesTheSessionsItCut() throws {
        try file(record("s-1", of: "desk", minutes: 120, status: .running), at: 0)
        var takeover = try record("s-2", of: "hall", lineage: "s-1", from: 60, minutes: 30, took: ("desk", 60))
        try file(takeover, at: 61)
        (takeover.lineage, takeover.version.rev) = (takeover.id, 2)
        let arrival = LedgerStore.Arrival(space: home, digested: DigestedRecord(takeover), at: Self.start)
        let change = try #require(try ledger.file([arrival]).first)
        #expect(change.filing == .stored)
        #expect(try minutes() == 120)
        #expect(change.firstTouched == Self.start)
    }

    @Test func correctionIsNotCutByATakeover() throws {
        let first = try record("s-1", of: "desk", minutes: 120, status: .running)
        try file(first, at: 0)
        try file(record("s-2", of: "hall", lineage: "s-1", from: 60, minutes: 10, took: ("desk", 60)), at: 61)
        let run = LedgerRecord.Run(kind: .focus, from: Self.start, to: Self.start + 120 * Self.minute)
        let content = Correction.Content(title: "", label: nil, runs: [run])
        try ledger.correct(
            Correction(id: try #require(Token("c-1")), key: first.key, at: 0, content: content), in: home)
        #expect(try minutes() == 120)
    }

    @Test func recordsOfTwoNodesWithOneIDAreBothKept() throws {
        try file(record("s-1", of: "desk", minutes: 60, epoch: 5), at: 60)
        #expect(try file(record("s-1", of: "hall", from: 90, minutes: 30), at: 120) == .stored)
        #expect(try minutes() == 90)
    }

    @Test func takeoverEndsOnlySessionsOfTheNamedNode() throws {
        try file(record("s-1", of: "desk", minutes: 120, status: .running), at: 0)
        try file(record("s-2", of: "rogue", lineage: "s-1", from: 5, minutes: 0, took: ("hall", 5)), at: 6)
        #expect(try minutes() == 120)
        try file(record("s-3", of: "rogue", lineage: "s-9", from: 5, minutes: 0, took: ("desk", 5)), at: 6)
        #expect(try minutes() == 120, "it names another lineage")
        try file(record("s-4", of: "rogue", lineage: "s-1", from: 1, minutes: 0, took: ("desk", -300)), at: 6)
        #expect(try minutes() == 120, "it lies before the session")
    }
}
