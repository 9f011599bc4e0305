// SPDX-License-Identifier: Apache-2.0

import Session

/// The clocks of a machine. The boot clock drifts; the wall clock can be wrong and step.
struct Clock {
    /// The true time at the beginning of a world, in milliseconds since 1970.
    static let epoch: Int64 = 1_790_000_000_000

    /// The boot in microseconds of virtual time.
    private(set) var bootedAt: Int64
    /// The reading of the boot clock then, in milliseconds.
    private(set) var start: Int64
    /// The rate error of the machine's oscillator, in millionths.
    let drift: Int64
    /// The lead of the wall clock over the boot clock, in milliseconds.
    private(set) var wallOffset: Int64
    let sync: Sync

    enum Sync: Int { case honest, never, always }

    /// The largest error of a wall clock that an honest kernel calls synchronised, in milliseconds.
    static let syncedBound: Int64 = 4_500

    /// The milliseconds of a day.
    static let day: Int64 = 86_400_000

    /// - Parameter skew: The lead of the wall clock over true time at the beginning, in milliseconds.
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

    /// The error bound that the kernel states for the wall clock.
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

    /// The lead of the wall clock over true time.
    func wallError(at time: Int64) -> Int64 { wall(at: time) - Self.epoch - time / 1_000 }

    /// Starts the boot clock again; the wall clock goes on.
    mutating func reboot(at time: Int64) {
        let wall = wall(at: time)
        bootedAt = time
        start = 4_000
        wallOffset = wall - start
    }
}
