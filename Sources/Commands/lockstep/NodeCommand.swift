// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Commands

/// `lockstep node …` is `lockstep-node …`.
struct NodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "node",
        abstract: "Runs a node on this machine; the same as lockstep-node, whose --help tells its options.",
        helpNames: []
    )

    @Argument(parsing: .captureForPassthrough, help: "Options of lockstep-node.")
    var arguments: [String] = []

    func run() throws { try Sibling.become("lockstep-node", arguments) }
}
