// SPDX-License-Identifier: Apache-2.0

import Foundation
import Session
import Support
import Testing

/// Alarms, overtime and messages of real nodes.
@Suite(.limitedConcurrency, .retriedAfterStall) struct AlarmTests {
    @Test func aMessageIsOnAllScreensUntilItIsTakenBack() async throws {
        try await Space.with("desk", "kitchen") { space in
            let (desk, kitchen) = (space["desk"], space["kitchen"])
            #expect(try await desk.lockstep("say", "Dinner", "--for", "1h").output == "Shown on all screens\n")
            let shown = try await kitchen.waitFor("the message") { $0.message == "Dinner" }
            let until = try #require(shown.messageUntil.int)
            #expect((now() + 3_500_000..<now() + 3_600_001).contains(until))
            #expect(try await kitchen.lockstep("status").output.contains("Dinner"))
            // The broker keeps it for a machine that comes later.
            try await kitchen.kill()
            try await kitchen.start()
            try await kitchen.waitFor("the message") { $0.message == "Dinner" }
            #expect(try await kitchen.lockstep("say").output == "Taken back\n")
            try await desk.waitFor("no message") { $0.message == .null }
            #expect(try await desk.lockstep("say").output == "No message is shown\n")
            try await desk.lockstep("say", "Dinner", "tonight").expect()
            #expect(desk.status.message == "Dinner tonight")
        }
    }

    @Test func presetRingsAndGoesOn() async throws {
        let directory = try TemporaryDirectory()
        let presets = try directory.write("tea = phase \"Tea\" 1s | alarm, overtime\n", to: "presets")
        let desk = try NodeProcess("desk", environment: ["LOCKSTEP_PRESETS": presets])
        try await desk.start()
        #expect(try await desk.lockstep("start", "--preset", "tea").code == 0)
        let rings = try await desk.waitFor("the alarm") { $0.alarm == true }
        #expect(rings.status == "running", "it goes on")
        #expect(try await desk.lockstep("start", "--preset", "tea", "--no-alarm").code == 0)
        try await desk.waitFor("overtime") { ($0.overSeconds.int ?? 0) > 0 }
        #expect(desk.status.alarm == false, "the command line comes before the preset")
        let text = try await desk.lockstep("status")
        #expect(text.output.contains("\n+00:0"), "\(text)")
        try await desk.end()
    }

    @Test func extendTakesTimeAway() async throws {
        let desk = try NodeProcess("desk")
        try await desk.start()
        try desk.begin(["seconds": 300])
        let shorter = try await desk.lockstep("extend", "-2m")
        #expect(shorter.output == "−2m\n", "\(shorter)")
        try await desk.lockstep("extend", "-4m").expect(3, errors: "Less time is left than that")
        #expect(try await desk.lockstep("extend", "-4m", "--json").json.field == "seconds")
        try await desk.end()
    }

    /// A node with sound rings until somebody ends the alarm. It is then silent for the length of the next phase.
    @Test func aNodeWithSoundRingsUntilTheAlarmEnds() async throws {
        let directory = try TemporaryDirectory()
        chmod(try directory.write("#!/bin/sh\necho \"$1\" >> \"$PLAYED\"\n", to: "pw-play"), 0o755)
        let path = getenv("PATH").map { String(cString: $0) } ?? ""
        let desk = try NodeProcess(
            "desk",
            environment: [
                "PATH": directory.path + ":" + path, "PLAYED": directory.file("played"), "LOCKSTEP_SOUND": "on",
            ])
        try await desk.start()
        func played() -> Int { directory.read("played").split(separator: "\n").count }
        try desk.begin(["seconds": 1, "alarm": true, "overtime": true])
        try await eventually("it rings again and again: \(desk.log)") { played() >= 2 }
        #expect(try await desk.lockstep("ok").code == 0)
        try await desk.waitFor("silence") { $0.alarm == false }
        let before = played()
        // By the time of the next alarm, the one before would have sounded twice more.
        try desk.begin(["seconds": 6, "alarm": true])
        try await desk.waitFor("the alarm") { $0.alarm == true }
        #expect(played() <= before + 1, "an alarm that was ended is silent")
        try await desk.end()
    }
}
