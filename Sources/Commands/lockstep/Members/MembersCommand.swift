// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Joining
import Session
import Settings

/// `lockstep members`: lists the broker's members.
struct MembersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "members",
        abstract: "List the members of this machine's broker, with role, space, state and last sign of life.",
        discussion: """
            LAST SEEN is when a member left. If it lost its power or network, it is when its last connection began, \
            because the broker publishes no time with a will. Members are looked for in home and in the spaces to which members \
            were invited.
            """)

    @OptionGroup var output: OutputOptions

    @Option(help: .hidden)
    var destdir: String?

    func run() async throws {
        let members = try await MemberCommandSupport.answer(.members, [Member].self, json: output.json, destdir)
        if output.json { return print(CommandOutput.json(["members": members])) }
        guard !members.isEmpty else { return print("No members yet: sudo lockstep invite NAME") }
        let rows = [["NAME", "ROLE", "SPACE", "STATE", "LAST SEEN"]] + members.map(row)
        print(TextTable.lines(rows).joined(separator: "\n"))
    }

    private func row(_ member: Member) -> [String] {
        let until = member.expiresAt.map { " until \(LocalTime.text(of: $0))" } ?? ""
        let seen = member.online ? "online" : member.lastSeen.map { LocalTime.text(of: $0) } ?? "-"
        return [member.node, member.role.rawValue, member.space, member.state.rawValue + until, seen]
    }
}
