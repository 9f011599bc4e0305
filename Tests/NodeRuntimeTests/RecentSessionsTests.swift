// SPDX-License-Identifier: Apache-2.0

import API
import Session
import Support
import Testing

@testable import NodeRuntime

/// The sessions that a node has seen, for its pages.
@Suite(.timeLimit(.minutes(15))) struct RecentSessionsTests {
    private static let start: GroupTime = 1_798_545_600_000

    private static func register(_ id: String, at time: GroupTime = start, status: Status = .running) throws -> Register
    {
        var register = makeRegister(
            [Phase(kind: .focus, seconds: 1_560, added: 60), Phase(kind: .shortBreak, seconds: 300)], phase: 1,
            status: status, title: "Reading")
        register.id = try #require(SessionID(id))
        register.lineage = register.id
        (register.stamp.time, register.startedAt, register.anchor.at) = (time, time, time)
        register.runs = [Run(phase: 0, from: time, to: time + 60_000), Run(phase: 1, from: time + 60_000)]
        return register
    }

    @Test func aSessionIsListedOnceWithItsTimeAndItsPlan() throws {
        var recent = RecentSessions(in: nil)
        recent.note(try Self.register("s-1"), at: Self.start + 90_000)
        recent.note(try Self.register("s-2", at: Self.start + 100_000), at: Self.start + 110_000)
        recent.note(try Self.register("s-1", status: .stopped), at: Self.start + 120_000)
        #expect(recent.all.map(\.lineage) == ["s-2", "s-1"])
        let first = try #require(recent.all.last)
        #expect(first.done == 60_000, "a break is not counted")
        #expect(first.isFinal)
        #expect(first.start.title == "Reading")
        #expect(first.start.phases?.map(\.seconds) == [1_500, 300], "without extensions")
        let again = try first.start.start()
        #expect(again.plan == [Phase(kind: .focus, seconds: 1_500), Phase(kind: .shortBreak, seconds: 300)])
    }

    /// The node may get no further register of the first one.
    @Test func aLaterStartEndsTheSessionBeforeIt() throws {
        var recent = RecentSessions(in: nil)
        let minute: Milliseconds = 60_000
        var first = try Self.register("s-1")
        first.phase = 0
        first.runs = [Run(phase: 0, from: Self.start)]
        recent.note(first, at: Self.start)
        #expect(recent.all.first?.done == 0)
        let second = try Self.register("s-2", at: Self.start + 20 * minute)
        recent.note(second, at: Self.start + 30 * minute)
        let ended = try #require(recent.all.last)
        #expect(ended.lineage == "s-1")
        #expect(ended.isFinal)
        #expect(ended.done == 20 * minute)
    }

    @Test func aSessionThatWasStoppedMeanwhileIsSeenAmongTheRetainedOnes() throws {
        let directory = try TemporaryDirectory()
        var recent = RecentSessions(in: directory.path)
        recent.note(try Self.register("s-1"), at: Self.start)
        var second = try Self.register("s-2", at: Self.start + 90_000, status: .completed)
        second.title = "Walk"
        recent.note(second, at: Self.start + 120_000)
        #expect(recent.all.lastStopped == nil)
        recent.note(retained: [second, try Self.register("s-1", status: .stopped)], at: Self.start + 130_000)
        #expect(recent.all.map(\.lineage) == ["s-2", "s-1"])
        #expect(recent.all.lastStopped?.remainder?.phases?.map(\.seconds) == [300])
        recent.save(isStop: true)
        #expect(RecentSessions(in: directory.path).all.lastStopped == recent.all.lastStopped)
    }

    @Test func sessionsSurviveARestartAndAreBounded() throws {
        let directory = try TemporaryDirectory()
        var recent = RecentSessions(in: directory.path)
        for index in 0..<RecentSessions.limit + 5 {
            recent.note(
                try Self.register("s-\(index)", at: Self.start + Milliseconds(Int64(index))), at: Self.start + 60_000)
        }
        #expect(recent.all.count == RecentSessions.limit)
        #expect(recent.all.first?.lineage == "s-\(RecentSessions.limit + 4)")
        recent.save()
        #expect(RecentSessions(in: directory.path).all == recent.all)
        let last = RecentSessions.limit + 4
        var longer = try Self.register("s-\(last)", at: Self.start + Milliseconds(Int64(last)))
        longer.runs = [Run(phase: 0, from: longer.startedAt)]
        recent.note(longer, at: Self.start + 90_000)
        recent.save()
        #expect(RecentSessions(in: directory.path).all != recent.all, "neither a start nor an end")
        recent.save(isStop: true)
        #expect(RecentSessions(in: directory.path).all == recent.all)
        _ = try directory.write("damaged", to: "recent.json")
        #expect(RecentSessions(in: directory.path).all == [])
    }
}
