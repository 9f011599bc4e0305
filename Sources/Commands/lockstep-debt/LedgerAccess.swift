// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Commands
import Debt
import DebtService
import FoundationEssentials
import Glibc
import Session
import Setup

extension LedgerAccess {
    /// An open ledger, and the space that a command is about.
    struct Opened {
        var settings: DebtSettings
        var ledger: Ledger
        var space: SpaceID
        var history: RulesHistory
    }

    func settings() throws -> DebtSettings {
        var values = SettingValues()
        values.set(.space, option: "--space", to: space)
        var settings = try place.settings(values)
        guard access(settings.ledger, F_OK) != 0 else { return settings }
        let paths = Paths(environment: ProcessInfo.processInfo.environment)
        guard settings.node.stateDirectory == paths.debtStateDirectory else { return settings }
        // The ledgers of lockstep up and of the machine's service.
        for directory in [paths.stateDirectory + "/debt", "/var/lib/lockstep-debt"] {
            var other = settings
            other.node.stateDirectory = directory
            if access(other.ledger, R_OK) == 0 {
                settings = other
                break
            }
        }
        return settings
    }

    /// Opens the ledger for `body`.
    /// - Parameters:
    ///   - isMade: Whether to create a missing one.
    ///   - writes: Whether `body` changes it. If not, it can be on a full or read-only disk.
    func with<Value>(isMade: Bool = false, writes: Bool = false, _ body: (Opened) throws -> Value) throws -> Value {
        let settings = try settings()
        if isMade { Self.makeDirectory(of: settings) }
        guard isMade || access(settings.ledger, F_OK) == 0 else {
            throw UsageError("there is no ledger at \(settings.ledger): name its directory with --state-dir")
        }
        let ledger = writes ? try Ledger(path: settings.ledger) : try Ledger.reading(path: settings.ledger)
        let history = RulesHistory(try ledger.rules()) ?? RulesHistory(settings.rules)
        let value = try body(
            Opened(
                settings: settings, ledger: ledger, space: try Self.space(of: settings, in: ledger), history: history))
        try ledger.close()
        return value
    }

    /// Returns the space of the settings. Without one it is the only space of the ledger.
    private static func space(of settings: DebtSettings, in ledger: Ledger) throws -> SpaceID {
        guard settings.isEverySpace else { return settings.node.space }
        let spaces = try ledger.spaces()
        guard spaces.count <= 1 else {
            let names = spaces.prefix(20).map(\.rawValue).joined(separator: ", ")
            throw UsageError("the ledger has several spaces; name one with --space: \(names)")
        }
        return spaces.first ?? settings.node.space
    }

    private static func makeDirectory(of settings: DebtSettings) {
        umask(0o077)
        // If that fails, opening the ledger reports it.
        _ = try? StateDirectory(settings.node.stateDirectory)
    }

    /// Sends SIGHUP to a running service, so that it reads the ledger again. The lock file holds its process id.
    static func notifyService(of settings: DebtSettings) {
        do throws(StateDirectoryError) {
            _ = try StateDirectory(settings.node.stateDirectory)
        } catch {
            if case .taken(_, let process?) = error { kill(pid_t(process), SIGHUP) }
        }
    }
}
