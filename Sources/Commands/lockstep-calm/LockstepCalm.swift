// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Commands
import Glibc
import Logging
import Shell

/// `lockstep-calm`: how quiet the room was while a session ran.
@main
struct LockstepCalm: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lockstep-calm",
        abstract: "Measures how quiet it is while a session runs: the service, and the microphone.",
        discussion: """
            Without a subcommand it is the service: it hears the levels that microphones and sensors publish, and publishes \
            the calm of the current session. Every option can be given in the environment or in a file of KEY=VALUE lines \
            as well, under the name that stands with it; Config/calm.env lists them. Sound never leaves the \
            process that listens: levels do, one a second.
            """,
        version: Software.version,
        subcommands: [Serve.self, Listen.self, Levels.self],
        defaultSubcommand: Serve.self
    )

    static func main() async {
        // Nobody who is gone is written to; a write tells.
        signal(SIGPIPE, SIG_IGN)
        await CommandLineRunner.run(Self.self)
    }

    static func startLog(_ settings: CalmSettings) {
        umask(0o077)
        LoggingSystem.bootstrap { label in
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = settings.node.logLevel
            return handler
        }
    }
}

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "The service: publishes the calm of the current session.")

    @OptionGroup var options: CalmOptions

    func run() async throws {
        let settings = try options.settings(as: .service)
        LockstepCalm.startLog(settings)
        try await CalmProcess(settings: settings).run()
    }
}

struct Levels: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints each level that the service would hear, as a line of JSON.")

    @OptionGroup var options: CalmOptions

    func run() async throws {
        try await LevelPrinter.run(settings: try options.settings(as: .onlooker))
    }
}
