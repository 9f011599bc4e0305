// SPDX-License-Identifier: Apache-2.0

import Session

/// The clocks of a machine. The boot clock drifts; the wall clock can be wrong and step.
struct Clock {
    /// The true time at the beginning of a world.
    static let epoch: GroupTime = 1_790_000_000_000

    private(set) var bootedAt = VirtualTime.start
    /// The reading of the boot clock at ``bootedAt``.
    private(set) var start: BootTime
    /// The rate error of the machine's oscillator, in millionths.
    let drift: Int64
    /// The lead of the wall clock over the boot clock.
    private(set) var wallLead: Lead
    let sync: Sync

    /// When a kernel calls the wall clock synchronised: if it is nearly right, never or always.
    enum Sync: Int { case honest, never, always }

    /// The largest error of a wall clock that an honest kernel calls synchronised.
    static let syncedBound: Milliseconds = 4_500

    /// - Parameter skew: The lead of the wall clock over true time at the beginning.
    init(start: BootTime, drift: Int64, skew: Milliseconds, sync: Sync = .honest) {
        self.sync = sync
        self.start = start
        self.drift = drift
        wallLead = Lead(of: Self.epoch + skew, over: start)
    }

    func boot(at time: VirtualTime) -> BootTime {
        let passed = (time - bootedAt).count
        return start + Milliseconds((passed + passed * drift / 1_000_000) / 1_000)
    }

    func wall(at time: VirtualTime) -> WallTime { WallTime((boot(at: time) + wallLead).milliseconds) }

    func instant(at time: VirtualTime) -> Instant {
        Instant(boot: boot(at: time), wall: max(wall(at: time), 0), wallBound: wallBound(at: time))
    }

    /// The error bound that the kernel states for the wall clock.
    private func wallBound(at time: VirtualTime) -> Milliseconds? {
        switch sync {
        case .honest: wallError(at: time).magnitude < Self.syncedBound ? Self.syncedBound : nil
        case .never: nil
        case .always: Self.syncedBound
        }
    }

    /// The first instant of virtual time at which the boot clock reads `reading`.
    func time(ofBoot reading: BootTime) -> VirtualTime {
        guard reading > start else { return bootedAt }
        var time = bootedAt + Microseconds(Microseconds(reading - start).count * 1_000_000 / (1_000_000 + drift))
        while boot(at: time) >= reading { time.microseconds -= 1 }
        while boot(at: time) < reading { time.microseconds += 1 }
        return time
    }

    mutating func step(by change: Milliseconds) { wallLead = wallLead + change }
    func wallError(at time: VirtualTime) -> Milliseconds { GroupTime(told: wall(at: time)) - time.date }

    /// Starts the boot clock again; the wall clock goes on.
    mutating func reboot(at time: VirtualTime) {
        let wall = wall(at: time)
        bootedAt = time
        start = 4_000
        wallLead = Lead(of: GroupTime(told: wall), over: start)
    }
}
