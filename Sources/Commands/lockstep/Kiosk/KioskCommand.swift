// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `lockstep kiosk`: the page of a node on a screen.
struct KioskCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kiosk",
        abstract:
            "Print the link of this node's page; with enable or disable, show it on this machine's screen or not.",
        discussion: "lockstep kiosk link --help lists the options of the link.",
        subcommands: [KioskLinkCommand.self, KioskEnableCommand.self, KioskDisableCommand.self],
        defaultSubcommand: KioskLinkCommand.self
    )
}
