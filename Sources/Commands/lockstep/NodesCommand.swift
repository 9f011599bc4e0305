// SPDX-License-Identifier: Apache-2.0

import API
import ArgumentParser
import Client

/// `lockstep nodes`: lists the nodes of a space.
struct NodesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "nodes", abstract: "List the nodes of the space.")

    @OptionGroup var node: AskingOptions

    func run() async throws {
        try await node.access.withAccess {
            let report = try await $0.nodes()
            print(node.output.json ? CommandOutput.json(report.encoded) : report.lines.joined(separator: "\n"))
        }
    }
}
