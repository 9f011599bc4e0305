// SPDX-License-Identifier: Apache-2.0

import Glibc
import Support
import Testing

/// `lockstep watch` on a real terminal.
@Suite(.limitedConcurrency, .retriedAfterStall) struct WatchTests {
    private func watch(_ node: NodeProcess, _ options: String) -> String {
        "\(Program.path("lockstep")) watch --socket \(node.socket.path) \(options)"
    }

    @Test func clickPausesOnTheOwner() async throws {
        try await Space.with("desk", "kitchen") { space in
            let id = try space["desk"].begin()
            try await space["kitchen"].waitFor("the session") { $0.session.text == id }
            try await TerminalWindow.with(watch(space["kitchen"], "--face focus")) { window in
                try await window.waitFor("a button") { $0.contains("Pause  p") }
                try await window.click("Pause")
                try await space["desk"].waitFor("the pause") { $0.status == "paused" }
                try await window.waitFor("the pause") { $0.contains("Resume  r") }
                // A click beside the button has no effect: the next answer is to the click after it.
                try await window.send("\u{1B}[<0;1;1M\u{1B}[<0;1;1m")
                try await window.click("Resume")
                try await space["desk"].waitFor("that it goes on") { $0.status == "running" }
                #expect(space["desk"].status.revision == 3)
            }
        }
    }

    @Test(.waitingForTimers) func aSessionWhoseOwnerIsGoneIsContinuedHereOrStopped() async throws {
        try await Space.with("desk", "kitchen", "hall") { space in
            let id = try space["desk"].begin()
            for node in ["kitchen", "hall"] { try await space[node].waitFor("the session") { $0.session.text == id } }
            try await TerminalWindow.with(watch(space["kitchen"], "")) { window in
                try await window.waitFor("a button") { $0.contains("Pause  p") }
                try await window.send("c")
                try await space["desk"].kill()
                try await window.waitFor("what to do") {
                    $0.contains("Continue here  c") && $0.contains("Stop  s") && !$0.contains("Pause")
                }
                #expect(space["kitchen"].status.owner == "desk", "a live owner keeps its session")
                try await window.send("c")
                try await space["kitchen"].waitFor("the session here") { $0.isOwner == true && $0.lineage.text == id }
                try await window.waitFor("its buttons") { $0.contains("Pause  p") }
            }
            try await TerminalWindow.with(watch(space["hall"], "--face calm")) { window in
                try await window.waitFor("a button") { $0.contains("Pause  p") }
                try await space["kitchen"].kill()
                try await window.waitFor("what to do") { $0.contains("Continue here  c") }
                try await window.click("End session")
                try await space["hall"].waitFor("no session") { $0.status == "idle" }
                try await window.waitFor("no session") { $0.contains("No session") }
            }
        }
    }

    @Test func theTerminalIsRestored() async throws {
        let desk = try NodeProcess("desk")
        try await desk.start()
        try desk.begin()
        let script = """
            set -m
            \(watch(desk, ""))
            echo stopped
            read -r line
            fg
            echo ended
            exec cat
            """
        try await TerminalWindow.with(script) { window in
            try await window.waitFor("a button") { $0.contains("Pause  p") }
            try await window.waitForModes(TerminalWindow.taken)
            try await window.send("\u{1A}")
            try await window.waitFor("the shell") { $0.contains("stopped") && !$0.contains("Pause") }
            try await window.waitForModes(TerminalWindow.restored)
            try await window.send("\r")
            try await window.waitFor("a button again") { $0.contains("Pause  p") }
            try await window.waitForModes(TerminalWindow.taken)
            try await window.send("q")
            try await window.waitFor("the shell") { $0.contains("ended") }
            try await window.waitForModes(TerminalWindow.restored)
        }
        try await desk.end()
    }

    @Test func aCrashRestoresTheTerminal() async throws {
        let desk = try NodeProcess("desk")
        try await desk.start()
        try desk.begin()
        // Swift's crash reporter would continue after a signal from outside.
        let script = """
            export SWIFT_BACKTRACE=enable=no
            sh -c 'echo $$ >\(desk.directory.file("watch.pid")); exec \(watch(desk, ""))'
            echo ended
            exec cat
            """
        try await TerminalWindow.with(script) { window in
            try await window.waitFor("a button") { $0.contains("Pause  p") }
            let pid = try #require(pid_t(desk.directory.read("watch.pid").prefix { $0.isNumber }))
            kill(pid, SIGSEGV)
            try await window.waitFor("the shell") { $0.contains("ended") }
            try await window.waitForModes(TerminalWindow.restored)
        }
        try await desk.end()
    }

    @Test func watchUsesTheLanguageOfItsEnvironmentAndLeavesTheMouseWhereItOnlyLooks() async throws {
        let desk = try NodeProcess("desk")
        try await desk.start()
        try desk.begin()
        try await TerminalWindow.with("LC_ALL=de_AT.UTF-8 \(watch(desk, ""))") { window in
            try await window.waitFor("German") { $0.contains("Fokus läuft") && $0.contains("Anhalten  p") }
        }
        try await TerminalWindow.with(watch(desk, "--read-only --lang ja")) { window in
            try await window.waitFor("Japanese") { $0.contains("集中しています") }
            try await window.waitForModes(TerminalWindow.takenWithoutMouse)
        }
        try await TerminalWindow.with(watch(desk, "--face boring")) { window in
            try await window.waitForModes(TerminalWindow.takenWithoutMouse)
        }
        let unknown = try await desk.lockstep("watch", "--lang", "xx")
        #expect(unknown.code == 2)
        #expect(unknown.errors.contains("zh-Hans"))
        try await desk.end()
    }

    @Test func refusalsAreInTheLanguage() async throws {
        try await Space.with("desk") { space in
            let register = JSON.register("theirs")
            space.peer.answerIntents { intent in
                var ack: JSON = ["v": 1, "kind": "intent", "outcome": "refused", "session": "theirs", "rev": 1]
                ack.reason = "notAllowed"
                ack.id = intent.id
                return [("ack", ack)]
            }
            try await space.peer.publish("presence", .presence(online: true, connection: "1"))
            try await space.peer.publish("session", register)
            try await space["desk"].waitFor("the peer's session") { $0.session == "theirs" }
            try await TerminalWindow.with(watch(space["desk"], "--lang fr")) { window in
                try await window.waitFor("French") { $0.contains("Suspendre  p") }
                try await pauses(window, until: "Impossible pour l’instant")
            }
        }
    }

    /// Presses until an answer is shown: it stays for four seconds, which a busy machine may miss.
    private func pauses(_ window: TerminalWindow, until answer: String) async throws {
        var pressedAt: ContinuousClock.Instant?
        try await eventually("“\(answer)”") {
            if pressedAt.map({ .now - $0 > .seconds(12) }) ?? true {
                try await window.send("p")
                pressedAt = .now
            }
            return try await window.text.contains(answer)
        }
    }
}
