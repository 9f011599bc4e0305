// SPDX-License-Identifier: Apache-2.0

/// Readings of a node's clocks at one moment. The engine has no other source of time. The boot clock counts suspend.
public struct Instant: Hashable, Sendable {
    public var boot: BootTime
    public var wall: WallTime
    /// The largest error of the wall clock; `nil` if the kernel does not call the clock synchronised.
    public var wallBound: Milliseconds?

    /// The readings must have been taken together.
    public init(boot: BootTime, wall: WallTime, wallBound: Milliseconds? = nil) {
        self.boot = boot
        self.wall = wall
        self.wallBound = wallBound
    }

    /// Whether a deadline has come; `nil` is no deadline.
    package func hasReached(_ deadline: BootTime?) -> Bool { deadline.map { $0 <= boot } ?? false }
}
