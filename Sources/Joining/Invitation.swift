// SPDX-License-Identifier: Apache-2.0

package import Session
package import Settings

/// Everything that a machine needs to join a broker of Lockstep.
package struct Invitation: Codable, Hashable, Sendable {
    /// The names and addresses of the broker, in the order in which they are tried.
    package var hosts: [String]
    package var port: Int
    /// The SHA-256 of the authority that signed the broker's certificate; `nil` without TLS.
    package var fingerprint: [UInt8]?
    package var role: MemberRole
    package var space: SpaceID
    package var node: NodeID
    /// The password: 24 letters and digits.
    package var secret: String
    /// When the broker's machine withdraws the invitation.
    @WholeSeconds package var expires: WallTime

    package init(
        hosts: [String], port: Int, fingerprint: [UInt8]?, role: MemberRole, space: SpaceID, node: NodeID,
        secret: String, expires: WallTime
    ) {
        (self.hosts, self.port, self.fingerprint, self.role) = (hosts, port, fingerprint, role)
        (self.space, self.node, self.secret, self.expires) = (space, node, secret, expires)
    }
}
