// SPDX-License-Identifier: Apache-2.0

package import Session
package import Settings

/// A request to join a broker, by an invitation or by the address of a broker that runs already.
package struct JoinRequest: Sendable {
    /// How the certificate of the broker is verified.
    package enum Trust: Sendable {
        /// By the SHA-256 of an authority that signs for this broker alone.
        case fingerprint([UInt8])
        /// By a file of certificates, as PEM.
        case certificates([UInt8])
        /// By the authorities of the operating system; unused without TLS.
        case system
    }

    /// The broker, without a password.
    package var broker: BrokerAddress
    package var trust: Trust
    package var role: MemberRole
    package var space: SpaceID
    package var node: NodeID
    package var password: LineText?
    /// When the invitation ends; `nil` without an invitation.
    package var expires: WallTime?

    /// - Throws: ``ValueError`` for an invitation that ``JoinToken/decode(_:)`` would refuse.
    package init(_ invitation: Invitation) throws(ValueError) {
        var endpoints: [Endpoint] = []
        for host in invitation.hosts { endpoints.append(try .init(host: host, port: invitation.port)) }
        broker = BrokerAddress(isEncrypted: invitation.fingerprint != nil, endpoints: endpoints)
        trust = invitation.fingerprint.map(Trust.fingerprint) ?? .system
        role = invitation.role
        space = invitation.space
        node = invitation.node
        password = LineText(showing: invitation.secret)
        expires = invitation.expires
    }

    package init(
        broker: BrokerAddress, trust: Trust, role: MemberRole, space: SpaceID?, node: NodeID,
        password: LineText?
    ) {
        self.broker = broker
        self.broker.password = nil
        self.trust = trust
        self.role = role
        self.space = space ?? NodeSettings.defaultSpace
        self.node = node
        self.password = password
    }

    /// Returns the settings of the services, with the paths of the password and the authority.
    /// - Throws: ``ValueError`` for a path that a reader of settings would change.
    func settings(password: String, authority: String?) throws(ValueError) -> SettingLines {
        var lines = SettingLines(comment: "Written by lockstep join; lockstep leave removes it.")
        // The services take the node as the user if there is a password file and no user in the address.
        let isNamed = broker.user != nil && (broker.user != "\(node)" || self.password == nil)
        try lines.add(.broker, broker.text(withUser: isNamed))
        try lines.add(.node, "\(node)")
        try lines.add(.space, "\(space)")
        if role.service == .node { try lines.add(.role, "\(role)") }
        if self.password != nil { try lines.add(.passwordFile, try SettingLines.value(path: password)) }
        if broker.isEncrypted, let authority {
            try lines.add(.tlsCA, try SettingLines.value(path: authority))
            if case .fingerprint = trust { try lines.add(.tlsPinned, "on") }
        }
        return lines
    }
}

/// The result of `lockstep-node probe` at a broker.
package struct ProbeReport: Codable, Sendable {
    /// The reason why the broker was not reached or does not serve the node; `nil` if it does.
    package var problem: String?
    /// Whether the broker refuses the user or the password.
    package var isRefused = false
    /// Whether the node has a presence on the broker.
    package var isKnown = false
    package var isOnline = false
    /// The connection of the presence.
    package var connection: String?
    /// When the presence was written.
    package var at: GroupTime?

    package init() {}
}

/// The result of `lockstep join`, for programs.
package struct JoinReport: Codable, Sendable {
    package var node: String
    package var space: String
    package var role: MemberRole
    package var broker: String
    package var service: String
    /// Whether the service is connected; `false` where no service manager runs.
    package var isConnected: Bool
    /// The command that starts the service, where no service manager runs.
    package var next: String?
}
