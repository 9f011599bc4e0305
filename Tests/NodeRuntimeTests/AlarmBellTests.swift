// SPDX-License-Identifier: Apache-2.0

import Session
import Support
import Synchronization
import Testing

@testable import NodeRuntime

/// The decisions of the bell, by a clock that the test sets.
@Suite(.timeLimit(.minutes(15))) final class AlarmBellTests: Sendable {
    private static let end: BootTime = 1_000_000
    private let boot = Mutex(AlarmBellTests.end)
    private let played = Mutex(0)

    /// A view of a countdown that ends at ``end``.
    private static func view(overtime: Bool = false, acknowledgedAt: GroupTime? = nil) -> View {
        var register = makeRegister([Phase(kind: .focus, seconds: 60)])
        (register.hasAlarm, register.hasOvertime) = (true, overtime)
        return View(
            register: register, anchorBoot: end - .seconds(60), error: ErrorBound(), isOwner: true, isLinked: true,
            acknowledgedAt: acknowledgedAt)
    }

    private func makeBell() -> AlarmBell {
        AlarmBell(clock: { [self] in boot.withLock(\.self) }, play: { [self] in played.withLock { $0 += 1 } })
    }

    private func expectPlayed(_ count: Int) async throws {
        try await eventually("the sound was played") { played.withLock { $0 == count } }
    }

    @Test(arguments: [false, true]) func bellRingsFromTheEndOfThePhaseForFiveMinutes(overtime: Bool) async throws {
        let view = Self.view(overtime: overtime)
        let bell = makeBell()
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
        let bell = makeBell()
        boot.withLock { $0 = Self.end + Limits.alarmNewFor }
        #expect(bell.step(Self.view()) == nil)
    }

    @Test func alarmThatAPersonHasEndedRingsNoMore() async throws {
        let bell = makeBell()
        #expect(bell.step(Self.view()) == 2_500)
        try await expectPlayed(1)
        boot.withLock { $0 = Self.end + 2_500 }
        #expect(bell.step(Self.view(acknowledgedAt: 1_800_000_060_000)) == nil)
    }
}
