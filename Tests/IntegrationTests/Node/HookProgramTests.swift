// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Support
import Testing

/// Hook programs, and their lines in the log.
@Suite(.limitedConcurrency) struct HookProgramTests {
    /// The second hook runs while the first one hangs.
    ///
    /// On a very busy machine the first one may be killed before the second one runs; then the test is repeated.
    @Test(.waitingForTimers) func aHangingHookIsKilledAndDelaysNothing() async throws {
        let directory = try TemporaryDirectory()
        let pids = directory.file("pids")
        let desk = try NodeProcess(
            "desk",
            environment: [
                "LOCKSTEP_HOOK_STARTED":
                    "echo begun; trap '' TERM; sleep 1000 & echo $$ $! > \(pids).new; mv \(pids).new \(pids); wait",
                "LOCKSTEP_HOOK_PHASE": "kill -0 $(cat \(pids)) && echo meanwhile",
            ])
        try await desk.start()
        var isHeldUp = true
        for _ in 1...5 where isHeldUp {
            unlink(pids)
            let logged = desk.log.count
            var ofRun: Substring { desk.log.dropFirst(logged) }
            try desk.begin(["plan": "focus 2s, shortBreak 5m"])
            try await eventually("it is ended") {
                ofRun.contains("hook hung and was ended") && ofRun.contains("hook: begun")
            }
            let processes = directory.read("pids").split(whereSeparator: \.isWhitespace).compactMap { pid_t($0) }
            #expect(processes.count == 2)
            for process in processes { try await eventually("\(process) is gone") { kill(process, 0) != 0 } }
            isHeldUp = !ofRun.contains("hook: meanwhile")
            #expect(try await desk.lockstep("stop").code == 0)
        }
        #expect(!isHeldUp)
        try await desk.end()
    }

    @Test func outputAndFailureOfAHookAreLoggedAndAnEndedNodeLeavesNoHook() async throws {
        let desk = try NodeProcess(
            "desk",
            environment: [
                "LOCKSTEP_HOOK_STARTED": "echo out; echo oops >&2; printf 'a\\033b\\n'; exit 3",
                "LOCKSTEP_HOOK_PAUSED": "head -c 9000 /dev/zero | tr '\\0' x; echo; echo end",
                "LOCKSTEP_HOOK_RESUMED": "kill -KILL $$", "LOCKSTEP_HOOK_STOPPED": "/nonexistent/program",
            ])
        try await desk.start()
        try desk.begin()
        for word in ["pause", "resume", "stop"] { #expect(try await desk.lockstep(word).code == 0) }
        func lines(_ event: String) -> [Substring] {
            desk.log.split(separator: "\n").filter { $0.contains("event=\(event)") }
        }
        try await eventually("all have run") {
            ["started", "paused", "resumed", "stopped"].allSatisfy { !lines($0).isEmpty }
                && lines("started").count == 4
        }
        let failed = lines("started")
        #expect(failed.contains { $0.contains("warning") && $0.contains("code=3") && $0.contains("hook failed") })
        for word in ["hook: out", "hook: oops", "hook: a\u{FFFD}b"] {
            #expect(failed.contains { $0.contains(word) }, "\(word)")
        }
        let long = try #require(lines("paused").first)
        #expect(lines("paused").count == 1, "the rest is cut off")
        #expect(long.contains("x…"))
        #expect(long.count(where: { $0 == "x" }) <= 4_096)
        #expect(lines("resumed").contains { $0.contains("signal=9") })
        #expect(lines("stopped").contains { $0.contains("code=127") })
        #expect(try await desk.end() == 0)

        let directory = try TemporaryDirectory()
        let sleeper = try NodeProcess(
            "sleeper", environment: ["LOCKSTEP_HOOK_STARTED": "echo $$ > \(directory.file("pid")); sleep 1000; true"])
        try await sleeper.start()
        try sleeper.begin()
        try await eventually("the hook runs") { directory.read("pid").hasSuffix("\n") }
        let process = try #require(pid_t(directory.read("pid").dropLast()))
        #expect(try await sleeper.end() == 0)
        try await eventually("an ended node leaves no hook") { kill(process, 0) != 0 }
    }

    @Test func notificationsAreShownInThePersonsLanguage() async throws {
        let directory = try TemporaryDirectory()
        let program = try directory.write(
            "#!/bin/sh\nprintf '%s|' \"$@\" > \"$SHOWN.new.$$\"; mv \"$SHOWN.new.$$\" \"$SHOWN.$LOCKSTEP_EVENT\"\n",
            to: "notify-send")
        chmod(program, 0o755)
        let path = getenv("PATH").map { String(cString: $0) } ?? ""
        let desk = try NodeProcess(
            "desk",
            environment: [
                "PATH": directory.path + ":" + path, "SHOWN": directory.file("shown"), "LOCKSTEP_NOTIFY": "on",
                "LOCKSTEP_LANG": "en_GB.UTF-8",
            ])
        try await desk.start()
        try desk.begin(["title": "-Reading <b>", "plan": "focus 1s, shortBreak 5m", "label": "Study"])
        let wanted = [
            "started": "--app-name=Lockstep|--|Session started|-Reading &lt;b&gt; · Study\nFocus in progress|",
            "phase": "--app-name=Lockstep|--|Next phase|-Reading &lt;b&gt; · Study\nBreak is next|",
        ]
        for (event, text) in wanted {
            try await eventually("\(event) is shown: \(desk.log)") { !directory.read("shown.\(event)").isEmpty }
            #expect(directory.read("shown.\(event)") == text)
        }
        try await desk.end()
    }

    /// A player that is installed may have no server to play to.
    @Test(.retriedAfterStall) func theEndOfEachPhaseSoundsOnce() async throws {
        let directory = try TemporaryDirectory()
        for (player, script) in ["pw-play": "exit 1", "paplay": "echo \"$LOCKSTEP_EVENT $1\" >> \"$PLAYED\""] {
            chmod(try directory.write("#!/bin/sh\n\(script)\n", to: player), 0o755)
        }
        let path = getenv("PATH").map { String(cString: $0) } ?? ""
        let desk = try NodeProcess(
            "desk",
            environment: [
                "PATH": directory.path + ":" + path, "PLAYED": directory.file("played"), "LOCKSTEP_SOUND": "on",
            ])
        try await desk.start()
        try desk.begin(["plan": "focus 1s, shortBreak 1s, focus 1s", "autoAdvance": true])
        try await desk.waitFor("the end") { $0.status == "completed" }
        func played() -> [Substring] { directory.read("played").split(separator: "\n") }
        try await eventually("the end sounds: \(desk.log)") { played().contains { $0.hasPrefix("completed") } }
        #expect(played().map { $0.prefix { $0 != " " } } == ["phase", "phase", "completed"])
        let file = try #require(played().first.map { String($0.dropFirst("phase ".count)) })
        #expect(try [UInt8](Data(contentsOf: URL(filePath: file))).starts(with: "RIFF".utf8))

        try await desk.end()
    }
}
