// SPDX-License-Identifier: Apache-2.0

import Session
import Testing

@testable import Calm

@Suite(.timeLimit(.minutes(15))) struct SourceClockTests {
    /// Samples of a machine with other clocks are placed by the fastest message.
    @Test func clockOffsetComesFromTheFastestMessage() throws {
        var clock = SourceClock()
        let boot = try #require(BootID("b-1"))
        #expect(clock.place(sent: 500, bootID: boot, at: 10_080) == 10_080, "the first message is the only reference")
        #expect(clock.place(sent: 1_500, bootID: boot, at: 11_003) == 11_003, "a quicker one")
        #expect(clock.place(sent: 2_500, bootID: boot, at: 15_000) == 12_003, "a slow one is placed by the fastest")
        #expect(clock.place(sent: 1_600, bootID: boot, at: 15_001) == 11_103, "overtaken on the way")
        let drifted = clock.place(sent: 3_602_500, bootID: boot, at: 3_612_500)
        #expect(drifted == 3_612_500, "clocks drift, so the first message does not count after an hour")
        let other = try #require(BootID("b-2"))
        #expect(clock.place(sent: 9_000_000, bootID: other, at: 3_700_000) == 3_700_000, "a new boot resets it")
    }
}
