// SPDX-License-Identifier: Apache-2.0

import Support
import Testing

/// `lockstep status` and `lockstep nodes`.
@Suite(.limitedConcurrency, .retriedAfterStall) struct StatusTests {
    @Test func jsonHasTheSameFieldsWithAndWithoutASessionAndTextIsPlain() async throws {
        let desk = try NodeProcess("desk", options: ["--space", "studio-3"])
        try await desk.start()
        let idle = try await desk.lockstep("status", "--json").json
        #expect(idle.isRunning == false)
        #expect(try await desk.lockstep("start", "Reading", "--plan", "focus 25m, shortBreak 5m").code == 0)
        let running = try await desk.lockstep("status", "--json").json
        #expect(running.keys == idle.keys)
        running.expect(["space": "studio-3", "activityName": "Reading"])
        #expect(running.plan.items.map(\.kind) == ["focus", "shortBreak"])
        #expect(try await desk.lockstep("pause").code == 0)
        let text = try await desk.lockstep("status").expect()
        #expect(text.output.hasPrefix("Reading: Focus paused\n"))
        #expect(text.output.contains("left · Phase 1/2\n"))
        #expect(text.output.contains("on this node (desk)"))
        #expect(try await desk.lockstep("nodes").output.contains("desk (this node)"))
    }

    @Test func statusUsesThePersonsLanguage() async throws {
        let desk = try NodeProcess("desk")
        try await desk.start()
        func status(_ arguments: String..., language: String = "C") async throws -> CommandResult {
            try await CommandLine.run(
                ["status", "--socket", desk.socket.path] + arguments,
                environment: Program.environment(home: desk.directory.path, ["LC_ALL": language]))
        }
        #expect(try await status("--lang", "de").output.hasPrefix("Keine Sitzung."))
        #expect(try await desk.lockstep("start", "Lesen", "--plan", "focus 25m, shortBreak 5m").code == 0)
        #expect(try await desk.lockstep("break").code == 0)
        for german in [try await status("--lang", "de"), try await status(language: "de_AT.UTF-8")] {
            #expect(german.code == 0)
            #expect(german.output.hasPrefix("Lesen: Pause läuft\nNoch "), "\(german)")
            #expect(german.output.contains(" · endet "), "\(german)")
            #expect(!german.output.contains("shortBreak"), "\(german)")
            #expect(!german.output.contains("left"), "\(german)")
        }
        #expect(try await status("--json", "--lang", "de").json.currentPhase.kind == "shortBreak")
        let refused = try await CommandLine.run(
            ["resume", "--socket", desk.socket.path],
            environment: Program.environment(home: desk.directory.path, ["LC_ALL": "de"]))
        #expect(refused.output == "Das war schon so\n", "\(refused)")
        try await desk.end()
    }

    @Test(.waitingForTimers) func statusIsStaleThirtySecondsAfterTheOwnerIsLost() async throws {
        try await Space.with("desk", "kitchen") { space in
            try space["desk"].begin()
            try await space["kitchen"].waitFor("the session") { $0.status == "running" }
            try await space["desk"].kill()
            try await eventually("stale", within: .seconds(120)) { space["kitchen"].status.stale == true }
            let status = try await space["kitchen"].lockstep("status", "--json").expect()
            #expect(status.json.isRunning == true, "the time continues")
            #expect(status.json.staleSince.int != nil)
            #expect(
                try await space["kitchen"].lockstep("status").output.contains(
                    /stale since \d\d:\d\d · Last heard \d+ (s|min) ago · desk\nContinue here: lockstep take · Stop: lockstep stop\n/
                ))
            let waybar = try await space["kitchen"].lockstep("status", "--format", "waybar").json
            let hint = "Continue here: lockstep take · Stop: lockstep stop"
            #expect(waybar.tooltip.text?.hasSuffix(hint) == true, "\(waybar)")
            try await space["desk"].start()
            try await space["kitchen"].waitFor("contact") { $0.stale == false }
        }
    }
}
