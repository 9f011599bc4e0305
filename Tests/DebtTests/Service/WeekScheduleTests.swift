// SPDX-License-Identifier: Apache-2.0

import Mosquitto
import Runtime
import Session
import Support
import Synchronization
import Testing

@testable import Debt

/// When weeks are computed, by given times of the boot clock.
@Suite(.timeLimit(.minutes(15))) struct WeekScheduleTests {
    /// A count that several threads share.
    private final class Count: Sendable {
        let value = Atomic(0)
    }

    private let home = SpaceID.home

    /// Runs `body` with a schedule, and with counts of how often its updater, reader and calendar have fired.
    private func withSchedule(_ body: (inout WeekSchedule, [Count]) async throws -> Void) async throws {
        let fired = (0..<3).map { _ in Count() }
        try await EventLoop.withEventLoop { loop in
            let timers = fired.map { count in loop.makeTimer { count.value.add(1, ordering: .relaxed) } }
            var schedule = WeekSchedule(updater: timers[0], reader: timers[1], calendar: timers[2])
            try await body(&schedule, fired)
        }
    }

    @Test func aChangedWeekIsComputedOnce() async throws {
        try await withSchedule { schedule, _ in
            #expect(schedule.removeChanged(at: 1_000) == [])
            schedule.insert(changed: home)
            #expect(schedule.removeChanged(at: 1_000) == [home])
            #expect(schedule.removeChanged(at: 1_000) == [])
        }
    }

    @Test func theNextWeekWaitsTenTimesAsLongAsTheLastOneTook() async throws {
        try await withSchedule { schedule, _ in
            schedule.noteUpdate(from: 1_000, to: 1_020)
            schedule.insert(changed: home)
            #expect(schedule.removeChanged(at: 1_219) == [])
            #expect(schedule.removeChanged(at: 1_220) == [home])
        }
    }

    @Test func aSuspendDuringAComputationDelaysTheNextOneByTenSeconds() async throws {
        try await withSchedule { schedule, _ in
            schedule.noteUpdate(from: 1_000, to: 1_201_000)
            schedule.insert(changed: home)
            #expect(schedule.removeChanged(at: 1_210_999) == [])
            #expect(schedule.removeChanged(at: 1_211_000) == [home])
        }
    }

    @Test func aWeekThatWaitsIsComputedLater() async throws {
        try await withSchedule { schedule, fired in
            let now = Clocks.boot()
            schedule.noteUpdate(from: now - 5, to: now)
            schedule.insert(changed: home)
            #expect(schedule.removeChanged(at: now) == [])
            try await eventually("the updater fires") { fired[0].value.load(ordering: .relaxed) == 1 }
        }
    }

    @Test func pastWeeksAreReadUntilAllAreKnown() async throws {
        try await withSchedule { schedule, fired in
            let now = Clocks.boot()
            #expect(schedule.nextUnread == nil)
            schedule.insert(unread: home, at: now)
            try await eventually("the reader fires") { fired[1].value.load(ordering: .relaxed) == 1 }
            schedule.noteRead(home, isComplete: false, from: now, to: now + 1)
            #expect(schedule.nextUnread == home)
            try await eventually("the reader fires again") { fired[1].value.load(ordering: .relaxed) == 2 }
            schedule.noteRead(home, isComplete: true, from: now, to: now + 1)
            #expect(schedule.nextUnread == nil)
        }
    }

    @Test func theCalendarIsCheckedAtTheEndOfADay() async throws {
        try await withSchedule { schedule, fired in
            schedule.armCalendar(in: 5, at: Clocks.boot())
            try await eventually("the calendar fires") { fired[2].value.load(ordering: .relaxed) == 1 }
        }
    }
}
