// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import Platform
package import Session
import Synchronization

/// The clocks of this machine.
package enum Clocks {
    /// Reads both clocks, in milliseconds, and the error bound of the wall clock.
    package static func now() -> Instant {
        let boot = SystemClock.bootMilliseconds()
        let wall = SystemClock.wallMilliseconds()
        return Instant(boot: boot, wall: wall, wallBound: lastBound.withLock { $0.bound(boot: boot, wall: wall) })
    }

    /// The id of the present boot; `nil` if the kernel's file cannot be read.
    package static func bootID() -> BootID? {
        guard let bytes = try? Files.read("/proc/sys/kernel/random/boot_id", limit: 64) else { return nil }
        return BootID(String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }

    private static let lastBound = Mutex(WallBound(read: kernelBound))

    /// The kernel's bound; `nil` if unsynchronised, or if a container forbids the call.
    private static func kernelBound() -> Int64? {
        var state = timex()
        guard adjtimex(&state) >= 0 else { return nil }
        return WallBound.milliseconds(status: state.status, maximumError: Int64(state.maxerror))
    }
}

/// Caches the kernel's error bound of the wall clock.
///
/// It is read at most once a second, and again after the wall clock was set: then the clock counts as unsynchronised until
/// NTP has synchronised it.
struct WallBound: Sendable {
    /// How long a bound is cached, in milliseconds.
    private static let interval: Int64 = 1_000
    /// The jump, in milliseconds, above which the clock was set. Slewing is limited to far less in a second.
    private static let step: Int64 = 100

    private let read: @Sendable () -> Int64?
    private var last: (boot: Int64, lead: Int64, bound: Int64?)?

    /// - Parameter read: Reads the kernel's bound in milliseconds.
    init(read: @escaping @Sendable () -> Int64?) { self.read = read }

    /// Returns the bound in milliseconds at these readings of both clocks; `nil` while the wall clock is not synchronised.
    mutating func bound(boot: Int64, wall: Int64) -> Int64? {
        let lead = wall - boot
        if let last, boot - last.boot < Self.interval, abs(lead - last.lead) <= Self.step { return last.bound }
        let bound = read()
        last = (boot, lead, bound)
        return bound
    }

    /// Converts the result of `adjtimex`.
    /// - Parameter maximumError: In microseconds; it grows by half a millisecond per second.
    static func milliseconds(status: Int32, maximumError: Int64) -> Int64? {
        status & STA_UNSYNC == 0 ? maximumError / 1_000 + 1 : nil
    }
}
