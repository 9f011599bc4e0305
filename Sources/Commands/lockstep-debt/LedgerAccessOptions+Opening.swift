// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Debt
import FoundationEssentials
import Glibc
import Session
import Settings

extension LedgerAccessOptions {
    /// An open ledger with its space and rules.
    struct Opened {
        var settings: DebtSettings
        var ledger: LedgerStore
        var space: SpaceID
        var history: RulesHistory
    }

    /// Returns the settings of the ledger to open. Without a given directory it is the first one with a ledger: of this
    /// person's service, of `lockstep up` or of the machine; others are named on stderr.
    func settings() throws -> DebtSettings {
        var values = SettingValues()
        values.set(.space, option: "--space", to: space)
        let settings = try ledgerOptions.settings(values)
        let environment = ProcessInfo.processInfo.environment
        let paths = Paths(environment: environment)
        let isGiven = ledgerOptions.stateDir != nil || environment[Setting.stateDirectory.rawValue] != nil
        guard !isGiven, settings.database == nil, settings.common.stateDirectory == paths.stateDirectory(of: .debt)
        else {
            return settings
        }
        let (ofUp, ofMachine) = (paths.stateDirectory + "/debt", Installation.machineLedger)
        let installation = Installation(environment: environment)
        var machine = SettingValues()
        try? machine.fill(file: installation.ledgerSettings)
        let database = try DebtSettings.database(machine)
        let otherPlaces = installation.keepsLedger || database != nil ? [ofMachine, ofUp] : [ofUp, ofMachine]
        let candidates = ([settings.common.stateDirectory] + otherPlaces).map { directory in
            var candidate = settings
            candidate.common.stateDirectory = directory
            if directory == ofMachine { candidate.database = database }
            return candidate
        }.filter { $0.database != nil || Self.mayExist($0.ledger) }
        guard let first = candidates.first else { return settings }
        if candidates.count > 1 {
            let options = candidates.dropFirst().map { "--state-dir \($0.common.stateDirectory)" }.joined(
                separator: ", ")
            let place = first.database ?? first.common.stateDirectory
            CommandLineRunner.say(
                "\(LockstepDebt._commandName): this is the ledger in \(place); there is another: \(options)")
        }
        return first
    }

    /// Whether a ledger exists, or is in a directory that this user may not search.
    private static func mayExist(_ ledger: String) -> Bool { access(ledger, F_OK) == 0 || errno == EACCES }

    private static func noLedger(at settings: DebtSettings) -> UsageError {
        let environment = ProcessInfo.processInfo.environment
        if access(settings.ledger, R_OK) != 0, errno == EACCES {
            return UsageError("you may not read the ledger \(settings.ledger): use sudo")
        }
        guard settings.common.stateDirectory == Paths(environment: environment).stateDirectory(of: .debt) else {
            return UsageError("there is no ledger at \(settings.ledger): name its directory with --state-dir")
        }
        return UsageError("this machine has no ledger: \(Installation(environment: environment).adviceWithoutLedger)")
    }

    /// Runs `body` with the opened ledger; if it writes, notifies the services that share the ledger.
    /// - Parameters:
    ///   - createsMissing: Whether to create a missing ledger.
    ///   - writes: Whether `body` changes the ledger. If not, the ledger can be on a full or read-only disk.
    func withLedger<Value>(createsMissing: Bool = false, writes: Bool = false, _ body: (Opened) throws -> Value) throws
        -> Value
    {
        let settings = try settings()
        if createsMissing {
            umask(0o077)
            // If that fails, opening the ledger reports it.
            _ = try? StateDirectory(settings.common.stateDirectory)
        }
        guard createsMissing || settings.database != nil || access(settings.ledger, R_OK) == 0 else {
            throw Self.noLedger(at: settings)
        }
        let ledger = writes ? try LedgerStore(at: settings.ledger) : try LedgerStore.reading(at: settings.ledger)
        let history = RulesHistory(try ledger.rules()) ?? RulesHistory(settings.rules)
        let value = try body(
            Opened(
                settings: settings, ledger: ledger, space: try Self.space(of: settings, in: ledger), history: history))
        guard writes else {
            // Closing may merge the log of a killed service into the file. If the disk is too full, nothing is lost.
            try? ledger.close()
            return value
        }
        try ledger.shared?.notifyServices()
        try ledger.close()
        return value
    }

    /// Returns the space of the settings; if they mean every space, the only space of the ledger.
    private static func space(of settings: DebtSettings, in ledger: LedgerStore) throws -> SpaceID {
        guard settings.servesEverySpace else { return settings.common.space }
        let spaces = try ledger.spaces()
        guard spaces.count <= 1 else {
            let names = spaces.prefix(20).map(\.rawValue).joined(separator: ", ")
            throw UsageError("the ledger has several spaces; name one with --space: \(names)")
        }
        return spaces.first ?? settings.common.space
    }

    /// Locks the state directory of a service, so that none can run there meanwhile.
    static func lock(_ directory: String) throws -> StateDirectory {
        do throws(StateDirectoryError) {
            return try StateDirectory(directory)
        } catch {
            throw UsageError("\(error)")
        }
    }

    /// Sends SIGHUP to a running service, so that it reads the ledger again. The lock file holds its process id.
    static func notifyService(of settings: DebtSettings) {
        do throws(StateDirectoryError) {
            _ = try StateDirectory(settings.common.stateDirectory)
        } catch {
            if case .taken(_, let process?) = error { kill(pid_t(process), SIGHUP) }
        }
    }
}
