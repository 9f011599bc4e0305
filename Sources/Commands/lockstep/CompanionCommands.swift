// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Settings

/// `lockstep node`: runs `lockstep-node` with the same arguments.
struct NodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "node",
        abstract: "Run a node on this machine; the same as lockstep-node, whose --help lists its options.",
        helpNames: []
    )

    @Argument(parsing: .captureForPassthrough, help: "Options of lockstep-node.")
    var arguments: [String] = []

    func run() throws { try CompanionExecutable.become("lockstep-node", arguments, as: "lockstep node") }
}

/// `lockstep desktop`: shows the session as a media player of the desktop.
struct DesktopCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "desktop",
        abstract: "Show the session as a media player of the desktop (MPRIS), until Ctrl-C.",
        discussion: """
            Media keys, the controls of the desktop and playerctl then pause, resume, skip and stop the session. Without a \
            session there is no player; a node may come and go meanwhile. As a service: \
            systemctl --user enable --now lockstep-desktop
            """)

    @OptionGroup var socket: SocketOptions

    func run() throws { try CompanionExecutable.become("lockstep-node", ["desktop", "--"] + socket.wantedSockets) }
}

/// `lockstep debt`: runs `lockstep-debt` with the same arguments; without a subcommand it shows the week.
struct DebtCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "debt",
        abstract:
            "Show this week; add, correct, delete, import, backup, restore and move change the ledger, see --help.",
        helpNames: []
    )

    @Argument(
        parsing: .captureForPassthrough, help: "A subcommand of lockstep-debt and its options (default: show).",
        completion: .list(subcommands))
    var arguments: [String] = []

    private static let subcommands = ["show", "add", "correct", "delete", "import", "backup", "restore", "move"]

    func run() throws {
        let first = arguments.first ?? ""
        guard first != "history" else { throw UsageError("the history has a command of its own: lockstep history") }
        guard first.isEmpty || first.hasPrefix("-") || (Self.subcommands + ["help"]).contains(first) else {
            let known = Self.subcommands.joined(separator: ", ")
            throw UsageError("there is no lockstep debt \(first); its commands are \(known)")
        }
        // Without a subcommand, lockstep-debt itself would run the service.
        let isWeek = first.isEmpty || (first.hasPrefix("-") && !["-h", "--help", "--version"].contains(first))
        try CompanionExecutable.become("lockstep-debt", (isWeek ? ["show"] : []) + arguments, as: "lockstep debt")
    }
}

/// `lockstep history`: lists the sessions of the ledger.
struct HistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "List all sessions, the latest last.",
        discussion: "It reads the ledger of the machine that runs lockstep-debt.")

    @OptionGroup var options: HistoryOptions

    @OptionGroup(title: "Which ledger")
    var access: LedgerAccessOptions

    @Argument(help: .hidden)
    var words: [String] = []

    func run() throws {
        if let word = words.first {
            throw UsageError("history has no command “\(word)”; for a label: lockstep history --label \(word)")
        }
        try CompanionExecutable.become(
            "lockstep-debt", ["history"] + access.arguments + options.arguments, as: "lockstep")
    }
}
