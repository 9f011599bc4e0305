// SPDX-License-Identifier: Apache-2.0

/// The task of a node of a space. A `display` owns no session; a remote is a display whose requests are answered.
public enum Role: String, CaseIterable, Sendable {
    case node, display, service
}

/// The quality of a node's wall clock.
public struct ClockQuality: Hashable, Sendable {
    /// Whether the kernel calls the wall clock synchronised.
    public var isSynced: Bool
    /// The largest error of the wall clock, within ``Limits/bound``; `nil` if unknown.
    public var bound: Milliseconds?
    /// Whether it differs from group time by more than ``Limits/stampLead``.
    public var isWrong: Bool

    /// The kernel judges `isSynced` and `bound`, the node `isWrong`.
    public init(isSynced: Bool, bound: Milliseconds? = nil, isWrong: Bool = false) {
        self.isSynced = isSynced
        self.bound = bound
        self.isWrong = isWrong
    }
}

/// A node's description of itself. The broker publishes the offline one when the node dies.
public struct Presence: Hashable, Sendable {
    public var isOnline: Bool
    /// The connection that this presence describes; the will of an older one is ignored.
    public var connection: ConnectionID
    public var role: Role
    /// The node's name for people: 1 to ``Limits/nameBytes`` bytes of clean text.
    public var name: String
    /// When it was written; in a will, when the connection was made.
    public var at: GroupTime
    public var clock: ClockQuality
    /// Program and version: 1 to ``Limits/titleBytes`` bytes of clean text.
    public var software: String
    /// Whether it is about to suspend.
    public var isSleeping: Bool

    /// The caller must keep to the bounds of the fields.
    public init(
        isOnline: Bool, connection: ConnectionID, role: Role, name: String, at: GroupTime, clock: ClockQuality,
        software: String, isSleeping: Bool = false
    ) {
        self.isOnline = isOnline
        self.connection = connection
        self.role = role
        self.name = name
        self.at = at
        self.clock = clock
        self.software = software
        self.isSleeping = isSleeping
    }
}
