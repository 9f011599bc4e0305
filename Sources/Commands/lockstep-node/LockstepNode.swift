// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Commands
import FoundationEssentials
import Glibc
import Logging
import Mosquitto
import ServiceLifecycle
import Session
import Shell
import Web
import Wire

/// `lockstep-node`: one device of a space.
@main
struct LockstepNode: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lockstep-node",
        abstract: "Takes part in a space: shows and starts its session, and answers for the sessions started here.",
        discussion: """
            Every option can be given in the environment or in a file of KEY=VALUE lines as well, under the name that \
            stands with it. The command line comes first, then the environment, then the file. Config/node.env \
            lists these and the rest: presets, break lengths, the cap of a count-up session. Without a broker the node \
            works alone, and joins when it is given one.
            """,
        version: Software.version
    )

    @OptionGroup var options: NodeOptions

    @Option(help: "The file with settings (default: ~/.config/lockstep/node.env, if it is there).")
    var config: String?

    @Option(help: "How much to log: trace, debug, info, notice, warning, error or critical. LOCKSTEP_LOG_LEVEL")
    var logLevel: String?

    static func main() async {
        await CommandLineRunner.run(Self.self)
    }

    func run() async throws {
        umask(0o077)
        let settings = try settings()
        LoggingSystem.bootstrap { label in
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = settings.logLevel
            return handler
        }
        try await NodeService(settings: settings).run()
    }

    private func settings() throws -> Settings {
        let environment = ProcessInfo.processInfo.environment
        let paths = Paths(environment: environment)
        var values = options.values
        values.set(.logLevel, option: "--log-level", to: logLevel)
        try values.fill(environment: environment)
        if let config {
            try values.fill(file: config)
        } else if access(paths.settings, R_OK) == 0 {
            try values.fill(file: paths.settings)
        }
        return try Settings(values, environment: environment)
    }
}
