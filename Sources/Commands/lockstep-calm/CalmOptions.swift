// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Calm
import FoundationEssentials
import Settings

/// The options that the subcommands of `lockstep-calm` share.
struct CalmOptions: ParsableArguments {
    @OptionGroup var broker: BrokerOptions

    @Option(help: "The settings file (default: ~/.config/lockstep/calm.env, if it exists).")
    var config: String?

    @Option(help: "The id at the broker (default: calm; for a microphone the host name). LOCKSTEP_NODE")
    var node: String?

    @Option(
        help: "The state directory of the service (default: ~/.local/state/lockstep-calm). LOCKSTEP_STATE_DIR")
    var stateDir: String?

    @Option(
        parsing: .unconditional, help: "Levels below this are quiet, in decibels (default: 45). LOCKSTEP_CALM_THRESHOLD"
    )
    var threshold: String?

    @Option(help: "The topic of a third-party sensor. LOCKSTEP_CALM_TOPIC")
    var topic: String?

    @Option(help: "How much to log: trace, debug, info, notice, warning, error or critical. LOCKSTEP_LOG_LEVEL")
    var logLevel: String?

    func settings(as reader: CalmSettings.Reader, more: (inout SettingValues) -> Void = { _ in }) throws -> CalmSettings
    {
        let environment = ProcessInfo.processInfo.environment
        var values = broker.values
        values.set(.node, option: "--node", to: node)
        values.set(.stateDirectory, option: "--state-dir", to: stateDir)
        values.set(.calmThreshold, option: "--threshold", to: threshold)
        values.set(.calmTopic, option: "--topic", to: topic)
        values.set(.logLevel, option: "--log-level", to: logLevel)
        more(&values)
        try values.fill(environment: environment, config: config, of: .calm)
        return try CalmSettings(values, for: reader, environment: environment)
    }
}
