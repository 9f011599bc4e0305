// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Wire

struct Nodes: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Shows who takes part in the space.")

    @OptionGroup var access: AccessOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await access.withAccess { access in
            let report = try await access.nodes()
            print(output.json ? Report.json(report) : report.lines.joined(separator: "\n"))
        }
    }
}
