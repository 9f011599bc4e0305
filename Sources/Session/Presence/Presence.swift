// SPDX-License-Identifier: Apache-2.0

/// What a participant of a space is there for.
public enum Role: String, CaseIterable, Sendable {
    case node, display, service
}

/// How far a node's clock can be trusted.
public struct ClockQuality: Hashable, Sendable {
    /// Whether the kernel says that the wall clock is synchronised.
    public var synced: Bool
    /// The bound of its error in milliseconds, where known.
    public var bound: Int64?
    /// Whether it differs from group time by more than ``Limits/stampLead``.
    public var isWrong: Bool

    /// Makes a clock quality.
    public init(synced: Bool, bound: Int64? = nil, isWrong: Bool = false) {
        self.synced = synced
        self.bound = bound
        self.isWrong = isWrong
    }
}

/// What a node says of itself; the broker says the offline one in its stead when the node dies.
public struct Presence: Hashable, Sendable {
    /// Whether it is connected.
    public var online: Bool
    /// The connection that this presence speaks of; a will for an older one is ignored.
    public var connection: ConnectionID
    /// What it is there for.
    public var role: Role
    /// Its name for people.
    public var name: String
    /// When it was said, in group time; of a will, when the connection was made.
    public var at: Int64
    /// How good its clock is.
    public var clock: ClockQuality
    /// Program and version.
    public var software: String
    /// Whether it is about to suspend.
    public var isSleeping: Bool

    /// Makes a presence.
    public init(
        online: Bool, connection: ConnectionID, role: Role, name: String, at: Int64, clock: ClockQuality,
        software: String, isSleeping: Bool = false
    ) {
        self.online = online
        self.connection = connection
        self.role = role
        self.name = name
        self.at = at
        self.clock = clock
        self.software = software
        self.isSleeping = isSleeping
    }
}
