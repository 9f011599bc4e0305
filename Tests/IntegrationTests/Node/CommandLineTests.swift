// SPDX-License-Identifier: Apache-2.0

import Support
import Testing

/// The output and exit codes of `lockstep` with a local node.
@Suite(.limitedConcurrency, .retriedAfterStall) struct CommandLineTests {
    static let actions = ["pause", "resume", "stop", "extend", "break", "focus", "skip"]

    @Test func exitCodesTellWhatTheNodeAnswers() async throws {
        let desk = try NodeProcess("desk")
        try await desk.start()
        for action in Self.actions + ["take"] {
            #expect(try await desk.lockstep(action, "--json").expect(5).json.outcome == "noSession")
        }
        let status = try await desk.lockstep("status").expect(5)
        #expect(status.output.hasPrefix("No session."))
        let json = try await desk.lockstep("status", "--json").expect(5)
        #expect(json.json.status == "idle")
        let wrong: [([String], String)] = [
            (["start", "--preset", "nonesuch"], "pomodoro"), (["start", "a\u{1B}[2Jb"], "title"),
            (["start", String(repeating: "x", count: 40_000)], "bytes"),
            (["start", "--icon", "nope"], "hourglass, cup, book, pen, leaf, dumbbell"),
        ]
        for (arguments, names) in wrong {
            let result = try await CommandLine.run(arguments + ["--socket", desk.socket.path, "--json"])
            #expect(result.code == 2, "\(arguments.first ?? ""): \(result)")
            #expect(result.errors.contains(names), "\(result)")
            #expect(!result.errors.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
            #expect(result.json.outcome == "invalid", "\(result)")
        }
        #expect(desk.status.status == "idle")
        let started = try await desk.lockstep("start", "Reading", "--for", "25m", "--json").expect()
        started.json.expect(["outcome": "applied", "rev": 1])
        #expect(started.json.keys == ["outcome", "reason", "by", "session", "rev", "field", "problem"])
        let paused = try await desk.lockstep("pause").expect()
        #expect(paused.output == "Session paused\n")
        #expect(paused.errors.isEmpty)
        #expect(try await desk.lockstep("pause", "--json").expect().json.outcome == "noop")
        #expect(try await desk.lockstep("start", "--count-up").code == 0)
        let refused = try await desk.lockstep("extend", "1m", "--json").expect(3)
        refused.json.expect(["outcome": "refused", "reason": "notAllowed"])
        #expect(refused.errors == "lockstep: a session that counts up has no phases to change; lockstep stop ends it\n")
        try await desk.lockstep("correct", "--color", "red").expect(
            2, errors: "--color “red”: is the colour of a label")
        #expect(try await desk.lockstep("start", "--for", "24h").code == 0)
        let tooLong = try await desk.lockstep("extend", "2h", "--json")
        #expect(tooLong.json.reason == "invalid")
        #expect(tooLong.errors.contains("a phase is at most 24h long"), "\(tooLong)")
        try await desk.lockstep("start", "--plan", "focus 25m, shortBreak 5m").expect()
        #expect(try await desk.lockstep("skip").expect().output == "Next phase\n")
        #expect(try await desk.lockstep("skip").expect().output == "Session completed\n")
        try await desk.end()
    }

    @Test func aRefusalNamesTheReasonAndTheCommandThatHelps() async throws {
        let desk = try NodeProcess("desk")
        try await desk.start()
        try await desk.lockstep("start", "--plan", "focus 1s, shortBreak 5m").expect()
        try await desk.waitFor("the break waits") { $0.status == "ready" }
        for action in ["pause", "resume", "extend", "focus"] {
            try await desk.lockstep(action).expect(3, errors: "lockstep break starts it, lockstep skip leaves it out")
        }
        try await desk.lockstep("break").expect()
        try await desk.lockstep("extend", "-30m").expect(3, errors: "→ lockstep skip or lockstep stop")
    }

    @Test(arguments: ["--help", "--version"]) func outputThatCannotBeWrittenIsAnError(argument: String) async throws {
        try await CommandLine.run(
            ["-c", "\"$0\" \"$1\" >/dev/full", Program.path("lockstep"), argument], program: "/bin/sh"
        ).expect(1, errors: "the output is incomplete: No space left on device")
    }

    @Test func correctionOnAnotherMachineKeepsTheOwner() async throws {
        try await Space.with("desk", "kitchen") { space in
            let (desk, kitchen) = (space["desk"], space["kitchen"])
            let id = try desk.begin(["title": "Readin", "plan": "focus 25m, shortBreak 5m"])
            try await kitchen.waitFor("the session") { $0.session.text == id }
            let corrected = try await kitchen.lockstep(
                "correct", "--title", "Reading", "--label", "Study", "--color", "#f00"
            ).expect()
            #expect(corrected.output == "Reading · Study · #ff0000\n")
            desk.status.expect(["title": "Reading", "session": .string(id)])
            try await kitchen.waitFor("the title") { $0.title == "Reading" && $0.owner == "desk" }
            #expect(try await kitchen.lockstep("correct", "--title", "Reading", "--json").json.outcome == "noop")
            #expect(try await kitchen.lockstep("correct", "--label", "-").output == "No label\n")
            #expect(try await kitchen.lockstep("correct", "--title", " ").output == "No title\n")
            #expect(try await kitchen.lockstep("correct").code == 2)
            let mistyped = try await kitchen.lockstep("corect")
            #expect(mistyped.code == 2)
            #expect(mistyped.errors.contains("similar: correct;"), "\(mistyped)")
            #expect(try await desk.lockstep("stop").code == 0)
            try await desk.lockstep("correct", "--title", "Late").expect(5, errors: "→ lockstep start")
        }
    }

    @Test(.waitingForTimers) func commandsAtAHangingNodeExitWithFour() async throws {
        let desk = try NodeProcess("desk")
        try await desk.start()
        desk.freeze()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for arguments in [["status"], ["pause"], ["nodes", "--json"], ["start", "Reading"]] {
                group.addTask {
                    let result = try await CommandLine.run(arguments + ["--socket", desk.socket.path]).expect(4)
                    #expect(!result.errors.isEmpty)
                }
            }
            try await group.waitForAll()
        }
        desk.thaw()
    }

    @Test func commandsWithoutANodeAndABrokerExitWithSix() async throws {
        let directory = try TemporaryDirectory()
        let nowhere = ["--socket", directory.file("none.sock")]
        for arguments in Self.actions.map({ [$0] }) + [["status"], ["nodes"], ["start", "Reading"]] {
            try await CommandLine.run(arguments + nowhere).expect(6, errors: "none.sock")
        }
        // Neither a test nor the system uses port 1.
        let closed = nowhere + ["--broker", "mqtt://127.0.0.1:1"]
        for arguments in [["pause"], ["status", "--json"], ["nodes"]] {
            #expect(try await !CommandLine.run(arguments + closed).expect(6).errors.isEmpty)
        }
        // The path from the environment.
        try await CommandLine.run(["status"], environment: ["LOCKSTEP_SOCKET": directory.file("x.sock")]).expect(
            6, errors: "x.sock")
    }

    @Test(arguments: [
        (["--nonsense"], "nonsense"), (["fly"], "fly"), (["help", "nope"], "nope"),
        (["stauts"], "similar: status; "), (["pause", "now"], "lockstep: Unexpected argument 'now'"),
        (["kiosk", "foo"], "no command “foo”; lockstep kiosk --help"), (["phone", "ad"], "similar: add; "),
        (["calm", "foo"], "no command “foo”; lockstep calm --help"), (["say", " "], "takes the present one back"),
        (["start", "--broker", "mqtt://localhost"], "--broker: a session starts on the node of this machine"),
        (["extend", "25h"], "an extension is 1s to 24h"),
        (["say", "Dinner", "--for", "48h"], "a message is shown"), (["start", "--for", "25"], "did you mean 25m?"),
        (["start", "--for", "90min"], "did you mean 90m?"), (["start", "--for", "1h30"], "did you mean 1h30m?"),
        (["start", "--for", "1:30"], "did you mean 1h30m or 1m30s?"), (["extend", "2 Hours"], "did you mean 2h?"),
        (["start", "--for=-5m"], "did you mean 5m?"), (["start", "--for", "1d"], "column 2"),
        (["watch", "--near", "x"], "such as 5m or 90s"), (["watch", "--blank", "x"], "such as 23:00-07:00"),
        (["start", "My", "title"], #"lockstep start "My title""#), (["start", "Reading", "--fro", "25m"], "--fro"),
        (["extend", "5m", "--jsn"], "no option --jsn"),
        (["start", "--for", "25m", "--count-up"], "exclude"), (["start", "--color", "#fff"], "--label"),
        (["start", "--plan", "focus 25m x"], "column"),
        (["start", "--plan", ""], "--plan"), (["up", "--port", "70000"], "--port"),
        (["up", "--broker", "mqtt://localhost"], "broker of its own"), (["status", "--style"], "--style"),
    ])
    func invalidCommandExitsWithTwo(arguments: [String], names: String) async throws {
        let directory = try TemporaryDirectory()
        let socket =
            arguments.first.map { $0.hasPrefix("-") || ["fly", "help"].contains($0) } == true
            ? [] : ["--socket", directory.path]
        #expect(try await CommandLine.run(arguments + socket).expect(2, errors: names).output.isEmpty)
    }

    @Test func optionsOfAnotherSpaceOrBrokerAreRefusedWhereANodeRuns() async throws {
        let desk = try NodeProcess("desk")
        try await desk.start()
        try await desk.lockstep("start", "Reading").expect()
        try await desk.lockstep("pause", "--space", "home").expect()
        try await desk.lockstep("stop", "--space", "studio-9").expect(
            2, errors: "--space studio-9: the node of this machine is in home")
        try await desk.lockstep("stop", "--broker", "mqtt://127.0.0.1:1").expect(2, errors: "its own connection")
        try await desk.lockstep("status", "--broker", "foo").expect(2, errors: "mqtt://")
        try await desk.lockstep("status", "--follow", "--space", "studio-9").expect(2, errors: "is in home")
        desk.status.expect(["activityName": "Reading", "status": "paused"])
    }

    @Test func invalidPlanPointsAtItsColumn() async throws {
        let result = try await CommandLine.run(["start", "--plan", "focus 25m, nap 5m", "--socket", "none"]).expect(
            2, errors: "column 12")
        let lines = result.errors.split(separator: "\n")
        let plan = try #require(lines.firstIndex { $0.hasSuffix("  focus 25m, nap 5m") })
        let caret = try #require(lines.dropFirst(plan + 1).first)
        #expect(lines[plan].dropFirst(caret.count - 1).hasPrefix("nap"))
        #expect(caret.last == "^")
    }

    @Test func colourNamesAndPresetsOfTheNodeAreAccepted() async throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write("# mine\nreading = focus 10m, shortBreak 1m\n", to: "presets")
        let desk = try NodeProcess("desk", environment: ["LOCKSTEP_PRESETS": file])
        try await desk.start()
        #expect(try await desk.lockstep("start", "--preset", "reading", "--auto-advance").code == 0)
        #expect(desk.status.plan.items.count == 2)
        desk.status.expect(["totalSeconds": 600, "autoAdvance": true])
        #expect(try await desk.lockstep("start", "--preset", "tabata").code == 0)
        #expect(desk.status.plan.items.count == 16)
        #expect(try await desk.lockstep("start", "--label", "Study", "--color", "teal").code == 0)
        #expect(desk.status.label.colour == "#12a594", "the space gets digits")
    }

    @Test(arguments: ["bash", "zsh", "fish"]) func completionsArePrinted(shell: String) async throws {
        let result = try await CommandLine.run(["--generate-completion-script", shell]).expect()
        for word in ["extend", "teal", "dumbbell"] { #expect(result.output.contains(word), "\(word)") }
    }

    @Test func aFileInPlaceOfTheSocketIsNamedAndKept() async throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write("precious", to: "node.sock")
        let result = try await CommandLine.run(
            ["--state-dir", directory.file("state"), "--socket", file], program: "lockstep-node")
        #expect(result.code != 0)
        #expect(result.errors.contains("\(file) is not a socket: remove it, or"), "\(result)")
        #expect(directory.read("node.sock") == "precious")
    }

    @Test func helpAndErrorsNameTheCommandThatWasTyped() async throws {
        for command in [["debt", "add"], ["node"]] {
            let name = command.joined(separator: " ")
            let help = try await CommandLine.run(command + ["--help"]).expect().output
            #expect(help.contains("USAGE: lockstep \(name)"), "\(help)")
            try await CommandLine.run(command + ["--wrong"]).expect(2, errors: "lockstep \(name) --help")
        }
        #expect(try await CommandLine.run(["--help"], program: "lockstep-debt").output.contains("USAGE: lockstep-debt"))
    }

    @Test func nodeCommandRunsTheNodeProgram() async throws {
        let directory = try TemporaryDirectory()
        try await CommandLine.run(["node", "--space", "Not This", "--state-dir", directory.path]).expect(
            2, errors: "lockstep node: --space", "the first of which is not -")
        let long = directory.path + "/" + String(repeating: "x", count: 120)
        try await CommandLine.run(["node", "--socket", long, "--state-dir", directory.path]).expect(
            2, errors: "--socket: the socket's path")
    }
}
