// SPDX-License-Identifier: Apache-2.0

import Glibc
public import Session

/// The clocks of this machine.
public enum Clocks {
    /// Both readings of this moment, in milliseconds.
    public static func now() -> Instant {
        Instant(boot: read(CLOCK_BOOTTIME), wall: read(CLOCK_REALTIME))
    }

    /// The id of the present boot, made by the kernel.
    public static func bootID() -> BootID? {
        guard let bytes = try? Files.read("/proc/sys/kernel/random/boot_id", limit: 64) else { return nil }
        return BootID(String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}
