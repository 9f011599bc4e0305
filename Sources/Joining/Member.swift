// SPDX-License-Identifier: Apache-2.0

package import Session
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
    /// The time of the state; 0 if unknown. It is the end of an invitation (``expiresAt``), or the beginning of another
    /// state.
    @WholeSeconds package var stateTime: WallTime
    package var online = false
    /// When its last presence was written.
    package var lastSeen: GroupTime?
    package var name: String?
    package var software: String?

    package init(node: String, role: MemberRole, space: String, state: State, stateTime: WallTime) {
        (self.node, self.role, self.space) = (node, role, space)
        (self.state, self.stateTime) = (state, stateTime)
    }

    /// When the invitation ends; `nil` in another state.
    package var expiresAt: WallTime? { state == .invited ? stateTime : nil }

    private enum CodingKeys: String, CodingKey {
        case node, role, space, state, online, lastSeen, name, software
        case stateTime = "time"
    }
}

/// A time that JSON states in whole seconds since 1970.
@propertyWrapper
package struct WholeSeconds: Codable, Hashable, Sendable {
    package var wrappedValue: WallTime

    package init(wrappedValue: WallTime) { self.wrappedValue = wrappedValue }

    package init(from decoder: any Decoder) throws {
        wrappedValue = WallTime(seconds: try UInt32(from: decoder))
    }

    package func encode(to encoder: any Encoder) throws { try wrappedValue.wholeSeconds.encode(to: encoder) }
}
