// SPDX-License-Identifier: Apache-2.0

import API
import ArgumentParser
import Display
import Glibc
import Joining
import Session
import Settings

/// `lockstep invite`: adds a member to the broker, and prints its invitation.
struct InviteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite",
        abstract: "Invite a machine: print the line with which it joins. Run it on the broker's machine.",
        discussion: """
            The invitation is a credential for one machine: anyone with it can join in its place. It is withdrawn if it \
            is not used within a day. Asking again for the same node prints the same invitation while it is unused. A \
            program that is no node of Lockstep, as Home Assistant, gets a user with --program, which stays until lockstep revoke.
            """
    )

    @Argument(help: "The id of the new node, 1 to 32 of a-z, 0-9 and -.")
    var node: String?

    @Option(help: "node; remote, which presses and owns nothing; display, which only shows; calm; or debt.")
    var role = MemberRole.node

    @Option(help: "The space (default: home).")
    var space: String?

    @Flag(help: "The machine becomes a kiosk when it joins.")
    var kiosk = false

    @Flag(help: "Make a user for a program that is no node of Lockstep, with --role remote or display.")
    var program = false

    @Flag(help: "Withdraw the invitations that were not used within a day, as a timer of the broker's machine does.")
    var expire = false
    @OptionGroup var output: OutputOptions

    @Option(help: .hidden)
    var destdir: String?

    func validate() throws {
        if expire == (node != nil) { throw ValidationError("give the id of one node, or --expire") }
        if program, kiosk || ![.remote, .display].contains(role) {
            throw ValidationError("--program takes --role remote or --role display, and no --kiosk")
        }
    }

    func run() async throws {
        guard let node else {
            let names = try await MemberCommandSupport.answer(.expire, [String].self, json: output.json, destdir)
            if output.json { print(CommandOutput.json(["expired": names])) }
            return
        }
        guard let id = NodeID(node) else {
            let proposal = NodeSettings.node(like: node).map { "; similar: \($0)" } ?? ""
            throw UsageError("the id of a node is \(NodeSettings.nameRule)\(proposal)")
        }
        guard let space = SpaceID(space ?? NodeSettings.defaultSpace.rawValue) else {
            throw UsageError("--space is \(NodeSettings.nameRule)")
        }
        let invitation = try await MemberCommandSupport.answer(
            .invite(node: id, role: role, space: space, isProgram: program), Invitation.self, json: output.json, destdir
        )
        if program { return showUser(invitation) }
        let line = "sudo lockstep join \(try JoinToken.encode(invitation))" + (kiosk ? " --kiosk" : "")
        if output.json {
            let printed: JSONText = [
                "command": line.json, "expires": invitation.expires.wholeSeconds.json, "node": node.json,
                "role": role.rawValue.json,
            ]
            return print(CommandOutput.json(printed))
        }
        // The line alone, for scripts; the rest is for a person.
        guard isatty(STDOUT_FILENO) == 1 else { return print(line) }
        print("On \(node), where Lockstep is installed (without sudo and with --user: for yourself):\n\n\(line)\n")
        if let code = QRCode(line) { print(code.text) }
        print(
            """
            This is a credential: anyone with it can join as \(node). It is for one machine, and is withdrawn at \
            \(LocalTime.text(of: invitation.expires)) if it is not used. So that no other user of that machine sees it, run \
            sudo lockstep join\(kiosk ? " --kiosk" : "") and paste the invitation then.
            """)
    }
}

extension InviteCommand {
    /// Prints how a program connects. The password stays in its file.
    private func showUser(_ invitation: Invitation) {
        let folder = (destdir ?? "") + "/etc/mosquitto/lockstep"
        let authority = invitation.fingerprint == nil ? nil : "\(folder)/ca.crt"
        let passwordFile = "\(folder)/\(invitation.node).join"
        if output.json {
            let printed: JSONText = [
                "authority": authority?.json, "hosts": JSONText(invitation.hosts.map(\.json)),
                "passwordFile": passwordFile.json, "port": invitation.port.json, "user": "\(invitation.node)".json,
            ]
            return print(CommandOutput.json(printed))
        }
        print(
            "Host: \(invitation.hosts.joined(separator: ", or "))\nPort: \(invitation.port)\nUser: \(invitation.node)")
        print("Password: in \(passwordFile), which root can read")
        if let authority { print("Certificate authority: \(authority)") }
        print("The user stays until sudo lockstep revoke \(invitation.node).")
    }
}
