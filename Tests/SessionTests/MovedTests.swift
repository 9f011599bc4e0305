// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Session

/// What a correction of group time does to the times of a session: its minutes stay.
@Suite struct MovedTests {
    static let minute: Int64 = 60_000
    static let day = 1_440 * minute

    static func since2026(_ minutes: Int64) -> Int64 { Limits.earliestStamp + minutes * minute }

    /// A session of two runs and a pause, told by a guess: those begin with 2026.
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

    /// Milliseconds of each run.
    static func lengths(_ register: Register) -> [Int64] {
        register.runs.map { ($0.to ?? register.anchor.at) - $0.from }
    }

    /// By another guess, and by a clock that is right.
    @Test(arguments: [-80, -70, -15, -1, 1, 400_000] as [Int64], [false, true])
    func aGuessMovesAsOne(minutes: Int64, isOpen: Bool) {
        let told = Self.guessed(isOpen: isOpen)
        let shift = minutes * Self.minute
        let moved = told.moved(by: shift)
        #expect(moved.startedAt == told.startedAt + shift && moved.anchor.at == told.anchor.at + shift)
        #expect(moved.runs == told.runs.map { Run(phase: 0, from: $0.from + shift, to: $0.to.map { $0 + shift }) })
        #expect(moved.moved(by: -shift) == told)
    }

    /// However far: what stays and what moves are whole runs, and none of them lies upon another.
    @Test(arguments: stride(from: -90, through: 30, by: 5).map { Int64($0) * minute - day }, [false, true])
    func noMinuteIsLostOrCountsTwice(shift: Int64, isOpen: Bool) {
        let told = Self.guessed(isOpen: isOpen)
        let moved = told.moved(by: shift)
        #expect(Self.lengths(moved) == Self.lengths(told) && moved.flaw == nil)
        #expect((moved.runs[0].to ?? .max) <= moved.runs[1].from)
        #expect(moved.runs[1].to ?? moved.anchor.at <= moved.anchor.at)
    }

    static func takenOver(at minute: Int64, isOpen: Bool) -> Register {
        var register = guessed(isOpen: isOpen)
        register.continues = Continuation(node: id("attic"), epoch: 1, rev: 1, at: since2026(minute))
        return register
    }

    /// A run from before a takeover stays with the owner that told it. One from after it moves whole, and so does one that
    /// went on over it: it was placed by the clock of the new owner.
    @Test(arguments: [-40, -5, 5, 40] as [Int64], [30, 60, 70, 80] as [Int64])
    func aTakeoverIsMovedWithItsOwnRuns(minutes: Int64, takeover: Int64) {
        for isOpen in [false, true] {
            let told = Self.takenOver(at: takeover, isOpen: isOpen)
            let shift = minutes * Self.minute
            let moved = told.moved(by: shift)
            #expect(Self.lengths(moved) == Self.lengths(told) && moved.flaw == nil)
            // Before the takeover there is no room for it where that was half an hour after 2026.
            let stays = takeover + minutes >= 20
            let first = stays ? told.runs[0].from : told.runs[0].from + shift
            #expect(moved.runs[0].from == first && moved.runs[1].from == told.runs[1].from + shift)
            #expect(moved.startedAt == first && moved.continues?.at == Self.since2026(takeover + minutes))
        }
    }

    /// A clock that was right told later times than one that is behind, which then takes over what is paused.
    @Test func whatWasPausedByAClockAheadStays() {
        var told = Self.takenOver(at: 5, isOpen: false)
        told.anchor.at = Self.since2026(5)
        let moved = told.moved(by: 90 * Self.minute)
        #expect(moved.runs == told.runs && moved.startedAt == told.startedAt)
        #expect(moved.anchor.at == Self.since2026(95) && moved.continues?.at == moved.anchor.at)
    }

    /// A program that is started again in 1970 goes on with the guess that its session was told by.
    @Test func restartGoesOnWithTheGuess() throws {
        var old = Rig(wall: 5_000, wallBound: nil)
        old.linkUp()
        old.pass(10_000)
        old.start("focus 25m")
        old.pass(40_000)
        old.press(.stop)
        old.pass(20_000)
        var rig = Rig(boot: old.boot, wall: old.wall, wallBound: nil, journal: old.journal)
        #expect(rig.groupTime == Limits.earliestStamp + 70_000)
        rig.linkUp()
        let guess = PeerClock(
            wallLead: -rig.boot, groupLead: Limits.earliestStamp + 35_000 - rig.boot,
            quality: ClockQuality(synced: false))
        rig.meet("attic", guess)
        #expect(rig.own?.startedAt == Limits.earliestStamp + 10_000 && rig.own?.runs.map(\.length) == [40_000])
        rig.meet("kitchen")
        let own = try #require(rig.own)
        #expect(own.startedAt == Rig.epoch + 10_000 && rig.journal?.isGuess == false)
        #expect(own.runs == [Run(phase: 0, from: own.startedAt, to: own.startedAt + 40_000)])
    }
}
