// SPDX-License-Identifier: Apache-2.0

/// What the clocks of a node say at one moment. The engine has no other source of time.
public struct Instant: Hashable, Sendable {
    /// The boot clock (it counts suspend), in milliseconds. Durations are differences of it.
    public var boot: Int64
    /// The wall clock, in milliseconds since 1970.
    public var wall: Int64
    /// By how much the wall clock is wrong at most, in milliseconds, as far as the kernel calls it synchronised;
    /// otherwise `nil`.
    public var wallBound: Int64?

    /// Makes an instant from both readings.
    public init(boot: Int64, wall: Int64, wallBound: Int64? = nil) {
        self.boot = boot
        self.wall = wall
        self.wallBound = wallBound
    }

    /// What the wall clock reads beyond the boot clock.
    var wallLead: Int64 { wall - boot }
}
