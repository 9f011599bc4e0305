// SPDX-License-Identifier: Apache-2.0

/// A request for a node's clocks.
public struct Ping: Hashable, Sendable {
    /// The asking connection; answers to an earlier one are ignored.
    public var connection: ConnectionID
    /// The asker's boot clock in milliseconds, within ``Limits/reading``; the pong returns it.
    public var sent: Int64
    /// The asker's group time in milliseconds, so that a node whose time differs can ask back.
    public var at: Int64

    /// The caller must read both clocks at one instant.
    public init(connection: ConnectionID, sent: Int64, at: Int64) {
        self.connection = connection
        self.sent = sent
        self.at = at
    }
}

/// Readings of a node's clocks at the one instant at which it answers a ping.
public struct Pong: Hashable, Sendable {
    /// The connection that asked.
    public var connection: ConnectionID
    /// The asker's boot clock when it asked, in milliseconds.
    public var sent: Int64
    /// The boot in which ``boot`` was read.
    public var bootID: BootID
    /// The answering node's boot clock in milliseconds, within ``Limits/reading``.
    public var boot: Int64
    /// Its wall clock in milliseconds since 1970, right or wrong, within ``Limits/time``.
    public var wall: Int64
    /// Its group time in milliseconds since 1970, within ``Limits/time``.
    public var at: Int64
    /// The quality of its wall clock.
    public var clock: ClockQuality

    /// The caller must read all clocks at one instant.
    public init(
        connection: ConnectionID, sent: Int64, bootID: BootID, boot: Int64, wall: Int64, at: Int64,
        clock: ClockQuality
    ) {
        self.connection = connection
        self.sent = sent
        self.bootID = bootID
        self.boot = boot
        self.wall = wall
        self.at = at
        self.clock = clock
    }
}
