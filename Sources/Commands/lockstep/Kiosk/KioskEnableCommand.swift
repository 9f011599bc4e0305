// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Display
import Glibc
import Platform
import Session
import Settings

/// `lockstep kiosk enable`: makes this machine a kiosk.
struct KioskEnableCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable",
        abstract: "Show the session on this machine's screen, from boot on.",
        discussion: """
            The machine's node shows its page in Chromium, through the compositor cage. Where there is no graphics device, \
            or one of the two is not installed, the first console shows `lockstep watch`. The command ends when the page is \
            seen, or says what is missing: exit code 3 if this machine cannot show it, 4 if it does not appear within two \
            minutes. Needs root.
            """)

    /// The settings file of the display, which belongs to root. The node's unit reads it too, for the address of the
    /// page; the node's own settings file has precedence.
    static let path = "/etc/lockstep/kiosk.env"

    @OptionGroup var shown: PageOptions

    @Flag(help: "Show buttons.")
    var controls = false

    @Option(help: "page, terminal, or auto for the page where it can be shown.")
    var surface = Surface.auto

    /// The display of a kiosk: the page in a browser, or the terminal.
    enum Surface: String, CaseIterable, ExpressibleByArgument {
        case page, terminal, auto
    }

    func run() async throws {
        try KioskService.requireRoot()
        guard access("/usr/lib/lockstep/kiosk-session", X_OK) == 0 else {
            throw UsageError("a kiosk needs the package lockstep; Deploy/install has installed the programs without it")
        }
        let isNew = access(KioskEnableCommand.path, F_OK) != 0
        do {
            try Files.replace(KioskEnableCommand.path, with: Array(try lines().text.utf8))
        } catch {
            throw UsageError("\(error)")
        }
        do {
            try await KioskService.systemctl("enable", "--quiet", KioskService.unit)
        } catch {
            if isNew { unlink(KioskEnableCommand.path) }
            throw error
        }
        // The node reads the address of its page when it starts.
        try await KioskService.systemctl("restart", "lockstep-node.service")
        try await KioskService.systemctl("restart", KioskService.unit)
        print("The display starts on this machine's screen.")
        if access("/etc/systemd/system/display-manager.service", F_OK) == 0 {
            print(
                "A desktop starts on this machine too. To boot into the display alone: sudo systemctl set-default multi-user"
            )
        }
        fflush(nil)
        let surface = try await KioskService.waitUntilSeen()
        print("The screen shows \(surface), face \(shown.display.face ?? .focus), now and after each start.")
        print("Settings: \(KioskEnableCommand.path). To stop: sudo lockstep kiosk disable")
    }

    /// The lines of the file. The names without LOCKSTEP_ are for `kiosk-session` alone.
    private func lines() throws(ValueError) -> SettingLines {
        var lines = SettingLines(comment: "Written by `lockstep kiosk enable`.")
        try lines.add(.http, "127.0.0.1:7780")
        let controls: String? = controls ? "on" : "off"
        for (name, value) in shown.parameters + [("controls", controls), ("surface", surface.rawValue)] {
            try lines.add(LineText(showing: "KIOSK_" + name.uppercased()), LineText(showing: value ?? ""))
        }
        return lines
    }
}

/// `lockstep kiosk disable`: returns the screen to the console.
struct KioskDisableCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable", abstract: "Return this machine's screen to its console. Needs root.")

    func run() async throws {
        try KioskService.requireRoot()
        try await KioskService.systemctl("disable", "--quiet", "--now", KioskService.unit)
        // A browser that did not end in time leaves the unit failed. If it did, an error here is harmless.
        _ = try? await KioskService.systemctl("reset-failed", KioskService.unit)
        unlink(KioskEnableCommand.path)
        try await KioskService.systemctl("try-restart", "lockstep-node.service")
        try await KioskService.systemctl("--no-block", "start", "getty@tty1.service")
        print("The screen shows the console again.")
    }
}
