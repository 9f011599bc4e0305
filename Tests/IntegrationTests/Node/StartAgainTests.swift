// SPDX-License-Identifier: Apache-2.0

import Session
import Support
import Testing

/// `lockstep start` with a length that its node knows. That is what is left of a session, and the time until an end.
@Suite(.limitedConcurrency, .retriedAfterStall) struct StartAgainTests {
    @Test func aStoppedSessionGoesOnAtAnotherNodeThatDidNotRunMeanwhile() async throws {
        try await Space.with("desk", "kitchen", "pi") { space in
            let (desk, kitchen, pi) = (space["desk"], space["kitchen"], space["pi"])
            try await kitchen.lockstep("start", "--again").expect(
                5, errors: "seen no session that was stopped; start one with lockstep start")

            let started = try await desk.lockstep(
                "start", "Reading", "--plan", "focus 25m, shortBreak 5m", "--label", "Study", "--icon", "book", "--json"
            )
            try await kitchen.waitFor("the session") { $0.session == started.json.session }
            try await kitchen.kill()
            #expect(try await desk.lockstep("extend", "1m").code == 0)
            #expect(try await desk.lockstep("pause").code == 0)
            let left = try #require(desk.status.remainingSeconds.int)
            #expect(left > 1_500)
            #expect(try await desk.lockstep("stop").code == 0)
            // A later session hides the one that was stopped.
            let walk = try pi.begin(["title": "Walk", "seconds": 1])
            try await desk.waitFor("the end of the walk") { $0.session.text == walk && $0.status == "completed" }

            try await kitchen.start()
            var again: CommandResult?
            try await eventually("kitchen has the retained sessions") {
                again = try await kitchen.lockstep("start", "--again", "--json")
                return again?.code == 0
            }
            let session = try await desk.waitFor("the session") { $0.session == again?.json.session }
            session.expect(["owner": "kitchen", "status": "running", "title": "Reading"])
            #expect(session.label.name == "Study")
            #expect(session.icon == "book")
            #expect(session.plan.items.map(\.seconds) == [.number(left), 300])
            try await kitchen.lockstep("start", "--again").expect(5, errors: "a later one has gone on with it")
            try await kitchen.lockstep("start", "Reading", "--again").expect(2)
            #expect(kitchen.status.session == again?.json.session)
        }
    }

    @Test func aSessionEndsAtATimeOfTheDay() async throws {
        // Five and a half hours ahead, the same all year.
        let zone = ["TZ": "TST-5:30"]
        try await Space.with("desk", environment: zone) { space in
            func local(_ time: Int64) -> LocalTime { LocalTime(at: time, offset: 19_800) }
            func start(_ time: String, _ more: String...) async throws -> CommandResult {
                try await CommandLine.run(
                    ["start", "Talk", "--until", time, "--socket", space["desk"].socket.path] + more, environment: zone)
            }
            // The minute before this one comes again tomorrow.
            let end = now() / 60_000 * 60_000 - 60_000 + LocalTime.dayLength
            let time = local(end).clock
            let result = try await start(time).expect()
            let day = local(end).date == local(now()).date ? "" : " tomorrow"
            #expect(result.output == "Session started · until \(time)\(day)\n")
            let ends = try #require(space["desk"].status.endsAt.int)
            #expect((end..<end + 3_000).contains(ends), "\(ends - end)")
            try await start("25:00").expect(2, errors: "--until “25:00”: must be a time of day, as 14:30")
            #expect(try await start("14:30", "--for", "5m").code == 2)
        }
    }
}
