// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Display
import Wire

struct Take: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Moves the current session to the node of this machine.",
        discussion: """
            The session goes on here as it stands, whether its owner is there or not; the time does not jump. A passing \
            remote has no place to hold a session, so there it is refused.
            """
    )

    @OptionGroup var access: AccessOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await access.withAccess { access in
            try Report.end(try await access.take(), done: Report.strings[.movedHere], json: output.json)
        }
    }
}
