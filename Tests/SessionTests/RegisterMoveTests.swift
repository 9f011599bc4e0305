// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Session

/// A correction of group time moves the times of a session and keeps its minutes.
@Suite(.timeLimit(.minutes(15))) struct RegisterMoveTests {
    static let minute: Milliseconds = 60_000
    static let day = 1_440 * minute

    static func since2026(_ minutes: Int64) -> GroupTime { Limits.earliestStamp + minutes * minute }

    /// A session of two runs and a pause with guessed dates, which begin with 2026.
    static func guessed(isOpen: Bool) -> Register {
        var register = peerRegister(
            plan: "focus 5h", at: since2026(10), status: isOpen ? .running : .paused, elapsed: 30 * minute)
        register.anchor.at = since2026(80)
        register.runs = [
            Run(phase: 0, from: since2026(10), to: since2026(20)),
            Run(phase: 0, from: since2026(60), to: isOpen ? nil : since2026(80)),
        ]
        return register
    }

    static func lengths(_ register: Register) -> [Milliseconds] {
        register.runs.map { ($0.to ?? register.anchor.at) - $0.from }
    }

    /// Corrected by another guess, and by a right clock.
    @Test(arguments: [-80, -70, -15, -1, 1, 400_000] as [Int64], [false, true])
    func guessMovesAsAWhole(minutes: Int64, isOpen: Bool) {
        let told = Self.guessed(isOpen: isOpen)
        let shift = minutes * Self.minute
        let moved = told.moved(by: shift)
        #expect(moved.startedAt == told.startedAt + shift)
        #expect(moved.anchor.at == told.anchor.at + shift)
        #expect(moved.runs == told.runs.map { Run(phase: 0, from: $0.from + shift, to: $0.to.map { $0 + shift }) })
        #expect(moved.moved(by: -shift) == told)
    }

    /// Whole runs stay or move, and no two runs overlap.
    @Test(arguments: stride(from: -90, through: 30, by: 5).map { Int64($0) * minute - day }, [false, true])
    func noMinuteIsLostOrCountedTwice(shift: Milliseconds, isOpen: Bool) {
        let told = Self.guessed(isOpen: isOpen)
        let moved = told.moved(by: shift)
        #expect(Self.lengths(moved) == Self.lengths(told))
        #expect(moved.invalidField == nil)
        #expect((moved.runs[0].to ?? .distantFuture) <= moved.runs[1].from)
        #expect(moved.runs[1].to ?? moved.anchor.at <= moved.anchor.at)
    }

    static func takenOver(at minute: Int64, isOpen: Bool) -> Register {
        var register = guessed(isOpen: isOpen)
        register.continues = Continuation(node: id("attic"), epoch: 1, rev: 1, at: since2026(minute))
        return register
    }

    /// A run from before the takeover stays: the earlier owner dated it. A run that ended after it moves whole.
    @Test(arguments: [-40, -5, 5, 40] as [Int64], [30, 60, 70, 80] as [Int64])
    func takeoverMovesWithItsOwnRuns(minutes: Int64, takeover: Int64) {
        for isOpen in [false, true] {
            let told = Self.takenOver(at: takeover, isOpen: isOpen)
            let shift = minutes * Self.minute
            let moved = told.moved(by: shift)
            #expect(Self.lengths(moved) == Self.lengths(told))
            #expect(moved.invalidField == nil)
            // The first run moves too if there is no room for it before the moved takeover.
            let stays = takeover + minutes >= 20
            let first = stays ? told.runs[0].from : told.runs[0].from + shift
            #expect(moved.runs[0].from == first)
            #expect(moved.runs[1].from == told.runs[1].from + shift)
            #expect(moved.startedAt == first)
            #expect(moved.continues?.at == Self.since2026(takeover + minutes))
        }
    }

    /// A node whose clock is behind takes over a paused session that was dated by a right clock.
    @Test func runsOfAClockAheadStay() {
        var told = Self.takenOver(at: 5, isOpen: false)
        told.anchor.at = Self.since2026(5)
        let moved = told.moved(by: 90 * Self.minute)
        #expect(moved.runs == told.runs)
        #expect(moved.startedAt == told.startedAt)
        #expect(moved.anchor.at == Self.since2026(95))
        #expect(moved.continues?.at == moved.anchor.at)
    }

    /// A program restarted in 1970 keeps the guess that dates its session.
    @Test func restartContinuesWithTheGuess() throws {
        var old = EngineHarness(telling: 5_000, wallBound: nil).linked()
        old.pass(10_000)
        old.start("focus 25m")
        old.pass(40_000)
        old.press(.stop)
        old.pass(20_000)
        var rig = EngineHarness(boot: old.boot, telling: old.told, wallBound: nil, journal: old.journal)
        #expect(rig.groupTime == Limits.earliestStamp + 70_000)
        rig.linkUp()
        let guess = PeerClock(
            wallLead: 0 - rig.boot, groupLead: Limits.earliestStamp + 35_000 - rig.boot,
            quality: ClockQuality(isSynced: false))
        rig.meet("attic", guess)
        #expect(rig.own?.startedAt == Limits.earliestStamp + 10_000)
        #expect(rig.own?.runs.map(\.length) == [40_000])
        rig.meet("kitchen")
        let own = try #require(rig.own)
        #expect(own.startedAt == EngineHarness.epoch + 10_000)
        #expect(rig.journal?.isGuess == false)
        #expect(own.runs == [Run(phase: 0, from: own.startedAt, to: own.startedAt + 40_000)])
    }
}
