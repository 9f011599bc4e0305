// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Commands
import Debt
import FoundationEssentials
import Glibc
import Session
import Shell

extension LedgerAccess {
    /// What a command works on.
    struct Opened {
        var settings: DebtSettings
        var ledger: Ledger
        var space: SpaceID
        var history: RulesHistory

        func date(_ instant: Int64) -> (date: CivilDate, time: Int64) { history.latest.zone.local(instant) }
    }

    func settings() throws -> DebtSettings {
        var values = SettingValues()
        values.set(.space, option: "--space", to: space)
        var settings = try place.settings(values)
        guard access(settings.ledger, F_OK) != 0 else { return settings }
        let paths = Paths(environment: ProcessInfo.processInfo.environment)
        guard settings.node.stateDirectory == paths.debtStateDirectory else { return settings }
        // Where lockstep up has it, and where the machine's service has it.
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
    ///   - isMade: Whether there need not be one yet.
    ///   - writes: Whether `body` changes it; else it is also read where its disk is full or read-only.
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

    /// Of a service for every space, the one that there is; of several, one has to be named.
    private static func space(of settings: DebtSettings, in ledger: Ledger) throws -> SpaceID {
        guard settings.isEverySpace else { return settings.node.space }
        let spaces = try ledger.spaces()
        guard spaces.count <= 1 else {
            let names = spaces.prefix(20).map(\.rawValue).joined(separator: ", ")
            throw UsageError("the ledger is of several spaces; name one with --space: \(names)")
        }
        return spaces.first ?? settings.node.space
    }

    private static func makeDirectory(of settings: DebtSettings) {
        umask(0o077)
        // Where it cannot be, opening the ledger says so.
        _ = try? StateDirectory(settings.node.stateDirectory)
    }

    /// Tells a service that runs that the ledger is another: whoever holds the directory has left its number there.
    static func tellService(of settings: DebtSettings) {
        do throws(StateDirectoryError) {
            _ = try StateDirectory(settings.node.stateDirectory)
        } catch {
            if case .taken(_, let process?) = error { kill(pid_t(process), SIGHUP) }
        }
    }
}

/// An instant as people write it, in the home zone.
enum InstantText {
    /// `2026-11-21`, or with a time of the day `2026-11-21T08:30`; `nil` for anything else.
    static func instant(_ text: String, zone: Zone) -> Int64? {
        let parts = text.split(separator: "T", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let date = CivilDate(parts[0]) else { return nil }
        guard parts.count == 2 else { return zone.instant(of: date, time: 0) }
        let numbers = parts[1].split(separator: ":").map { Int($0) }
        guard numbers.count == 2, let hour = numbers[0], let minute = numbers[1], (0...23).contains(hour),
            (0...59).contains(minute)
        else { return nil }
        return zone.instant(of: date, time: Int64(hour * 60 + minute) * 60_000)
    }

    /// `2026-11-21T08:30`.
    static func text(_ instant: Int64, zone: Zone) -> String {
        let (date, time) = zone.local(instant)
        return "\(date)T\(two(time / 3_600_000)):\(two(time / 60_000 % 60))"
    }

    private static func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
