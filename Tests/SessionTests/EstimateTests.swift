// SPDX-License-Identifier: Apache-2.0

import Support
import Testing

@testable import Session

/// What exchanges say of another boot clock: an interval that holds the truth, whichever way the delay was shared.
@Suite(.computing) struct EstimateTests {
    /// Two clocks in microseconds of true time, read in whole milliseconds as they are.
    struct Clocks {
        /// Millionths by which the other one is fast.
        var drift = 0.0
        var ahead = 0.0
        func mine(_ time: Double) -> Int64 { Int64((time / 1_000).rounded(.down)) }
        func other(_ time: Double) -> Double { time * (1 + drift / 1_000_000) + ahead }
        /// The other one beyond this one, in milliseconds.
        func offset(_ time: Double) -> Double { (other(time) - time) / 1_000 }

        /// A ping that leaves at `time`, takes `there`, and whose pong takes `back`.
        func pong(_ time: Double, there: Double, back: Double, bootID: String = "b") -> (Pong, at: Int64) {
            let boot = Int64((other(time + there) / 1_000).rounded(.down))
            let pong = Pong(
                connection: token("c"), sent: mine(time), bootID: token(bootID), boot: boot, wall: boot, at: boot,
                clock: ClockQuality(synced: true))
            return (pong, mine(time + there + back))
        }
    }

    static func isRight(_ estimate: ClockEstimate, _ clocks: Clocks, at time: Double) -> Bool {
        let wrong = abs(Double(estimate.offset) - clocks.offset(time))
        return wrong <= Double(estimate.bound(at: clocks.mine(time)))
    }

    /// Delays of a good network that is at times a bad one, each direction for itself.
    static func delay(_ random: inout Random) -> Double {
        switch Int.random(in: 0...9, using: &random) {
        case 0: .random(in: 0...9_000_000, using: &random)
        case 1...3: .random(in: 0...100_000, using: &random)
        default: .random(in: 0...3_000, using: &random)
        }
    }

    /// A pong of a boot that is over comes late; nobody goes back to it.
    @Test func answerOfAnEarlierBootSaysNothing() {
        var exchange = Exchange()
        let clocks = Clocks()
        let early = clocks.pong(1e9, there: 500, back: 9_000_000, bootID: "old")
        let late = clocks.pong(2e9, there: 500, back: 500, bootID: "new")
        let (isNew, isOld) = (
            exchange.learn(late.0, of: .kitchen, at: late.at),
            exchange.learn(early.0, of: .kitchen, at: early.at + 2_000_000)
        )
        #expect(isNew && !isOld)
        #expect(exchange.estimates[.kitchen]?.bootID == token("new"))
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

    /// Of many exchanges the fastest ones decide: what a slow one adds is no more than drift.
    @Test func aFastExchangeNarrowsAndASlowOneTakesNothingAway() throws {
        let clocks = Clocks(ahead: 5e6)
        func exchange(_ time: Double, _ there: Double, _ back: Double, after known: ClockEstimate?) -> ClockEstimate {
            let (pong, now) = clocks.pong(time, there: there, back: back)
            return ClockEstimate(pong, at: now, after: known)
        }
        let slow = exchange(1e9, 400_000, 0, after: nil)
        #expect(slow.bound(at: 1_000_400) == 202 && slow.offset == 5_200, "the middle of what is possible")
        let fast = exchange(1_001e6, 1_000, 1_000, after: slow)
        #expect(fast.bound(at: 1_001_002) == 3 && abs(fast.offset - 5_000) <= 1)
        let again = exchange(1_002e6, 0, 900_000, after: fast)
        #expect(again.bound(at: 1_002_900) <= 4 && abs(again.offset - 5_000) <= 1)
        // One slow way there and one slow way back cut the interval from both sides.
        let other = exchange(1_001e6, 0, 400_000, after: slow)
        #expect(other.bound(at: 1_001_400) <= 4 && abs(other.offset - 5_000) <= 1)
    }

    @Test func driftWidensIt() {
        let (pong, now) = Clocks(ahead: 5e6).pong(1e9, there: 0, back: 0)
        let estimate = ClockEstimate(pong, at: now)
        let bounds = [0, 5_000, 50_000, 500_000, 5_000_000].map { estimate.bound(at: now + $0) }
        #expect(bounds == [2, 3, 12, 102, 1_002], "200 millionths")
        #expect(ErrorBound(milliseconds: 2, at: now).milliseconds(at: now + 50_000) == 12)
    }

    /// Another boot is another clock: what was known of the one before does not narrow it.
    @Test func aNewBootBeginsAnew() {
        let (first, at) = Clocks(ahead: 5e6).pong(1e9, there: 0, back: 0)
        let known = ClockEstimate(first, at: at)
        let (second, later) = Clocks(ahead: 9e6).pong(1.1e9, there: 50_000, back: 50_000, bootID: "b2")
        let next = ClockEstimate(second, at: later, after: known)
        #expect(next == ClockEstimate(second, at: later))
        #expect(next.bootID == token("b2") && next.offset == 9_000 && next.bound(at: later) == 52)
    }

    /// A clock that has done what clocks do not is believed in what it says now.
    @Test func theNewerWordCountsWhereTwoContradict() {
        let (first, at) = Clocks(ahead: 5e6).pong(1e9, there: 0, back: 0)
        let (second, later) = Clocks(ahead: 7e6).pong(1.1e9, there: 0, back: 0)
        let next = ClockEstimate(second, at: later, after: ClockEstimate(first, at: at))
        #expect(next.offset == 7_000 && next.bound(at: later) <= 3)
    }
}
