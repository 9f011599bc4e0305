// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Commands
import FoundationEssentials
import Glibc
import Shell

/// What the service is given on its command line.
struct DebtOptions: ParsableArguments {
    @OptionGroup var broker: BrokerOptions

    @OptionGroup var place: LedgerOptions

    @Option(help: "Its id at the broker (default: debt). LOCKSTEP_NODE")
    var node: String?

    @Option(help: "Minutes that a week asks for (default: 420). LOCKSTEP_DEBT_GOAL")
    var goal: String?

    @Option(help: "The home zone, as Europe/Berlin (default: that of this machine). LOCKSTEP_DEBT_ZONE")
    var zone: String?

    @Option(help: "How much to log: trace, debug, info, notice, warning, error or critical. LOCKSTEP_LOG_LEVEL")
    var logLevel: String?

    func settings() throws -> DebtSettings {
        var values = broker.values
        values.set(.node, option: "--node", to: node)
        values.set(.debtGoal, option: "--goal", to: goal)
        values.set(.debtZone, option: "--zone", to: zone)
        values.set(.logLevel, option: "--log-level", to: logLevel)
        return try place.settings(values)
    }
}

extension LedgerOptions {
    func settings(_ given: SettingValues = SettingValues()) throws -> DebtSettings {
        let environment = ProcessInfo.processInfo.environment
        var values = given
        values.set(.stateDirectory, option: "--state-dir", to: stateDir)
        try values.fill(environment: environment)
        let file = Paths(environment: environment).debtSettings
        if let config {
            try values.fill(file: config)
        } else if access(file, R_OK) == 0 {
            try values.fill(file: file)
        }
        return try DebtSettings(values, environment: environment)
    }
}
