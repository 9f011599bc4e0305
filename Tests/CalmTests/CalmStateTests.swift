// SPDX-License-Identifier: Apache-2.0

import API
import Session
import Support
import Testing
import Wire

@testable import Calm

/// Tests the feed of a state from the start of a session until long after its end.
@Suite(.timeLimit(.minutes(15))) struct CalmStateTests {
    private static let hour: Milliseconds = 3_600_000
    private static let start: BootTime = 360_000_000
    private static let lead = Lead(1_800_000_000_000)

    private func register(_ status: Status, end: BootTime? = nil) -> Register {
        let (start, anchor) = (Self.start, end ?? Self.start)
        var register = makeRegister(
            [Phase(kind: .focus, seconds: 54_000)], status: status, elapsed: anchor - start, mode: .countup)
        (register.stamp.time, register.startedAt) = (start + Self.lead, start + Self.lead)
        (register.anchor.at, register.anchor.boot) = (anchor + Self.lead, 77)
        register.runs = [Run(phase: 0, from: start + Self.lead, to: end.map { $0 + Self.lead })]
        return register
    }

    /// Returns the feed. The owner has another boot clock, so the anchor on this one counts.
    private func feed(_ state: inout CalmState, _ register: Register, at now: BootTime) -> CalmFeed? {
        let view = View(register: register, anchorBoot: register.anchor.at - Self.lead)
        return view.lastMoment(at: now).flatMap { state.feed(of: $0) }
    }

    private func hear(_ state: inout CalmState, from: BootTime, seconds: Int64, isQuiet: (Int64) -> Bool) {
        for second in 0..<seconds {
            let time = from + .seconds(second)
            let sample = TimedLevel(source: "mic", from: time, period: 1_000, level: isQuiet(second) ? 300 : 600)
            state.meter.add(sample, at: time + 1_000)
        }
    }

    @Test func feedIsMissingWithoutSamples() throws {
        var state = CalmState(threshold: Threshold(level: 450))
        let running = register(.running)
        _ = state.update(running) { _ in nil }
        #expect(feed(&state, running, at: Self.start + 60_000) == nil)
    }

    /// The whole three hours are in the feed at the end, and the feed is gone long after.
    @Test func lastFeedCoversTheWholeSession() throws {
        var state = CalmState(threshold: Threshold(level: 450))
        let running = register(.running)
        _ = state.update(running) { _ in nil }
        let begin = feed(&state, running, at: Self.start)
        #expect(begin == nil)
        hear(&state, from: Self.start, seconds: 1) { _ in true }
        #expect(feed(&state, running, at: Self.start + 1)?.percent == 100)
        // Loud in the first hour, alternating in the second, quiet in the third.
        hear(&state, from: Self.start + 1_000, seconds: 3 * 3_600 - 1) { $0 >= 3_599 && $0 % 2 == 0 || $0 >= 7_199 }
        let before = try #require(feed(&state, running, at: Self.start + 3 * Self.hour))
        #expect(before.percent == 50)
        #expect(before.coverage == 100)
        #expect(before.minutes.count == 60)
        let stopped = register(.stopped, end: Self.start + 3 * Self.hour)
        _ = state.update(stopped) { _ in nil }
        for minutes: Int64 in [0, 1, 9] {
            let now = Self.start + 3 * Self.hour + .minutes(minutes)
            hear(&state, from: now, seconds: 30) { _ in false }
            let last = try #require(feed(&state, stopped, at: now + 30_000))
            #expect(last.percent == 50, "after \(minutes) minutes")
            #expect(last.coverage == 100, "after \(minutes) minutes")
        }
        let later = Self.start + 5 * Self.hour
        hear(&state, from: later, seconds: 30) { _ in false }
        #expect(feed(&state, stopped, at: later + 30_000) == nil, "the feed of an old session is missing")
    }

    /// A peer may publish any number of sessions of one lineage.
    @Test func sessionsOfALineageAreBounded() throws {
        var lineage = LineageRuns(of: try #require(SessionID("s-1")))
        var register = register(.running)
        register.lineage = lineage.id
        for index in 0..<200 {
            register.id = try #require(SessionID("s-\(index)"))
            register.stamp.time += 1
            lineage.update(register)
        }
        #expect(ReportJSON.encode(lineage).count < 64 * 400)
        #expect(!lineage.stretches(until: .distantFuture, lead: Self.lead).isEmpty)
    }

    @Test func newLineageReplacesTheFormerOne() throws {
        var state = CalmState(threshold: Threshold(level: 450))
        let first = register(.running)
        #expect(state.update(first) { _ in nil } == true)
        #expect(state.update(first) { _ in nil } == false, "the lineage has not changed")
        hear(&state, from: Self.start, seconds: 60) { _ in false }
        #expect(feed(&state, first, at: Self.start + 60_000)?.percent == 0)
        var second = register(.running)
        second.id = try #require(SessionID("s-2"))
        second.lineage = second.id
        second.runs = [Run(phase: 0, from: Self.start + 60_000 + Self.lead)]
        #expect(feed(&state, second, at: Self.start + 60_000) == nil, "the state does not follow this session")
        _ = state.update(second) { _ in nil }
        #expect(feed(&state, second, at: Self.start + 60_000)?.percent == 100)
    }
}
