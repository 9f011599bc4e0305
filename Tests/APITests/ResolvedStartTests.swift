// SPDX-License-Identifier: Apache-2.0

import API
import Session
import Testing

/// Starts whose length the node knows: what is left of a session that was stopped.
@Suite(.timeLimit(.minutes(5))) struct ResolvedStartTests {
    /// Midnight of 2026-11-27 in universal time.
    private static let midnight: Int64 = 1_795_737_600_000

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
        return RecentSession(register, at: GroupTime(time + 86_400_000))
    }

    @Test func aSessionGoesOnWithTheTimeThatItHadLeft() throws {
        let rest = try StartRequest(again: true).resolved(recent: [try stopped()])
        let start = try rest.start()
        #expect(
            start
                == Start(
                    title: "Reading", icon: "📖", label: try Fixtures.register().label,
                    plan: [Phase(kind: .focus, seconds: 1_499), Phase(kind: .shortBreak, name: "Tea", seconds: 300)],
                    autoAdvance: true))
        let second = try StartRequest(again: true).resolved(recent: [try stopped(phase: 1, elapsed: 1)]).start()
        #expect(second.plan == [Phase(kind: .shortBreak, name: "Tea", seconds: 300)])
        let up = try StartRequest(again: true).resolved(recent: [try stopped(mode: .countup)]).start()
        #expect(up.mode == .countup)
        #expect(up.title == "Reading")
    }

    @Test func itIsTheSessionThatWasStoppedLast() throws {
        let recent = [
            try stopped("Walk", at: Self.midnight + 3, status: .completed), try stopped("Talk", at: Self.midnight + 2),
            try stopped(),
        ]
        #expect(recent.lastStopped?.start.title == "Talk")
        #expect(Array(recent.dropFirst(2)).lastStopped?.start.title == "Reading")
    }

    @Test func thereIsNothingToGoOnWith() throws {
        let request = StartRequest(again: true)
        let continued = [try stopped(at: Self.midnight + 1, status: .completed), try stopped()]
        let empty = try stopped(elapsed: 1_560_000)
        for recent in [[], [try stopped(status: .completed)], continued, [empty], [empty, try stopped("Talk")]] {
            #expect(try request.resolved(recent: recent) == request)
        }
    }

    @Test func againExcludesEverythingElse() throws {
        for request in [
            StartRequest(title: "x", again: true), StartRequest(again: true, mode: "countup"),
            StartRequest(again: true, autoAdvance: false),
        ] {
            let error = try #require(throws: RequestError.self) {
                try request.resolved(recent: [try stopped()])
            }
            #expect(error.field == "again")
        }
    }
}
