// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Calm
import Commands
import FoundationEssentials
import Glibc
import Session
import Shell

/// What the service, the microphone and an onlooker are given on their command lines.
struct CalmOptions: ParsableArguments {
    @OptionGroup var broker: BrokerOptions

    @Option(help: "The file with settings (default: ~/.config/lockstep/calm.env, if it is there).")
    var config: String?

    @Option(help: "Its id at the broker (default: calm; of a microphone the host's name). LOCKSTEP_NODE")
    var node: String?

    @Option(
        help: "Where the service keeps what it has heard (default: ~/.local/state/lockstep-calm). LOCKSTEP_STATE_DIR")
    var stateDir: String?

    @Option(parsing: .unconditional, help: "Quiet is below so many decibels (default: 45). LOCKSTEP_CALM_THRESHOLD")
    var threshold: String?

    @Option(help: "A sensor's topic, with levels of its own making. LOCKSTEP_CALM_TOPIC")
    var topic: String?

    @Option(help: "How much to log: trace, debug, info, notice, warning, error or critical. LOCKSTEP_LOG_LEVEL")
    var logLevel: String?

    func settings(as part: CalmSettings.Part, more: (inout SettingValues) -> Void = { _ in }) throws -> CalmSettings {
        let environment = ProcessInfo.processInfo.environment
        var values = broker.values
        values.set(.node, option: "--node", to: node)
        values.set(.stateDirectory, option: "--state-dir", to: stateDir)
        values.set(.calmThreshold, option: "--threshold", to: threshold)
        values.set(.calmTopic, option: "--topic", to: topic)
        values.set(.logLevel, option: "--log-level", to: logLevel)
        more(&values)
        try values.fill(environment: environment)
        let file = Paths(environment: environment).calmSettings
        // Whoever names a broker on the command line does not mean the password of another one.
        let ofAnotherBroker: Set<Setting> =
            broker.values.isGiven(.broker) ? [.passwordFile, .tlsCA, .tlsCertificate, .tlsKey] : []
        if let config {
            try values.fill(file: config, except: ofAnotherBroker)
        } else if access(file, R_OK) == 0 {
            try values.fill(file: file, except: ofAnotherBroker)
        }
        return try CalmSettings(values, part: part, environment: environment)
    }
}
