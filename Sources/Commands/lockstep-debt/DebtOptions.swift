// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Debt
import FoundationEssentials
import Settings

/// The options of the debt service.
struct DebtOptions: ParsableArguments {
    @OptionGroup var broker: BrokerOptions
    @OptionGroup var ledgerOptions: LedgerOptions

    @Option(help: "The id at the broker (default: debt). LOCKSTEP_NODE")
    var node: String?

    @Option(help: "The goal of a week in minutes (default: 420). LOCKSTEP_DEBT_GOAL")
    var goal: String?

    @Option(help: "The home zone, such as Europe/Berlin (default: that of this machine). LOCKSTEP_DEBT_ZONE")
    var zone: String?

    @Option(help: "How much to log: trace, debug, info, notice, warning, error or critical. LOCKSTEP_LOG_LEVEL")
    var logLevel: String?

    func settings() throws -> DebtSettings {
        var values = broker.values
        values.set(.node, option: "--node", to: node)
        values.set(.debtGoal, option: "--goal", to: goal)
        values.set(.debtZone, option: "--zone", to: zone)
        values.set(.logLevel, option: "--log-level", to: logLevel)
        return try ledgerOptions.settings(values)
    }
}

extension LedgerOptions {
    func settings(_ given: SettingValues = SettingValues()) throws -> DebtSettings {
        let environment = ProcessInfo.processInfo.environment
        var values = given
        values.set(.stateDirectory, option: "--state-dir", to: stateDir)
        values.set(.ledger, option: "--ledger", to: ledger)
        try values.fill(environment: environment, config: config, of: .debt)
        return try DebtSettings(values, environment: environment)
    }
}
