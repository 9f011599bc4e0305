// SPDX-License-Identifier: Apache-2.0

import Joining
import Session
package import Settings
import Wire

/// The ACL of a broker with roles.
///
/// `Config/acl` is for a broker without roles: each user may write the topics of a node, and `calm` and `debt` their
/// feeds. A test compares these topics.
package enum AccessList {
    /// Returns the ACL: for each user whose name can be the id of a node, the topics of its role. Of all others only
    /// the local user may write.
    static func text(of list: MemberList, keepsSpacesApart: Bool) -> String {
        var lines = ["# Made by lockstep broker from the roles of the members; it is made again at each change.", ""]
        if !keepsSpacesApart { lines.append("pattern read \(Topics.prefix)#") }
        lines += ["", "user \(MemberList.localUser)", "topic readwrite \(Topics.prefix)#"]
        for user in list.users.sorted() {
            guard let member = list[user] else { continue }
            let space = keepsSpacesApart ? member.space : SpaceID.every
            lines += ["", "user \(user)"]
            if keepsSpacesApart {
                lines.append("topic read \(Topics.prefix)" + (space == SpaceID.every ? "#" : "\(space)/#"))
            }
            lines += leaves(of: member.role).map { "topic write \(Topics.filter($0, of: user, in: space))" }
            lines += feeds(of: member.role).map { "topic write \(Topics.prefix)\(space)/\($0.rawValue)" }
            lines += plain(of: member.role).map { "topic write \(Topics.prefix)\(space)/plain/\($0)" }
            lines += homeAssistant(of: member)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns the topics that a member may write, as they follow its own prefix.
    package static func leaves(of role: MemberRole) -> [String] {
        switch role {
        case .node:
            ends([.presence, .session, .notice, .intent, .ack, .hello], [.ping, .pong]) + ends([.record, .sound])
        case .remote: ends([.presence, .notice, .intent, .hello], [.ping])
        case .display: ends([.presence, .hello], [.ping])
        case .calm, .debt: ends([.presence, .ack, .hello], [.ping, .pong])
        }
    }

    private static func ends(_ leaves: [Topic.Leaf], _ exchanges: [Topic.Exchange] = []) -> [String] {
        leaves.map(\.rawValue) + exchanges.map { $0.end() }
    }

    /// Returns the plain topics that a role may write. Each node may serve them, and a remote presses by them.
    private static func plain(of role: MemberRole) -> [String] {
        switch role {
        case .node: ["+"]
        case .remote: ["command"]
        case .display, .calm, .debt: []
        }
    }

    static func hasPlainTopics(_ role: MemberRole) -> Bool { !plain(of: role).isEmpty }

    /// Returns the lines for topics of Home Assistant. A node describes the plain topics of its space there; Home
    /// Assistant itself has the role of a remote.
    private static func homeAssistant(of member: Member) -> [String] {
        switch member.role {
        case .node where member.space != SpaceID.every:
            ["topic read homeassistant/status", "topic readwrite homeassistant/+/lockstep_\(member.space)/+/config"]
        case .remote: ["topic read homeassistant/#", "topic write homeassistant/status"]
        case .node, .display, .calm, .debt: []
        }
    }

    static func feeds(of role: MemberRole) -> [Topic.Feed] {
        switch role {
        case .node, .remote, .display: []
        case .calm: [.calm]
        case .debt: [.debt, .debtYear, .debtAck]
        }
    }
}
