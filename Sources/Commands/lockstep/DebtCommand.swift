// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Commands
import Glibc

/// `lockstep debt …` is `lockstep-debt …`.
struct DebtCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "debt",
        abstract:
            "This week, and the history of all sessions; the same as lockstep-debt, whose --help tells its options.",
        helpNames: []
    )

    @Argument(parsing: .captureForPassthrough, help: "A subcommand of lockstep-debt and its options (default: show).")
    var arguments: [String] = []

    func run() throws {
        let program = Sibling.path(of: "lockstep-debt")
        var pointers = ([program] + (arguments.isEmpty ? ["show"] : arguments)).map { strdup($0) } + [nil]
        execv(program, &pointers)
        throw UsageError("\(program) cannot be run: \(String(cString: strerror(errno)))")
    }
}
