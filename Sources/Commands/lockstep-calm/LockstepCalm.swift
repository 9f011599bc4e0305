// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Calm
import Settings

/// `lockstep-calm`: the service that measures calm, and the microphone.
@main
struct LockstepCalm: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lockstep-calm",
        abstract: "Measure how quiet it is while a session runs.",
        discussion: """
            Without a subcommand it runs the service, which receives the levels of microphones and sensors, and publishes \
            the calm of the current session. Every option can also be set in the environment or in a file of KEY=VALUE \
            lines, under the name at the end of its help; calm.env (in /etc/lockstep, or Config of the sources) lists them. Sound never leaves the process \
            that records it; only levels do, one a second.
            """,
        version: Software.version,
        subcommands: [ServeCommand.self, ListenCommand.self, LevelsCommand.self],
        defaultSubcommand: ServeCommand.self
    )

    static func main() async {
        await CommandLineRunner.run(Self.self)
    }
}

/// `lockstep-calm serve`: runs the service.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Run the service, which publishes the calm of the current session.")

    @OptionGroup var options: CalmOptions

    func run() async throws {
        let settings = try options.settings(as: .service)
        settings.common.prepareProcess()
        try await CalmService.serve(settings)
    }
}

/// `lockstep-calm levels`: prints what the service would receive.
struct LevelsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "levels", abstract: "Print each level that the service receives, as a line of JSON.")

    @OptionGroup var options: CalmOptions

    func run() async throws {
        try await LevelPrinter.run(settings: try options.settings(as: .levelPrinter))
    }
}
