// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser

/// The options that say where the ledger is.
package struct LedgerOptions: ParsableArguments {
    @Option(
        help: "The file with settings (default: ~/.config/lockstep/debt.env; its machine's: /etc/lockstep/debt.env).",
        completion: .file())
    package var config: String?

    @Option(
        help: "The directory of the ledger (default: that of the service on this machine). LOCKSTEP_STATE_DIR",
        completion: .directory)
    package var stateDir: String?

    @Option(help: "The URL of a ledger on PostgreSQL, without a password: postgresql://user@host/name. LOCKSTEP_LEDGER")
    package var ledger: String?

    package init() {}

    /// The given options, for another program with the same options.
    package var arguments: [String] { .options(["--config": config, "--state-dir": stateDir, "--ledger": ledger]) }
}

/// A part of the history, and its format.
package struct HistoryOptions: ParsableArguments {
    @Option(help: "The first day, as 2026-11-01 (default: all).")
    package var since: String?

    @Option(help: "Only sessions of this label; - is the default label.")
    package var label: String?

    @Flag(help: "Print JSON, one session per line.")
    package var json = false

    @Flag(help: "Print CSV that lockstep debt import reads back without a loss.")
    package var csv = false

    @Flag(help: "Print a calendar (iCalendar), one event per run.")
    package var ical = false

    package init() {}

    package var arguments: [String] {
        [("--since", since), ("--label", label)].flatMap { name, value in value.map { [name + "=" + $0] } ?? [] }
            + [("--json", json), ("--csv", csv), ("--ical", ical)].filter(\.1).map(\.0)
    }

    package func validate() throws {
        guard [json, csv, ical].count(where: \.self) <= 1 else {
            throw ValidationError("--json, --csv and --ical exclude each other")
        }
    }
}

extension [String] {
    /// Returns the options that have a value, for another program.
    package static func options(_ given: KeyValuePairs<String, String?>) -> [String] {
        given.flatMap { name, value in value.map { [name, $0] } ?? [] }
    }
}
