// SPDX-License-Identifier: Apache-2.0

/// What the clocks of a node say at one moment. The engine has no other source of time.
public struct Instant: Hashable, Sendable {
    /// The boot clock (it counts suspend), in milliseconds. Durations are differences of it.
    public var boot: Int64
    /// The wall clock, in milliseconds since 1970.
    public var wall: Int64

    /// Makes an instant from both readings.
    public init(boot: Int64, wall: Int64) {
        self.boot = boot
        self.wall = wall
    }
}
