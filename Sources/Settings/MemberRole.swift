// SPDX-License-Identifier: Apache-2.0

/// The rights of a member, which the broker's ACL enforces. A case's place is its number in the token of an invitation
/// (`JoinToken`), so new cases go to the end.
package enum MemberRole: String, CaseIterable, Codable, Sendable {
    /// Starts, owns and takes over sessions.
    case node
    /// Asks the owners of sessions, and owns none.
    case remote
    /// Shows sessions and changes nothing.
    case display
    /// Publishes how calm it was.
    case calm
    /// Publishes the weekly debt.
    case debt

    /// The service that a member with this role runs.
    package var service: ServiceName {
        switch self {
        case .node, .remote, .display: .node
        case .calm: .calm
        case .debt: .debt
        }
    }
}
