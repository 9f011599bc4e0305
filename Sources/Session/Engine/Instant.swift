// SPDX-License-Identifier: Apache-2.0

/// Readings of a node's clocks at one moment. The engine has no other source of time.
public struct Instant: Hashable, Sendable {
    /// The boot clock in milliseconds; it counts suspend. Durations are differences of it.
    public var boot: Int64
    /// The wall clock in milliseconds since 1970.
    public var wall: Int64
    /// The largest error of the wall clock in milliseconds, as the kernel reports it.
    ///
    /// `nil` if the kernel does not call the clock synchronised.
    public var wallBound: Int64?

    /// Creates an instant from readings that were taken together.
    public init(boot: Int64, wall: Int64, wallBound: Int64? = nil) {
        self.boot = boot
        self.wall = wall
        self.wallBound = wallBound
    }

    /// Whether a deadline on the boot clock has come; `nil` is no deadline.
    package func hasReached(_ deadline: Int64?) -> Bool { deadline.map { $0 <= boot } ?? false }

    /// The wall clock minus the boot clock.
    var wallLead: Int64 { wall - boot }
}
