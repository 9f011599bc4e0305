// SPDX-License-Identifier: Apache-2.0

import Harness
import Session
import Synchronization
import Testing

@testable import NodeRuntime

/// The decisions of the bell, by a clock that the test sets.
@Suite(.timeLimit(.minutes(15))) final class AlarmBellTests: Sendable {
    private static let end: BootTime = 1_000_000
    private let boot = Mutex(AlarmBellTests.end)
    private let played = Mutex(0)

    /// A view of a countdown that ends at ``end``.
    private static func view(overtime: Bool = false, acknowledgedAt: GroupTime? = nil) throws -> View {
        let node = try #require(NodeID("desk"))
        let id = try #require(SessionID("s-1"))
        let start: GroupTime = 1_800_000_000_000
        let register = Register(
            id: id, lineage: id, stamp: Stamp(time: start, counter: 0, node: node), epoch: 1, rev: 1, owner: node,
            title: "", icon: nil, label: nil, mode: .countdown, plan: [Phase(kind: .focus, seconds: 60)],
            autoAdvance: false, hasAlarm: true, hasOvertime: overtime, phase: 0, status: .running, startedAt: start,
            anchor: Anchor(elapsed: 0, at: start, bootID: try #require(BootID("b-1")), boot: 0),
            runs: [Run(phase: 0, from: start)])
        return View(
            register: register, anchorBoot: end - .seconds(60), error: ErrorBound(), isOwner: true, isLinked: true,
            acknowledgedAt: acknowledgedAt)
    }

    private func expectPlayed(_ count: Int) async throws {
        try await eventually("the sound was played") { played.withLock { $0 == count } }
    }

    @Test(arguments: [false, true]) func bellRingsFromTheEndOfThePhaseForFiveMinutes(overtime: Bool) async throws {
        let view = try Self.view(overtime: overtime)
        let bell = AlarmBell(
            clock: { [self] in boot.withLock(\.self) }, play: { [self] in played.withLock { $0 += 1 } })
        boot.withLock { $0 = Self.end - 7_000 }
        #expect(bell.step(view) == 7_000)
        boot.withLock { $0 = Self.end }
        #expect(bell.step(view) == 2_500)
        try await expectPlayed(1)
        boot.withLock { $0 = Self.end + 1_000 }
        #expect(bell.step(view) == 1_500, "another view does not make it ring sooner")
        boot.withLock { $0 = Self.end + 2_500 }
        #expect(bell.step(view) == 2_500)
        try await expectPlayed(2)
        boot.withLock { $0 = Self.end + Limits.alarmRings }
        #expect(bell.step(view) == nil)
    }

    @Test func nodeThatComesLateDoesNotRing() throws {
        let bell = AlarmBell(
            clock: { [self] in boot.withLock(\.self) }, play: { [self] in played.withLock { $0 += 1 } })
        boot.withLock { $0 = Self.end + Alarm.newFor }
        #expect(bell.step(try Self.view()) == nil)
    }

    @Test func alarmThatAPersonHasEndedRingsNoMore() async throws {
        let bell = AlarmBell(
            clock: { [self] in boot.withLock(\.self) }, play: { [self] in played.withLock { $0 += 1 } })
        #expect(bell.step(try Self.view()) == 2_500)
        try await expectPlayed(1)
        boot.withLock { $0 = Self.end + 2_500 }
        #expect(bell.step(try Self.view(acknowledgedAt: 1_800_000_060_000)) == nil)
    }
}
