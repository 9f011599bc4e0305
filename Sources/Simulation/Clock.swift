// SPDX-License-Identifier: Apache-2.0

import Session

/// The clocks of a machine over virtual time: a boot clock that drifts, and a wall clock that can be wrong and step.
struct Clock {
    /// Where the wall clock of a right machine stands when a world begins.
    static let epoch: Int64 = 1_790_000_000_000

    /// When the machine was booted, in microseconds of virtual time.
    private(set) var bootedAt: Int64
    /// What the boot clock read then, in milliseconds.
    private(set) var start: Int64
    /// How much the machine's quartz runs fast, in millionths.
    let drift: Int64
    /// What the wall clock reads beyond the boot clock, in milliseconds.
    private(set) var wallOffset: Int64
    let sync: Sync

    enum Sync: Int { case honest, never, always }

    /// How far a wall clock that is called synchronised can be wrong, in milliseconds.
    static let syncedBound: Int64 = 4_500

    /// What is off by more milliseconds has the wrong date.
    static let day: Int64 = 86_400_000

    /// - Parameter skew: By how much the wall clock is ahead at the beginning, in milliseconds.
    init(start: Int64, drift: Int64, skew: Int64, sync: Sync = .honest) {
        self.sync = sync
        bootedAt = 0
        self.start = start
        self.drift = drift
        wallOffset = Self.epoch + skew - start
    }

    func boot(at time: Int64) -> Int64 {
        let passed = time - bootedAt
        return start + (passed + passed * drift / 1_000_000) / 1_000
    }

    func wall(at time: Int64) -> Int64 { boot(at: time) + wallOffset }

    func instant(at time: Int64) -> Instant {
        Instant(boot: boot(at: time), wall: max(wall(at: time), 0), wallBound: wallBound(at: time))
    }

    /// What the kernel says of the wall clock.
    private func wallBound(at time: Int64) -> Int64? {
        switch sync {
        case .honest: abs(wallError(at: time)) < Self.syncedBound ? Self.syncedBound : nil
        case .never: nil
        case .always: Self.syncedBound
        }
    }

    /// The first instant of virtual time at which the boot clock reads `reading`.
    func time(ofBoot reading: Int64) -> Int64 {
        guard reading > start else { return bootedAt }
        var time = bootedAt + (reading - start) * 1_000 * 1_000_000 / (1_000_000 + drift)
        while boot(at: time) >= reading { time -= 1 }
        while boot(at: time) < reading { time += 1 }
        return time
    }

    /// Sets the wall clock.
    mutating func step(by milliseconds: Int64) { wallOffset += milliseconds }

    /// By how much the wall clock is wrong.
    func wallError(at time: Int64) -> Int64 { wall(at: time) - Self.epoch - time / 1_000 }

    /// A new boot: the boot clock begins again, the wall clock goes on.
    mutating func reboot(at time: Int64) {
        let wall = wall(at: time)
        bootedAt = time
        start = 4_000
        wallOffset = wall - start
    }
}
