// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Commands
import Glibc

/// `lockstep node …` is `lockstep-node …`.
struct NodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "node",
        abstract: "Runs a node on this machine; the same as lockstep-node, whose --help tells its options.",
        helpNames: []
    )

    @Argument(parsing: .captureForPassthrough, help: "Options of lockstep-node.")
    var arguments: [String] = []

    func run() throws {
        let program = Sibling.path(of: "lockstep-node")
        var pointers = ([program] + arguments).map { strdup($0) } + [nil]
        execv(program, &pointers)
        throw UsageError("\(program) cannot be run: \(String(cString: strerror(errno)))")
    }
}
