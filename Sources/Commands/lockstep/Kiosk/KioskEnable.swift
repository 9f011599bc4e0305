// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Display
import Glibc
import Platform
import Session
import Settings

struct KioskEnable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable",
        abstract: "Show the session on this machine's screen, from boot on.",
        discussion: """
            The machine's node shows its page in Chromium, through the compositor cage. Where there is no graphics device, \
            or one of the two is not installed, the first console shows `lockstep watch`. The command ends when the page is \
            seen, or says what is missing: exit code 3 if this machine cannot show it, 4 if it does not appear within two \
            minutes. Needs root.
            """)

    @Option(help: "The face: \(Face.names).")
    var face = Face.focus

    @Flag(help: "Show buttons.")
    var controls = false

    @Option(help: "The language (default: that of the machine): \(Catalogue.languages.joined(separator: ", ")).")
    var lang: String?

    @Option(help: "The colours of the page: \(PageTheme.names).")
    var theme: PageTheme?

    @Option(help: "The hours in which the screen is dark without a session, as 23:00-07:00.")
    var blank: BlankHours?

    @Option(help: .idle)
    var idle: Idle?

    @Option(help: .near)
    var near: Near?

    @Option(help: "page, terminal, or auto for the page where it can be shown.")
    var surface = Surface.auto

    enum Surface: String, CaseIterable, ExpressibleByArgument {
        case page, terminal, auto
    }

    func validate() throws { try LanguageOptions.check(lang) }

    func run() async throws {
        let settings = KioskSettings(
            face: LineText(showing: face.rawValue), hasControls: controls,
            language: lang.flatMap(Catalogue.match).map { LineText(showing: $0.language) },
            theme: theme.map { LineText(showing: $0.rawValue) }, blank: blank.map { LineText(showing: $0.description) },
            idle: idle.map { LineText(showing: $0.rawValue) }, near: near.map { LineText(showing: $0.description) },
            surface: LineText(showing: surface.rawValue))
        try KioskService.requireRoot()
        let isNew = access(KioskSettings.path, F_OK) != 0
        do {
            try Files.replace(KioskSettings.path, with: Array(try settings.lines().text.utf8))
        } catch {
            throw UsageError("\(error)")
        }
        do {
            try await KioskService.systemctl("enable", "--quiet", KioskService.unit)
        } catch {
            if isNew { unlink(KioskSettings.path) }
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
        let shown = try await KioskService.waitUntilSeen()
        print("The screen shows \(shown), face \(face.rawValue), now and after each start.")
        print("Settings: \(KioskSettings.path). To stop: sudo lockstep kiosk disable")
    }
}

struct KioskDisable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable", abstract: "Return this machine's screen to its console. Needs root.")

    func run() async throws {
        try KioskService.requireRoot()
        try await KioskService.systemctl("disable", "--quiet", "--now", KioskService.unit)
        // A browser that did not end in time counts as failed; an error means that it did.
        _ = try? await KioskService.systemctl("reset-failed", KioskService.unit)
        unlink(KioskSettings.path)
        try await KioskService.systemctl("try-restart", "lockstep-node.service")
        try await KioskService.systemctl("--no-block", "start", "getty@tty1.service")
        print("The screen shows the console again.")
    }
}
