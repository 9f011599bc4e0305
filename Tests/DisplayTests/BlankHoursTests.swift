// SPDX-License-Identifier: Apache-2.0

import Display
import Testing

@Suite(.timeLimit(.minutes(15))) struct BlankHoursTests {
    private static let minute: Int64 = 60_000

    @Test(arguments: [("23:00-07:00", "23:00-07:00"), ("9:05-17:30", "09:05-17:30"), ("00:00-23:59", "00:00-23:59")])
    func hoursAreReadAndWritten(_ text: String, _ written: String) {
        #expect(BlankHours(text)?.description == written)
    }

    @Test(arguments: [
        "", "23:00", "23:00-", "24:00-07:00", "23:60-07:00", "7:00-7:00", "23-07", "a:b-c:d", "-1:00-2:00",
        "23:00-07:00-08:00", "9:5-17:30",
    ])
    func otherTextsAreRefused(_ text: String) {
        #expect(BlankHours(text) == nil)
    }

    @Test func aNightSpansMidnight() throws {
        let night = try #require(BlankHours("23:00-07:00"))
        for (minute, isDark) in [(0, true), (419, true), (420, false), (1_379, false), (1_380, true), (1_439, true)] {
            #expect(night.contains(Int64(minute) * Self.minute) == isDark, "minute \(minute)")
            #expect(night.contains(Int64(minute - 1_440) * Self.minute) == isDark, "the day before 1970")
        }
    }

    @Test func theNextChangeIsTheNearerBoundary() throws {
        let night = try #require(BlankHours("23:00-07:00"))
        #expect(night.untilChange(420 * Self.minute) == 960 * Self.minute)
        #expect(night.untilChange(1_380 * Self.minute) == 480 * Self.minute)
        #expect(night.untilChange(419 * Self.minute) == Self.minute)
    }
}
