// SPDX-License-Identifier: Apache-2.0

import Session
import Synchronization
import Testing

@testable import Runtime

/// The error bound of the wall clock, read from the kernel once a second and after each clock step.
@Suite(.timeLimit(.minutes(15))) struct ClocksTests {
    /// `STA_UNSYNC` and `STA_NANO`; the latter does not matter.
    private static let (unsynced, nano): (Int32, Int32) = (0x40, 0x2000)

    @Test func onlySynchronisedClockHasABound() {
        #expect(WallBound.bound(status: 0, maximumError: Microseconds(Int64(12_345))) == 13)
        #expect(
            WallBound.bound(status: Self.nano, maximumError: Microseconds(Int64(0))) == 1, "rounding adds a millisecond"
        )
        #expect(WallBound.bound(status: Self.unsynced, maximumError: Microseconds(Int64(16_000_000))) == nil)
        #expect(WallBound.bound(status: Self.unsynced | Self.nano, maximumError: Microseconds(Int64(5))) == nil)
    }

    private final class Kernel: Sendable {
        let asked = Mutex(0)
        let bound = Mutex<Milliseconds?>(20)

        func read() -> Milliseconds? {
            asked.withLock { $0 += 1 }
            return bound.withLock { $0 }
        }
    }

    @Test func kernelIsReadOnceASecond() {
        let kernel = Kernel()
        var wall = WallBound { kernel.read() }
        let lead: Int64 = 1_800_000_000_000
        for boot in stride(from: Int64(5_000), through: 5_999, by: 3) {
            #expect(wall.bound(boot: BootTime(boot), wall: WallTime(lead + boot)) == 20)
        }
        #expect(kernel.asked.withLock { $0 } == 1)
        kernel.bound.withLock { $0 = 21 }
        #expect(wall.bound(boot: 5_999, wall: WallTime(lead + 6_000)) == 20)
        #expect(wall.bound(boot: 6_000, wall: WallTime(lead + 6_000)) == 21)
        #expect(kernel.asked.withLock { $0 } == 2)
    }

    @Test(arguments: [3_600_000, -3_600_000, 101, -101] as [Milliseconds])
    func kernelIsReadAtOnceAfterAClockStep(step: Milliseconds) {
        let kernel = Kernel()
        var wall = WallBound { kernel.read() }
        #expect(wall.bound(boot: 5_000, wall: 1_800_000_005_000) == 20)
        kernel.bound.withLock { $0 = nil }
        #expect(wall.bound(boot: 5_001, wall: 1_800_000_005_001) == 20)
        #expect(wall.bound(boot: 5_002, wall: 1_800_000_005_002 + step) == nil)
    }

    @Test func clocksOfThisMachineAdvance() {
        let (first, second) = (Clocks.now(), Clocks.now())
        #expect(first.boot > 0)
        #expect(second.boot >= first.boot)
        #expect(first.wallBound.map { $0 > 0 } ?? true)
        #expect(Clocks.bootID() != nil)
    }
}
