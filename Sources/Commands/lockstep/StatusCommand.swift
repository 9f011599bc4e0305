// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Wire

struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Shows the current session; exit code 5 when there is none."
    )

    @OptionGroup var access: AccessOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await access.withAccess { access in
            let report = try await access.status()
            print(output.json ? Report.json(report) : report.lines.joined(separator: "\n"))
            if !report.isLive { throw ExitStatus.noSession.code }
        }
    }
}
