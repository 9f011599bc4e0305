// SPDX-License-Identifier: Apache-2.0

import API
import Session
import Support
import Testing
import Wire

@testable import Display

/// Displays without a session, and near the end of a phase.
@Suite(.timeLimit(.minutes(15))) struct IdleTests {
    private static let midnight: Int64 = 1_795_993_200_000
    private static let minute: Int64 = 60_000

    private func screen(_ idle: Idle, at time: Int64, face: Face = .focus) -> Screen {
        var options = ScreenOptions(utcOffset: { _ in 3_600 })
        (options.idle, options.wallClock) = (idle, WallTime(time))
        options.week = DebtWeek(
            name: "2026-W49", from: GroupTime(Self.midnight), to: GroupTime(Self.midnight + 7 * 86_400_000), goal: 420,
            done: 4_500_000, days: [1_800_000, 2_700_000, 0, 0, 0, 0, 0], streak: 2, labels: [],
            first: CivilDate("2026-11-30"), today: 1)
        return Screen(makeView(nil), at: 0, face: face, options: options)
    }

    @Test func timeOfDayStandsAboveTheMinutesOfTodayUntilTheDayIsOver() {
        let shown = screen(.clock, at: Self.midnight + 86_400_000 + 845 * Self.minute)
        #expect(shown.time == "14:05")
        #expect(shown.sumText == "Today 45m")
        let later = screen(.clock, at: Self.midnight + 2 * 86_400_000 + 5 * Self.minute)
        #expect(later.time == "00:05")
        #expect(later.sumText == nil)
    }

    @Test func weekHasItsDaysAndTheBoringFaceNothing() {
        let time = Self.midnight + 86_400_000
        #expect(screen(.week, at: time).days.map(\.isToday) == [false, true, false, false, false, false, false])
        #expect(screen(.week, at: time).time.isEmpty)
        for idle in Idle.allCases {
            let boring = screen(idle, at: time, face: .boring)
            #expect(boring.time.isEmpty)
            #expect(boring.days.isEmpty)
            #expect(boring.sumText == nil)
        }
    }

    @Test func durationsHaveTheFormOfPlans() {
        #expect(EndWarning("5m")?.seconds == 300)
        #expect(EndWarning("90s")?.seconds == 90)
        for wrong in ["", "5", "0s", "5x", "-5m"] { #expect(EndWarning(wrong) == nil, "\(wrong)") }
    }
}
