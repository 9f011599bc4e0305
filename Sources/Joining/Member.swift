// SPDX-License-Identifier: Apache-2.0

package import Settings

/// A member of the broker, as `lockstep members` lists it.
package struct Member: Codable, Hashable, Sendable {
    /// How far a member has joined.
    package enum State: String, Codable, Sendable {
        case invited, joined, expired, revoked
    }

    package var node: String
    package var role: MemberRole
    /// A space; `+` for all.
    package var space: String
    package var state: State
    /// The time that goes with the state, in seconds since 1970: when the invitation ends (``expiresAt``), or when
    /// another state began; 0 if unknown.
    package var stateTime: Int64
    package var online = false
    /// When its last presence was written, in milliseconds since 1970.
    package var lastSeen: Int64?
    package var name: String?
    package var software: String?

    package init(node: String, role: MemberRole, space: String, state: State, stateTime: Int64) {
        (self.node, self.role, self.space) = (node, role, space)
        (self.state, self.stateTime) = (state, stateTime)
    }

    /// When the invitation ends, in seconds since 1970; `nil` in another state.
    package var expiresAt: Int64? { state == .invited ? stateTime : nil }

    private enum CodingKeys: String, CodingKey {
        case node, role, space, state, online, lastSeen, name, software
        case stateTime = "time"
    }
}
