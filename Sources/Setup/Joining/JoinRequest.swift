// SPDX-License-Identifier: Apache-2.0

import Control
package import Session

/// The request of a machine to join a broker: by an invitation, or one that runs already.
package struct JoinRequest: Sendable {
    /// How the certificate of the broker is verified.
    package enum Trust: Sendable {
        /// By the SHA-256 of an authority that signs for this broker alone.
        case fingerprint([UInt8])
        /// By a file of certificates, as PEM.
        case certificates(String)
        /// By the authorities of the operating system.
        case system
    }

    /// The broker, without a password.
    package var broker: BrokerAddress
    package var trust: Trust
    package var role: MemberRole
    package var space: SpaceID
    package var node: NodeID
    package var password: String?
    /// When the invitation ends, in seconds since 1970; `nil` without an invitation.
    package var expires: Int64?

    package init(_ invitation: Invitation) {
        broker = BrokerAddress(
            isEncrypted: invitation.fingerprint != nil,
            places: invitation.hosts.map { .init(host: $0, port: invitation.port) })
        trust = invitation.fingerprint.map(Trust.fingerprint) ?? .system
        role = invitation.role
        space = invitation.space
        node = invitation.node
        password = invitation.secret
        expires = invitation.expires
    }

    package init(
        broker: BrokerAddress, trust: Trust, role: MemberRole, space: SpaceID?, node: NodeID, password: String?
    ) {
        self.broker = broker
        self.broker.password = nil
        self.trust = trust
        self.role = role
        self.space = space ?? Settings.home
        self.node = node
        self.password = password
    }

    /// Returns the settings of the services.
    /// - Parameters:
    ///   - password: The path of the password's file.
    ///   - authority: The path of the authority's file; `nil` for the operating system's.
    func settings(password: String, authority: String?) -> String {
        var scheme = "\(broker)"
        if let user = broker.user, user != "\(node)" || self.password == nil {
            scheme = scheme.replacing("://", with: "://\(user.percentEncoded)@", maxReplacements: 1)
        }
        var lines = ["# Written by lockstep join; lockstep leave removes it.", "LOCKSTEP_BROKER=\(scheme)"]
        lines += ["LOCKSTEP_NODE=\(node)", "LOCKSTEP_SPACE=\(space)"]
        if role.service == "node" { lines.append("LOCKSTEP_ROLE=\(role.rawValue)") }
        if self.password != nil { lines.append("LOCKSTEP_PASSWORD_FILE=\(password)") }
        if broker.isEncrypted, let authority {
            lines.append("LOCKSTEP_TLS_CA=\(authority)")
            if case .fingerprint = trust { lines.append("LOCKSTEP_TLS_PINNED=on") }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

/// The result of `lockstep-node probe` at a broker.
package struct ProbeReport: Codable, Sendable {
    /// Why it was not reached or does not serve the node; `nil` if it does.
    package var problem: String?
    /// Whether the broker refuses the user or the password.
    package var isRefused = false
    /// Whether the node has a presence on the broker.
    package var isKnown = false
    package var isOnline = false
    /// The connection of the presence.
    package var connection: String?
    /// When the presence was written, in milliseconds since 1970.
    package var at: Int64?

    package init() {}
}

/// The result of `lockstep join`, for programs.
package struct JoinReport: Codable, Sendable {
    package var node: String
    package var space: String
    package var role: String
    package var broker: String
    package var service: String
    /// Whether the service is connected; `false` where no service manager runs.
    package var isConnected: Bool
    /// The command that starts the service, where no service manager runs.
    package var next: String?
}
