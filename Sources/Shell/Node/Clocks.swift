// SPDX-License-Identifier: Apache-2.0

import CTimex
import Glibc
public import Session
import Synchronization

/// The clocks of this machine.
public enum Clocks {
    /// Both readings of this moment, in milliseconds, and how far the wall clock's can be trusted.
    public static func now() -> Instant {
        let boot = read(CLOCK_BOOTTIME)
        let wall = read(CLOCK_REALTIME)
        return Instant(boot: boot, wall: wall, wallBound: lastBound.withLock { $0.bound(boot: boot, wall: wall) })
    }

    /// The id of the present boot, made by the kernel.
    public static func bootID() -> BootID? {
        guard let bytes = try? Files.read("/proc/sys/kernel/random/boot_id", limit: 64) else { return nil }
        return BootID(String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }

    private static let lastBound = Mutex(WallBound(read: kernelBound))

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// The kernel's own bound, where it lets us ask.
    private static func kernelBound() -> Int64? {
        var state = timex()
        guard adjtimex(&state) >= 0 else { return nil }
        return WallBound.milliseconds(status: state.status, maximumError: Int64(state.maxerror))
    }
}

/// By how much the wall clock is wrong at most, as the kernel has it. It is asked at most once a second, and again when
/// the wall clock was set: from then on, until somebody has synchronised it anew, the kernel answers for nothing.
struct WallBound: Sendable {
    private static let rest: Int64 = 1_000
    /// No clock is slewed by so many milliseconds in a second.
    private static let step: Int64 = 100

    private let read: @Sendable () -> Int64?
    private var last: (boot: Int64, lead: Int64, bound: Int64?)?

    /// - Parameter read: Asks the kernel; milliseconds.
    init(read: @escaping @Sendable () -> Int64?) { self.read = read }

    /// The bound in milliseconds at these readings of both clocks; `nil` while the kernel does not call the wall clock
    /// synchronised.
    mutating func bound(boot: Int64, wall: Int64) -> Int64? {
        let lead = wall - boot
        if let last, boot - last.boot < Self.rest, abs(lead - last.lead) <= Self.step { return last.bound }
        let bound = read()
        last = (boot, lead, bound)
        return bound
    }

    /// What `adjtimex` says.
    /// - Parameter maximumError: In microseconds; it grows by half a millisecond a second.
    static func milliseconds(status: Int32, maximumError: Int64) -> Int64? {
        status & STA_UNSYNC == 0 ? maximumError / 1_000 + 1 : nil
    }
}
