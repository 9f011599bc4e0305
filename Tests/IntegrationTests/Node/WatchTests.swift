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
        try await desk.lockstep("watch", "--lang", "xx").expect(2, errors: "zh-Hans")
    }
}
