// SPDX-License-Identifier: Apache-2.0

/// The task of a participant of a space.
package enum Role: String, CaseIterable, Sendable {
    case node, display, service
}

/// The quality of a node's wall clock.
package struct ClockQuality: Hashable, Sendable {
    /// Whether the kernel calls the wall clock synchronised.
    package var synced: Bool
    /// Its largest error, within ``Limits/bound``; `nil` if unknown.
    package var bound: Milliseconds?
    /// Whether it differs from group time by more than ``Limits/stampLead``.
    package var isWrong: Bool

    /// The kernel judges `synced` and `bound`, the node `isWrong`.
    package init(synced: Bool, bound: Milliseconds? = nil, isWrong: Bool = false) {
        self.synced = synced
        self.bound = bound
        self.isWrong = isWrong
    }
}

/// A node's description of itself. The broker publishes the offline one when the node dies.
package struct Presence: Hashable, Sendable {
    /// Whether it is connected.
    package var online: Bool
    /// The connection that this presence describes; the will of an older one is ignored.
    package var connection: ConnectionID
    /// Its task.
    package var role: Role
    /// Its name for people: 1 to ``Limits/nameBytes`` bytes of clean text.
    package var name: String
    /// When it was written; in a will, when the connection was made.
    package var at: GroupTime
    /// The quality of its wall clock.
    package var clock: ClockQuality
    /// Program and version: 1 to ``Limits/titleBytes`` bytes of clean text.
    package var software: String
    /// Whether it is about to suspend.
    package var isSleeping: Bool

    /// Creates a presence. The caller must keep to the bounds of the fields.
    package init(
        online: Bool, connection: ConnectionID, role: Role, name: String, at: GroupTime, clock: ClockQuality,
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
