// SPDX-License-Identifier: Apache-2.0

import Joining
import Session
import Settings

/// The members of a broker and their passwords: the contents of the files `members` and `passwd`. A line of `members`
/// is `NAME ROLE SPACE STATE SECONDS`, with the space `+` for all, and ``Member/stateTime`` as the seconds. Lines of
/// `passwd` stay as they are, also those that other programs wrote. A user without a line in `members` is a node of all
/// spaces, or the calm or debt service if it has that name.
struct MemberList {
    /// The user by which this program reads and clears retained messages. No node can have its name.
    static let localUser = "_local"

    private(set) var members: [Member] = []
    private var passwords: [Substring]

    /// Reads the contents of both files. An error names the line of `members` that is no member, and `path`.
    init(members: String, at path: String, passwords: String) throws {
        self.passwords = Self.lines(of: passwords)
        for (index, line) in Self.lines(of: members).enumerated() where !line.isEmpty {
            guard let member = Self.member(line) else {
                throw SetupError(
                    "\(path), line \(index + 1) is no member: “\(line)”; a line is NAME ROLE SPACE STATE SECONDS. Mend or "
                        + "remove it, and repeat the command")
            }
            set(member)
        }
    }

    private static func lines(of text: String) -> [Substring] {
        var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        if lines.last == "" { lines.removeLast() }
        return lines
    }

    private static func member(_ line: Substring) -> Member? {
        let words = line.split(separator: " ").map(String.init)
        guard words.count == 5, NodeID(words[0]) != nil, let role = MemberRole(rawValue: words[1]),
            words[2] == SpaceID.every || SpaceID(words[2]) != nil, let state = Member.State(rawValue: words[3]),
            let seconds = UInt32(digits: words[4])
        else { return nil }
        return Member(node: words[0], role: role, space: words[2], state: state, stateTime: WallTime(seconds: seconds))
    }

    /// The names of all users that have a password.
    var users: [String] { passwords.compactMap { $0.contains(":") ? String($0.prefix { $0 != ":" }) : nil } }

    /// The member of this name; for a user without a line in `members`, a member of all spaces.
    subscript(node: String) -> Member? {
        if let member = members.first(where: { $0.node == node }) { return member }
        guard users.contains(node), NodeID(node) != nil else { return nil }
        let role = [MemberRole.calm, .debt].first { $0.rawValue == node } ?? .node
        return Member(node: node, role: role, space: SpaceID.every, state: .joined, stateTime: 0)
    }

    var all: [Member] {
        Set(members.map(\.node) + users).sorted().compactMap { self[$0] }
    }

    /// Whether another member with a password publishes the feed of this role in this space.
    func hasOther(than node: String, role: MemberRole, in space: String) -> Bool {
        all.contains {
            $0.node != node && $0.role == role && ($0.state == .invited || $0.state == .joined)
                && ($0.space == space || $0.space == SpaceID.every)
        }
    }

    mutating func set(_ member: Member) {
        members.removeAll { $0.node == member.node }
        members.append(member)
    }

    /// Replaces the password of a user; without a `hash` removes the user.
    mutating func setPassword(_ hash: String?, of user: String) {
        passwords.removeAll { $0.hasPrefix(user + ":") }
        if let hash { passwords.append("\(user):\(hash)") }
    }

    var membersText: String {
        members.map {
            "\($0.node) \($0.role.rawValue) \($0.space) \($0.state.rawValue) \($0.stateTime.wholeSeconds)\n"
        }.joined()
    }

    var passwordsText: String { passwords.map { $0 + "\n" }.joined() }
}
