// SPDX-License-Identifier: Apache-2.0

/// The identity and the defaults of a node, fixed for the life of an engine.
public struct NodeIdentity: Hashable, Sendable {
    public var node: NodeID
    /// The node's name for people: 1 to ``Limits/nameBytes`` bytes of clean text.
    public var name: String
    public var role: Role
    /// Whether it may send intents to owners; the broker's ACL does not let every display.
    public var mayPress: Bool
    /// Program and version: 1 to ``Limits/titleBytes`` bytes of clean text.
    public var software: String
    public var bootID: BootID
    /// Whether it publishes a presence; a passing remote does not.
    public var publishesPresence: Bool
    /// Whether it may own a session: a node that the others know.
    public var mayOwn: Bool { role == .node && publishesPresence }
    /// Lengths of phases that a plan does not contain, and whether sessions have alarms.
    public var defaults: SessionDefaults

    /// The caller must keep to the bounds of the fields.
    public init(
        node: NodeID, name: String, role: Role = .node, mayPress: Bool = true, software: String, bootID: BootID,
        publishesPresence: Bool = true, defaults: SessionDefaults = SessionDefaults()
    ) {
        self.node = node
        self.name = name
        self.role = role
        self.mayPress = mayPress
        self.software = software
        self.bootID = bootID
        self.publishesPresence = publishesPresence
        self.defaults = defaults
    }
}
