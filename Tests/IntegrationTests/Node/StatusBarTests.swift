// SPDX-License-Identifier: Apache-2.0

import Glibc
import Support
import Testing

/// `lockstep status` in a status bar.
@Suite(.limitedConcurrency, .retriedAfterStall) struct StatusBarTests {
    /// A running `lockstep status --follow` with its output in a file.
    private final class Follower: Sendable {
        let directory: TemporaryDirectory
        let pid: pid_t

        init(_ arguments: [String], socket: String) throws {
            directory = try TemporaryDirectory()
            pid = try Spawn.start(
                [Program.path("lockstep"), "status", "--follow", "--socket", socket] + arguments,
                environment: Program.environment(home: directory.path), output: directory.file("lines"),
                errors: directory.file("errors"))
        }

        var lines: [String] { directory.read("lines").split(separator: "\n").map(String.init) }
        var errors: String { directory.read("errors") }

        /// Waits until a line satisfies `isRight`.
        func waitForLine(_ what: String, file: String = #fileID, line: Int = #line, _ isRight: (String) -> Bool)
            async throws
        {
            try await eventually("“\(what)” among \(lines) \(errors)", file: file, line: line) {
                lines.contains(where: isRight)
            }
        }

        func waitForLine(_ text: String, file: String = #fileID, line: Int = #line) async throws {
            try await waitForLine(text, file: file, line: line) { $0 == text }
        }

        /// - Returns: Its exit code.
        func end(_ signal: Int32? = SIGTERM) async throws -> Int32 {
            if let signal { kill(pid, signal) }
            return try await Spawn.end(of: pid, "end of the follower")
        }
    }

    /// Whether a line shows the time of a session of 25 minutes after its start.
    private static func counts(_ line: String) -> Bool {
        line.contains(/\b(1\d|2[0-4]):[0-5]\d/)
    }

    @Test func followPrintsALineForEachChange() async throws {
        try await Space.with("desk", "kitchen") { space in
            let desk = space["desk"]
            let minimal = try Follower(["--style", "minimal"], socket: desk.socket.path)
            let compact = try Follower([], socket: desk.socket.path)
            for follower in [minimal, compact] { try await follower.waitForLine("◌") }
            try space["kitchen"].begin()
            try await compact.waitForLine("a second") { $0.hasPrefix("○") && Self.counts($0) }
            try await minimal.waitForLine("○")
            #expect(try await space["kitchen"].lockstep("pause").code == 0)
            try await compact.waitForLine("a frozen time") { $0.hasPrefix("‖") && Self.counts($0) }
            try await minimal.waitForLine("‖")
            #expect(try await desk.lockstep("stop").code == 0)
            try await eventually("idle again") { compact.lines.last == "◌" && minimal.lines.last == "◌" }
            #expect(try await compact.end() == 0)
            #expect(try await minimal.end(SIGINT) == 0)
            #expect(minimal.lines == ["◌", "○", "‖", "◌"], "passing seconds do not change it")
            let lines = compact.lines
            #expect(zip(lines, lines.dropFirst()).allSatisfy { $0 != $1 })
            // Each second appears once, approximate or not.
            let seconds = lines.filter { $0.hasPrefix("○") }.compactMap { Int($0.suffix(2)) }
            #expect(
                Set(zip(seconds, seconds.dropFirst()).map { ($0 + 60 - $1) % 60 }).isSubset(of: [0, 1]), "\(lines)")
            #expect(compact.errors.isEmpty)
        }
    }

    @Test func barAndFollowedReportSurviveTheirNode() async throws {
        try await Broker.withBroker { broker in
            let desk = try NodeProcess("desk", broker: "mqtt://127.0.0.1:\(broker.port)")
            let bar = try Follower(["--style", "expanded", "--lang", "en"], socket: desk.socket.path)
            let script = try Follower(["--format", "json"], socket: desk.socket.path)
            var last: JSON { script.lines.last.flatMap { try? JSON($0) } ?? .null }
            try await bar.waitForLine("◌ There is no session · Not connected")
            try await desk.start()
            try await bar.waitForLine("◌ There is no session")
            try await eventually("idle: \(script.lines) \(script.errors)") { last.status == "idle" }
            try desk.begin()
            try await bar.waitForLine("running") { $0.hasPrefix("○ Reading · Focus in progress") }
            try await eventually("a connected countdown: \(script.lines.last ?? "")") {
                last.linked == true && (last.remainingSeconds.int ?? .max) < 1_500
            }
            #expect(Set(last.keys) == Set(try await desk.lockstep("status", "--json").json.keys))
            last.expect(["node": "desk", "title": "Reading"])
            try await desk.kill()
            try await bar.waitForLine("lost, and still counting") {
                $0.hasSuffix(" · Not connected") && Self.counts($0)
            }
            try await eventually("lost, and still counting: \(script.lines.last ?? "")") {
                last.linked == false && last.status == "running"
            }
            try await desk.start()
            try await eventually("in touch again") {
                bar.lines.last.map { Self.counts($0) && !$0.contains("Not connected") } ?? false
            }
            #expect(try await bar.end(SIGHUP) == 0)
            #expect(try await script.end() == 0)
            #expect((bar.errors + script.errors).isEmpty, "they print no error while they wait")
        }
    }

    @Test func remoteFollowsTheSession() async throws {
        try await Space.with("desk") { space in
            let broker = "mqtt://127.0.0.1:\(space.broker.port)"
            let bar = try Follower(["--style", "expanded", "--broker", broker], socket: "/nonexistent/node.sock")
            try await bar.waitForLine("◌ There is no session")
            try space["desk"].begin()
            try await bar.waitForLine("running") { $0.hasPrefix("○ Reading · Focus in progress") }
            try await space.broker.kill()
            try await bar.waitForLine("lost") { $0.hasPrefix("○ Reading") && $0.hasSuffix(" · Not connected") }
            try await space.broker.start()
            try await eventually("in touch again: \(bar.lines) \(bar.errors)") {
                bar.lines.last.map { $0.hasPrefix("○ Reading") && !$0.contains("Not connected") } ?? false
            }
            #expect(try await bar.end() == 0)
        }
    }

    @Test func followEndsWithItsReader() async throws {
        let desk = try NodeProcess("desk")
        try await desk.start()
        let directory = try TemporaryDirectory()
        // The shell prints the exit code of the follower after its reader has ended.
        let script = """
            { "$1" status --follow --socket "$2"; echo "ended with $?" >"$3/code"; } | read -r line
            """
        let child = try Spawn.start(
            ["/bin/sh", "-c", script, "sh", Program.path("lockstep"), desk.socket.path, directory.path],
            environment: Program.environment(home: directory.path), output: directory.file("output"))
        try await eventually("its end") { directory.read("code").hasSuffix("\n") }
        #expect(directory.read("code") == "ended with 0\n")
        #expect(directory.read("output").isEmpty)
        try await eventually("end of the shell") { Spawn.reap(child) != nil }
        try await desk.end()
    }

    @Test func exitCodeTellsWhetherThereIsASession() async throws {
        let desk = try NodeProcess("desk")
        #expect(try await desk.lockstep("status", "--format", "tmux").expect(6).output.isEmpty)
        try await desk.start()
        let idle = try await desk.lockstep("status", "--format", "waybar").expect(5)
        #expect(idle.json.alt == "idle")
        try desk.begin()
        let waybar = try await desk.lockstep("status", "--format", "waybar").json
        #expect(Set(waybar.keys) == ["text", "alt", "tooltip", "class", "percentage"])
        #expect(waybar.class.items.contains("running"))
        try await desk.lockstep("status", "--style", "minimal", "--json").expect(
            2, errors: "neither --style nor --face")
        #expect(try await desk.lockstep("status", "--format", "json").json.isRunning == true, "the report")
        #expect(try await desk.lockstep("status", "--format", "i3blocks").output.split(separator: "\n").count == 3)
        try await desk.lockstep("status", "--json", "--format", "tmux").expect(2, errors: "leave --json out")
    }

    @Test func tmuxShowsTheLine() async throws {
        let desk = try NodeProcess("desk")
        try await desk.start()
        try desk.begin(["title": "#{x} #[fg=red] 100%H ##x C#", "seconds": 7_200])
        let command = "\(Program.path("lockstep")) status --style expanded --format tmux --socket \(desk.socket.path)"
        // The inner tmux draws the status line in a window of the outer one, and ends with it.
        let script = """
            env -u TMUX TERM=screen \(try Spawn.find("tmux")) -S \(desk.directory.file("inner.sock")) -f /dev/null \
            new-session 'exec sleep 600' ';' set -g destroy-unattached on ';' set -g status-interval 1 ';' \
            set -g status-right-length 150 ';' set -g status-right '#(\(command))'
            """
        try await TerminalWindow.with(script, columns: 160, rows: 5) { window in
            try await window.waitFor("the line within tmux") {
                $0.contains("○ #{x} #[fg=red] 100%H ##x C# · Focus in progress · 1:5")
            }
        }
        try await desk.end()
    }
}
