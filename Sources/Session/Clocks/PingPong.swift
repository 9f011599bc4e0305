// SPDX-License-Identifier: Apache-2.0

/// A request for a node's clocks.
public struct Ping: Hashable, Sendable {
    /// The asking connection; answers to an earlier one are ignored.
    public var connection: ConnectionID
    /// The asker's boot clock, within ``Limits/reading``; the pong returns it.
    public var sent: BootTime
    /// The asker's group time, so that a node whose time differs can ask back.
    public var at: GroupTime
    /// The version of the asked node's register that the asker holds. If it is lower than the node's own, the node
    /// publishes its register again. Epoch and rev are 0 for no register. `nil` if the asker does not state it.
    public var held: Version?

    /// The caller must read both clocks at one instant.
    public init(connection: ConnectionID, sent: BootTime, at: GroupTime, held: Version? = nil) {
        self.connection = connection
        self.sent = sent
        self.at = at
        self.held = held
    }
}

/// Readings of a node's clocks at the one instant at which it answers a ping.
public struct Pong: Hashable, Sendable {
    public var connection: ConnectionID
    /// The asker's boot clock when it asked.
    public var sent: BootTime
    public var bootID: BootID
    /// The answering node's boot clock, within ``Limits/reading``.
    public var boot: BootTime
    /// The answering node's wall clock, right or wrong, within ``Limits/wall``.
    public var wall: WallTime
    /// The answering node's group time, within ``Limits/time``.
    public var at: GroupTime
    public var clock: ClockQuality

    /// The caller must read all clocks at one instant.
    public init(
        connection: ConnectionID, sent: BootTime, bootID: BootID, boot: BootTime, wall: WallTime, at: GroupTime,
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
