// SPDX-License-Identifier: Apache-2.0

import Support
import Testing

/// Stalls of the machine, which excuse a failed try (``StallRetry``).
@Suite(.timeLimit(.minutes(15))) struct StallTests {
    private let start = ContinuousClock.now
    private var stalls: Stalls

    init() { stalls = Stalls(now: start, stolen: 100) }

    /// Lets the heartbeat's thread wake at this time after the start.
    private mutating func beat(_ milliseconds: Int, stolen: Int64 = 100) {
        stalls.look(at: start + .milliseconds(milliseconds), stolen: stolen, isBeat: true)
    }

    @Test mutating func anEvenHeartbeatIsNoStall() {
        for beats in 1...100 { beat(50 * beats) }
        #expect(stalls.latest == nil)
    }

    @Test mutating func aLateBeatIsAStall() {
        beat(50)
        beat(599)
        #expect(stalls.latest == nil)
        beat(1_149)
        #expect(stalls.latest?.end == start + .milliseconds(1_149))
    }

    @Test mutating func aMissingBeatIsAStallBeforeTheThreadWakes() {
        stalls.look(at: start + .milliseconds(550), stolen: 100, isBeat: false)
        #expect(stalls.latest?.end == start + .milliseconds(550))
    }

    @Test mutating func halfASecondStolenWithinASecondIsAStall() {
        for beats in 1...19 { beat(50 * beats, stolen: 100 + Int64(min(beats, 9)) * 5) }
        #expect(stalls.latest == nil)
        beat(1_000, stolen: 150)
        #expect(stalls.latest?.end == start + .seconds(1))
    }

    @Test mutating func littleStolenInEachSecondIsNoStall() {
        for beats in 1...200 { beat(50 * beats, stolen: 100 + Int64(beats) * 2) }
        #expect(stalls.latest == nil)
    }
}
