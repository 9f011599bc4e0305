// SPDX-License-Identifier: Apache-2.0

/// Where a node serves its kiosk page, and the keys that open it. Only for the user who runs the node.
public struct KioskReport: Codable, Hashable, Sendable {
    /// The address that it listens on; `null` where it serves none.
    @Nullable public var host: String?
    /// The port.
    @Nullable public var port: Int?
    /// Whether only this machine can get there, and no key is needed.
    public var isLoopback: Bool
    /// The name of the node's machine.
    public var machine: String
    /// Who has this key may look.
    @Nullable public var viewKey: String?
    /// Who has this key may press, start and take, too.
    @Nullable public var controlKey: String?

    /// Describes a page that is served, or none.
    public init(
        host: String? = nil, port: Int? = nil, isLoopback: Bool = true, machine: String, viewKey: String? = nil,
        controlKey: String? = nil
    ) {
        self.host = host
        self.port = port
        self.isLoopback = isLoopback
        self.machine = machine
        self.viewKey = viewKey
        self.controlKey = controlKey
    }
}
