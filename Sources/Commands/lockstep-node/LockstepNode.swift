// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FoundationEssentials
import Settings

/// `lockstep-node`: runs a node, and carries out what `lockstep` leaves to it.
@main
struct LockstepNode: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: CompanionExecutable.commandName(of: "lockstep-node"),
        abstract: "Run a node, which shows, starts and owns sessions of a space.",
        discussion: """
            Every option can also be set in the environment or in a file of KEY=VALUE lines, under the name at the end of \
            its help. The command line has precedence over the environment, and that over the file. node.env (in /etc/lockstep, \
            or Config of the sources) lists all settings, such as presets, break lengths and the cap of a count-up session. Without a broker the node \
            works alone.
            """,
        version: Software.version
    )

    @OptionGroup var broker: BrokerOptions
    @OptionGroup var options: NodeOptions

    @Option(help: "The settings file (default: ~/.config/lockstep/node.env, if it exists).")
    var config: String?

    @Option(help: "How much to log: trace, debug, info, notice, warning, error or critical. LOCKSTEP_LOG_LEVEL")
    var logLevel: String?

    static func main() async {
        let ofLockstep: [String: any AsyncParsableCommand.Type] = [
            "broker": BrokerAdminCommand.self, "desktop": MediaPlayerCommand.self,
            "doctor": BrokerExaminationCommand.self, "probe": ProbeCommand.self, "remote": RemoteCommand.self,
        ]
        let arguments = ProcessArguments.all
        if let command = arguments.first.flatMap({ ofLockstep[$0] }) {
            await CommandLineRunner.run(command, Array(arguments.dropFirst()))
        }
        await CommandLineRunner.run(Self.self)
    }

    func run() async throws {
        let settings = try settings()
        settings.prepareProcess()
        try await NodeService(settings: settings).run()
    }

    private func settings() throws -> NodeSettings {
        let environment = ProcessInfo.processInfo.environment
        var values = options.values
        broker.add(to: &values)
        values.set(.logLevel, option: "--log-level", to: logLevel)
        try values.fill(environment: environment, config: config, of: .node)
        return try NodeSettings(values, environment: environment)
    }
}
