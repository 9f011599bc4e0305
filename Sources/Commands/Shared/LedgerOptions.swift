// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser

/// Where the ledger is.
public struct LedgerOptions: ParsableArguments {
    @Option(help: "The file with settings (default: ~/.config/lockstep/debt.env, if it is there).", completion: .file())
    package var config: String?

    @Option(
        help: "Where the ledger is (default: where the service has put it on this machine). LOCKSTEP_STATE_DIR",
        completion: .directory)
    package var stateDir: String?

    /// Makes options that are read from a command line.
    public init() {}

    /// The options that were given, for another program that takes the same.
    public var arguments: [String] {
        [("--config", config), ("--state-dir", stateDir)].flatMap { name, value in value.map { [name, $0] } ?? [] }
    }
}

/// The ledger of this machine and the space that is meant, for commands that read or change it.
public struct LedgerAccess: ParsableArguments {
    @OptionGroup package var place: LedgerOptions

    @Option(help: "The space (default: that of the settings, or home). LOCKSTEP_SPACE")
    package var space: String?

    /// Makes options that are read from a command line.
    public init() {}

    /// The options that were given.
    public var arguments: [String] { place.arguments + (space.map { ["--space", $0] } ?? []) }
}

/// Which part of the history, and how it is said.
public struct HistoryOptions: ParsableArguments {
    @Option(help: "From which day on, as 2026-11-01 (default: all).")
    package var since: String?

    @Option(help: "Only sessions of this label; - is the default label.")
    package var label: String?

    @Flag(help: "As JSON, one session a line.")
    package var json = false

    @Flag(help: "As CSV, with all that lockstep debt import needs to make the same ledger again.")
    package var csv = false

    @Flag(help: "As a calendar (iCalendar), a run an event.")
    package var ical = false

    /// Makes options that are read from a command line.
    public init() {}

    /// The options that were given.
    public var arguments: [String] {
        [("--since", since), ("--label", label)].flatMap { name, value in value.map { [name + "=" + $0] } ?? [] }
            + [("--json", json), ("--csv", csv), ("--ical", ical)].filter(\.1).map(\.0)
    }

    /// The formats exclude each other.
    public func validate() throws {
        guard [json, csv, ical].count(where: \.self) <= 1 else {
            throw ValidationError("--json, --csv and --ical exclude each other")
        }
    }
}
