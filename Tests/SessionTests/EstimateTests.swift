// SPDX-License-Identifier: Apache-2.0

import Support
import Testing

@testable import Session

/// Estimates of another boot clock: an interval that contains the true offset, however the delay was split.
@Suite(.cpuBound) struct EstimateTests {
    /// Two clocks in microseconds of true time, which read whole milliseconds.
    struct Clocks {
        /// Parts per million by which the other clock is fast.
        var drift = 0.0
        var ahead = 0.0
        func mine(_ time: Double) -> BootTime { BootTime(Int64((time / 1_000).rounded(.down))) }
        func other(_ time: Double) -> Double { time * (1 + drift / 1_000_000) + ahead }
        /// The lead of the other clock over this one, in milliseconds.
        func offset(_ time: Double) -> Double { (other(time) - time) / 1_000 }

        /// The pong to a ping at `time` that took `there`; the pong takes `back`.
        func pong(_ time: Double, there: Double, back: Double, bootID: String = "b") -> (Pong, at: BootTime) {
            let boot = BootTime(Int64((other(time + there) / 1_000).rounded(.down)))
            let pong = Pong(
                connection: token("c"), sent: mine(time), bootID: token(bootID), boot: boot,
                wall: WallTime(boot.milliseconds), at: GroupTime(boot.milliseconds), clock: ClockQuality(isSynced: true)
            )
            return (pong, mine(time + there + back))
        }
    }

    static func isRight(_ estimate: ClockEstimate, _ clocks: Clocks, at time: Double) -> Bool {
        let wrong = abs(Double(estimate.offset.count) - clocks.offset(time))
        return wrong <= Double(estimate.bound(at: clocks.mine(time)).count)
    }

    /// One-way delays of a network that is mostly fast and sometimes slow.
    static func delay(_ random: inout Random) -> Double {
        switch Int.random(in: 0...9, using: &random) {
        case 0: .random(in: 0...9_000_000, using: &random)
        case 1...3: .random(in: 0...100_000, using: &random)
        default: .random(in: 0...3_000, using: &random)
        }
    }

    @Test(arguments: UInt64(1)...60) func theIntervalHoldsTheTrueOffset(seed: UInt64) throws {
        var random = Random(seed: seed)
        let clocks = Clocks(
            drift: .random(in: -200...200, using: &random), ahead: .random(in: 0...1e12, using: &random))
        var time = Double.random(in: 1e9...1e12, using: &random)
        var estimate: ClockEstimate?
        for step in 0..<200 {
            time += .random(in: 0...(step % 20 == 0 ? 9e8 : 1e6), using: &random)
            let (there, back) = (Self.delay(&random), Self.delay(&random))
            let (pong, now) = clocks.pong(time, there: there, back: back)
            time += there + back
            let next = ClockEstimate(pong, at: now, after: estimate)
            #expect(Self.isRight(next, clocks, at: time), "seed \(seed), step \(step): \(next)")
            let later = time + .random(in: 0...1e9, using: &random)
            #expect(Self.isRight(next, clocks, at: later), "seed \(seed), step \(step), later: \(next)")
            estimate = next
        }
    }

    /// The fastest exchanges decide; a slow one adds no more than drift.
    @Test func fastExchangeNarrowsTheIntervalAndSlowOneKeepsIt() throws {
        let clocks = Clocks(ahead: 5e6)
        func exchange(_ time: Double, _ there: Double, _ back: Double, after known: ClockEstimate?) -> ClockEstimate {
            let (pong, now) = clocks.pong(time, there: there, back: back)
            return ClockEstimate(pong, at: now, after: known)
        }
        let slow = exchange(1e9, 400_000, 0, after: nil)
        #expect(slow.bound(at: 1_000_400) == 202)
        #expect(slow.offset == 5_200, "the middle of the possible offsets")
        let fast = exchange(1_001e6, 1_000, 1_000, after: slow)
        #expect(fast.bound(at: 1_001_002) == 3)
        #expect((fast.offset - 5_000).magnitude <= 1)
        let again = exchange(1_002e6, 0, 900_000, after: fast)
        #expect(again.bound(at: 1_002_900) <= 4)
        #expect((again.offset - 5_000).magnitude <= 1)
        // One slow way there and one slow way back cut the interval from both sides.
        let other = exchange(1_001e6, 0, 400_000, after: slow)
        #expect(other.bound(at: 1_001_400) <= 4)
        #expect((other.offset - 5_000).magnitude <= 1)
    }

    @Test func driftWidensTheInterval() {
        let (pong, now) = Clocks(ahead: 5e6).pong(1e9, there: 0, back: 0)
        let estimate = ClockEstimate(pong, at: now)
        let bounds = [0, 5_000, 50_000, 500_000, 5_000_000].map { estimate.bound(at: now + $0) }
        #expect(bounds == [2, 3, 12, 102, 1_002], "200 ppm")
        #expect(ErrorBound(size: 2, at: now).size(at: now + 50_000) == 12)
    }

    /// Another boot has another clock, so the earlier estimate does not narrow it.
    @Test func newBootStartsANewEstimate() {
        let (first, at) = Clocks(ahead: 5e6).pong(1e9, there: 0, back: 0)
        let known = ClockEstimate(first, at: at)
        let (second, later) = Clocks(ahead: 9e6).pong(1.1e9, there: 50_000, back: 50_000, bootID: "b2")
        let next = ClockEstimate(second, at: later, after: known)
        #expect(next == ClockEstimate(second, at: later))
        #expect(next.bootID == token("b2"))
        #expect(next.offset == 9_000)
        #expect(next.bound(at: later) == 52)
    }

    @Test func newerOfTwoContradictingExchangesCounts() {
        let (first, at) = Clocks(ahead: 5e6).pong(1e9, there: 0, back: 0)
        let (second, later) = Clocks(ahead: 7e6).pong(1.1e9, there: 0, back: 0)
        let next = ClockEstimate(second, at: later, after: ClockEstimate(first, at: at))
        #expect(next.offset == 7_000)
        #expect(next.bound(at: later) <= 3)
    }
}
