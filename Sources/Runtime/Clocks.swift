// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import Platform
package import Session
import Synchronization

/// The clocks of this machine as the engine reads them.
package enum Clocks {
    /// Reads both clocks, and the error bound of the wall clock.
    package static func now() -> Instant {
        let boot = boot()
        let wall = WallTime(SystemClock.wallMilliseconds())
        return Instant(boot: boot, wall: wall, wallBound: lastBound.withLock { $0.bound(boot: boot, wall: wall) })
    }

    package static func boot() -> BootTime { BootTime(SystemClock.bootMilliseconds()) }

    /// The id of the present boot; `nil` if the kernel's file cannot be read.
    package static func bootID() -> BootID? {
        guard let bytes = try? Files.read("/proc/sys/kernel/random/boot_id", limit: 64) else { return nil }
        return BootID(String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }

    private static let lastBound = Mutex(WallBound(read: kernelBound))

    /// The kernel's bound; `nil` if unsynchronised, or if a container forbids the call.
    private static func kernelBound() -> Milliseconds? {
        var state = timex()
        guard adjtimex(&state) >= 0 else { return nil }
        return WallBound.bound(status: state.status, maximumError: Microseconds(Int64(state.maxerror)))
    }
}

/// Caches the kernel's error bound of the wall clock. It is read at most once a second, and again after the wall clock
/// was set: then the clock counts as unsynchronised until NTP has synchronised it.
struct WallBound: Sendable {
    /// How long a bound is cached.
    private static let interval: Milliseconds = .seconds(1)
    /// The jump above which the clock was set. Slewing is limited to far less in a second.
    private static let step: Milliseconds = 100

    private let read: @Sendable () -> Milliseconds?
    private var last: (boot: BootTime, lead: Lead, bound: Milliseconds?)?

    init(read: @escaping @Sendable () -> Milliseconds?) { self.read = read }

    /// Returns the bound at these readings of both clocks; `nil` while the wall clock is not synchronised.
    mutating func bound(boot: BootTime, wall: WallTime) -> Milliseconds? {
        let lead = Lead(of: GroupTime(told: wall), over: boot)
        if let last, boot - last.boot < Self.interval, (lead - last.lead).magnitude <= Self.step { return last.bound }
        let bound = read()
        last = (boot, lead, bound)
        return bound
    }

    /// Converts the result of `adjtimex`, whose error grows by half a millisecond per second.
    static func bound(status: Int32, maximumError: Microseconds) -> Milliseconds? {
        status & STA_UNSYNC == 0 ? Milliseconds(maximumError.count / 1_000 + 1) : nil
    }
}
