// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Joining
import Session
import Settings

/// `lockstep revoke`: ends the rights of a member.
struct RevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "End the rights of a member. Run it on the broker's machine.",
        discussion: """
            Its password ends, its connection is cut, and displays show it offline. If what it retained on the broker could \
            not be cleared, the exit code is 7, and the same command clears it later. What it left on plain topics and for Home \
            Assistant stays, because the broker does not know whose that is. To clear it, restart the node that serves the \
            plain topics. If none does, restart a node with LOCKSTEP_PLAIN=on, and then without it.
            """
    )

    @Argument(help: "The id of the node.")
    var node: String

    @Option(help: .hidden)
    var destdir: String?

    func run() async throws {
        guard let node = NodeID(node) else {
            throw UsageError("a node has 1 to 32 characters of a-z, 0-9 and -, and does not begin with -")
        }
        let isCleared = try await MemberCommandSupport.answer(.revoke(node: node), Bool.self, destdir)
        guard isCleared else { throw ExitStatus.incomplete.code }
    }
}
