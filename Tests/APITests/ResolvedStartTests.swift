// SPDX-License-Identifier: Apache-2.0

import API
import Session
import Testing

/// Starts whose length the node knows: until a time of the day, or the rest of a stopped session.
@Suite(.timeLimit(.minutes(15))) struct ResolvedStartTests {
    private static let hour: Int64 = 3_600_000
    private static let day = 24 * hour
    /// Midnight of 2026-11-27 in universal time.
    private static let midnight: Int64 = 1_795_737_600_000

    private func resolved(
        _ request: StartRequest, at time: Int64, recent: [RecentSession] = [],
        offset: (Int64) -> Int = { _ in 0 }
    ) throws -> StartRequest {
        try request.resolved(at: GroupTime(time), recent: recent, utcOffset: offset)
    }

    private func stopped(
        _ title: String = "Reading", at time: Int64 = midnight, mode: Mode = .countdown, status: Status = .stopped,
        phase: Int = 0, elapsed: Milliseconds = 61_500
    ) throws -> RecentSession {
        var register = try Fixtures.register()
        register.title = title
        register.status = status
        register.startedAt = GroupTime(time)
        register.mode = mode
        register.phase = phase
        register.plan[0].seconds += 60
        register.plan[0].added = 60
        register.autoAdvance = true
        register.anchor.elapsed = elapsed
        register.runs = [Run(phase: phase, from: GroupTime(time), to: GroupTime(time) + elapsed)]
        return RecentSession(register, at: GroupTime(time + Self.day))
    }

    // MARK: Until a time

    @Test(arguments: [
        (hour, "14:30", 13 * hour + hour / 2), (14 * hour, "14:00", day), (15 * hour, "14:00", 23 * hour),
        (hour, "00:00", 23 * hour), (hour, "01:00:30", 30_000), (hour - 400, "01:00", 1_000),
        (hour + 400, "01:00", day), (0, "9:05", 9 * hour + hour / 12),
    ])
    func aSessionEndsAtATimeOfTodayOrTomorrow(now: Int64, until: String, left: Int64) throws {
        let request = try resolved(StartRequest(title: "Talk", until: until), at: Self.midnight + now)
        #expect(request == StartRequest(title: "Talk", seconds: Int(left / 1_000)))
    }

    /// The zone is four hours behind: there it is still yesterday.
    @Test func theDayIsThatOfTheNode() throws {
        let request = try resolved(StartRequest(until: "22:00"), at: Self.midnight + Self.hour) { _ in -4 * 3_600 }
        #expect(request.seconds == 3_600)
    }

    /// The clocks are set by an hour at 02:00 of the day.
    @Test(
        arguments: [
            // Forward: 02:30 is the instant of the jump.
            (0, 1, hour, "02:30", hour), (0, 1, hour, "03:30", hour + hour / 2),
            // Back: 01:30 exists twice.
            (1, 0, 0, "01:30", 3 * hour / 2), (1, 0, 3 * hour / 2, "01:30", hour),
            (1, 0, 5 * hour / 2, "01:30", 24 * hour),
        ] as [(Int, Int, Int64, String, Int64)])
    func aTimeInANightOfAClockChangeIsTheNextInstantWithThatTime(
        before: Int, after: Int, now: Int64, until: String, left: Int64
    ) throws {
        let begin = Self.midnight - Int64(before) * Self.hour
        let jump = Self.midnight + (before == 0 ? 2 : 1) * Self.hour
        let request = try resolved(StartRequest(until: until), at: begin + now) {
            $0 < jump ? before * 3_600 : after * 3_600
        }
        #expect(request.seconds == Int(left / 1_000))
    }

    @Test func anEndAfterMoreThanADayIsRefused() throws {
        let jump = Self.midnight
        let error = try #require(throws: RequestError.self) {
            try resolved(StartRequest(until: "22:00"), at: jump - 3 * Self.hour) { $0 < jump ? 3_600 : 0 }
        }
        #expect(error.field == "until")
    }

    @Test(arguments: ["", "24:00", "14.30", "14", "2 pm", "-1:00", "14:60", "14:3", "9:5", "009:30"])
    func otherTextsAreNotATimeOfDay(text: String) throws {
        let error = try #require(throws: RequestError.self) { try resolved(StartRequest(until: text), at: 0) }
        #expect(error == RequestError("until", "must be a time of day, as 14:30"))
    }

    @Test func untilExcludesOtherPlans() throws {
        for request in [
            StartRequest(seconds: 60, until: "14:30"), StartRequest(until: "14:30", plan: "5m"),
            StartRequest(until: "14:30", preset: "pomodoro"),
        ] {
            let error = try #require(throws: RequestError.self) { try resolved(request, at: 0) }
            #expect(error.message == "only one of seconds, until, plan, phases and preset")
        }
    }

    // MARK: What is left

    @Test func theMinutesOfALiveSessionGoOnInOvertime() throws {
        var register = try Fixtures.register()
        register.hasOvertime = true
        register.runs = [Run(phase: 0, from: register.startedAt, to: nil)]
        let end = try #require(register.endsAt)
        #expect(RecentSession(register, at: end + 60_000).done == end + 60_000 - register.startedAt)
        register.hasOvertime = false
        #expect(RecentSession(register, at: end + 60_000).done == end - register.startedAt)
    }

    @Test func aSessionGoesOnWithTheTimeThatItHadLeft() throws {
        let rest = try resolved(StartRequest(again: true), at: 0, recent: [try stopped()])
        let start = try rest.start()
        #expect(
            start
                == Start(
                    title: "Reading", icon: "📖", label: try Fixtures.register().label,
                    plan: [Phase(kind: .focus, seconds: 1_499), Phase(kind: .shortBreak, name: "Tea", seconds: 300)],
                    autoAdvance: true, hasAlarm: false))
        let second = try resolved(StartRequest(again: true), at: 0, recent: [try stopped(phase: 1, elapsed: 1)]).start()
        #expect(second.plan == [Phase(kind: .shortBreak, name: "Tea", seconds: 300)])
        let up = try resolved(StartRequest(again: true), at: 0, recent: [try stopped(mode: .countup)]).start()
        #expect(up.mode == .countup)
        #expect(up.title == "Reading")
    }

    @Test func theSessionThatWasStoppedLastGoesOn() throws {
        let recent = [
            try stopped("Walk", at: Self.midnight + 3, status: .completed), try stopped("Talk", at: Self.midnight + 2),
            try stopped(),
        ]
        #expect(recent.lastStopped?.start.title == "Talk")
        #expect(Array(recent.dropFirst(2)).lastStopped?.start.title == "Reading")
    }

    @Test func aRequestIsUnchangedWithoutAStoppedSession() throws {
        let request = StartRequest(again: true)
        let continued = [try stopped(at: Self.midnight + 1, status: .completed), try stopped()]
        let empty = try stopped(elapsed: 1_560_000)
        for recent in [[], [try stopped(status: .completed)], continued, [empty], [empty, try stopped("Talk")]] {
            #expect(try resolved(request, at: 0, recent: recent) == request)
        }
    }

    @Test func againExcludesEverythingElse() throws {
        for request in [
            StartRequest(title: "x", again: true), StartRequest(until: "14:30", again: true),
            StartRequest(again: true, autoAdvance: false),
        ] {
            let error = try #require(throws: RequestError.self) {
                try resolved(request, at: 0, recent: [try stopped()])
            }
            #expect(error.field == "again")
        }
    }
}
