// SPDX-License-Identifier: Apache-2.0

import Glibc
import Support
import Testing

/// `lockstep desktop` on a session bus of its own, with the real playerctl.
@Suite(.limitedConcurrency, .retriedAfterStall, .requires("playerctl", (try? Spawn.find("playerctl")) != nil))
struct DesktopTests {
    private static let name = "org.mpris.MediaPlayer2.lockstep"

    /// A desktop session with a node and `lockstep desktop`.
    private final class Desktop: Sendable {
        let bus: PrivateBus
        let node: NodeProcess
        let pid: pid_t
        var environment: [String: String] { ["DBUS_SESSION_BUS_ADDRESS": bus.address] }
        var log: String { bus.directory.read("desktop.log") }

        init() async throws {
            bus = try await PrivateBus()
            node = try NodeProcess("desk")
            let environment = ["DBUS_SESSION_BUS_ADDRESS": bus.address, "LC_ALL": "C"]
            pid = try Spawn.start(
                [Program.path("lockstep"), "desktop", "--socket", node.socket.path],
                environment: Program.environment(home: bus.directory.path, environment),
                output: bus.directory.file("desktop.log"))
        }

        deinit { Spawn.end(pid) }

        func playerctl(_ arguments: String...) async throws -> CommandResult {
            try await CommandLine.run(
                ["--player=lockstep"] + arguments, program: try Spawn.find("playerctl"), environment: environment)
        }

        func waitFor(_ status: String) async throws {
            try await waitUntil("playerctl says \(status)") { try await playerctl("status").output == status + "\n" }
        }

        func waitUntil(_ what: String, _ isTrue: () async throws -> Bool) async throws {
            let end = ContinuousClock.now + .seconds(60)
            while try await !isTrue() {
                guard ContinuousClock.now < end else { throw Failed("not in time: \(what)") }
            }
        }

        func names() async throws -> String {
            try await CommandLine.run(
                [
                    "--session", "--print-reply", "--dest=org.freedesktop.DBus", "/", "org.freedesktop.DBus.ListNames",
                ], program: try Spawn.find("dbus-send"), environment: environment
            ).output
        }
    }

    @Test func playerctlShowsAndControlsTheSession() async throws {
        let desktop = try await Desktop()
        try await desktop.node.start()
        try desktop.node.begin([
            "title": "Reading", "label": "Study", "plan": "focus 25m, shortBreak 5m, focus 25m",
        ])
        try await desktop.waitFor("Playing")
        let format = "{{title}}|{{artist}}|{{mpris:length}}|{{volume}}|{{playerName}}"
        #expect(
            try await desktop.playerctl("metadata", "--format", format).output
                == "Reading|Study|1500000000|1.0|lockstep\n")
        try await desktop.waitUntil("the time passes") {
            let text = try await desktop.playerctl("position").output
            let elapsed = desktop.node.status.elapsedSeconds.int ?? 0
            return Double(text.dropLast()).map { $0 > 1 && abs($0 - Double(elapsed)) < 5 } ?? false
        }
        _ = try await desktop.playerctl("volume", "0.5")
        #expect(try await desktop.playerctl("volume").output == "1.000000\n", "a session has no volume")
        for (word, status, shown) in [
            ("pause", "paused", "Paused"), ("play", "running", "Playing"), ("play-pause", "paused", "Paused"),
            ("play-pause", "running", "Playing"),
        ] {
            try await desktop.playerctl(word).expect()
            try await desktop.node.waitFor(status) { $0.status.text == status }
            try await desktop.waitFor(shown)
        }
        #expect(try await desktop.playerctl("next").code == 0)
        try await desktop.node.waitFor("the break") { $0.phase == 1 }
        try await desktop.waitUntil("the break is the track") {
            try await desktop.playerctl("metadata", "mpris:length").output == "300000000\n"
        }
        #expect(try await desktop.playerctl("stop").code == 0)
        try await desktop.node.waitFor("the end") { $0.status == "idle" }
        try await desktop.waitUntil("there is no player") { try await !desktop.names().contains(Self.name) }
        try desktop.node.begin(["seconds": 1, "alarm": true])
        try await desktop.node.waitFor("the alarm") { $0.alarm == true }
        try await desktop.waitFor("Paused")
        #expect(try await desktop.playerctl("play").code == 0)
        try await desktop.node.waitFor("the end of the alarm") { $0.alarm == false }
        try desktop.node.begin()
        try await desktop.waitFor("Playing")
        try await desktop.node.end()
        try await desktop.waitUntil("without its node there is none") {
            try await !desktop.names().contains(Self.name)
        }
        #expect(desktop.log.isEmpty, "\(desktop.log)")
        desktop.bus.end()
        #expect(try await Spawn.end(of: desktop.pid) == 6)
        #expect(desktop.log.contains("the session bus is gone"), "\(desktop.log)")
    }

    @Test func aSecondPlayerHasASuffix() async throws {
        let desktop = try await Desktop()
        try await desktop.node.start()
        try desktop.node.begin()
        try await desktop.waitFor("Playing")
        let second = try Spawn.start(
            [Program.path("lockstep"), "desktop", "--socket", desktop.node.socket.path],
            environment: Program.environment(home: desktop.bus.directory.path, desktop.environment),
            output: desktop.bus.directory.file("second.log"))
        defer { Spawn.end(second) }
        try await desktop.waitUntil("two players") {
            try await desktop.names().contains("\"\(Self.name).instance\(second)\"")
        }
        try await desktop.node.end()
    }

    @Test func withoutASessionBusItSaysSo() async throws {
        let directory = try TemporaryDirectory()
        try await CommandLine.run(
            ["desktop", "--socket", directory.file("node.sock")],
            environment: ["DBUS_SESSION_BUS_ADDRESS": "unix:path=\(directory.file("bus"))"]
        ).expect(6, errors: "no session bus", "systemctl --user enable --now lockstep-desktop")
    }
}
