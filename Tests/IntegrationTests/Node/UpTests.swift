// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Support
import Testing

/// `lockstep up` runs all programs on one machine and leaves no process behind.
@Suite(.limitedConcurrency, .retriedAfterStall) struct UpTests {
    /// A running `lockstep up` that ends its broker and node with the test.
    private final class Run {
        let directory: TemporaryDirectory
        let pid: pid_t
        private(set) var children: [pid_t] = []
        private let number: Int

        init(
            _ directory: TemporaryDirectory, number: Int = 1, socket: String = "node.sock",
            environment: [String: String] = [:], options: [String] = [], arguments: [String]? = nil
        ) throws {
            self.directory = directory
            self.number = number
            // `up` takes the settings of the person's own node, but for those of its broker.
            let settings = directory.file(".config/lockstep")
            try FileManager.default.createDirectory(atPath: settings, withIntermediateDirectories: true)
            try directory.write(
                "LOCKSTEP_BROKER=mqtts://elsewhere\nLOCKSTEP_TLS_CA=/etc/hostname\nLOCKSTEP_NAME=From the file\n",
                to: ".config/lockstep/node.env")
            pid = try Spawn.start(
                [Program.path("lockstep")]
                    + (arguments ?? [
                        "up", "--node", "desk", "--state-dir", directory.file("state"), "--socket",
                        directory.file(socket),
                    ] + options),
                environment: Program.environment(
                    home: directory.path,
                    [
                        "LOCKSTEP_BROKER": "mqtts://elsewhere", "LOCKSTEP_PASSWORD_FILE": "/nonexistent/password",
                        "LOCKSTEP_TLS_CA": "/nonexistent/ca",
                    ].merging(environment) { $1 }),
                output: directory.file("up-\(number).log"))
        }

        deinit {
            for process in [pid] + children where Glibc.kill(process, 0) == 0 { Glibc.kill(process, SIGKILL) }
            Spawn.end(pid)
        }

        var log: String { directory.read("up-\(number).log") }

        func waitUntilUp() async throws {
            try await eventually("up: \(log)") { log.contains("Lockstep is up") && log.contains("Ctrl-C") }
            try findChildren()
        }

        func findChildren() throws {
            children = try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { pid_t($0) }
                .filter { process in
                    let stat = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
                    return stat.split(separator: ")").last?.split(separator: " ").dropFirst().first == "\(pid)"
                }
        }

        var broker: pid_t? {
            children.first { process in
                (try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8)) == "mosquitto\n"
            }
        }

        func end(_ signal: Int32) async throws -> Int32 {
            Glibc.kill(pid, signal)
            return try await ended()
        }

        func ended() async throws -> Int32 {
            return try await Spawn.end(of: pid, "end of lockstep up")
        }

        var isAnythingLeft: Bool { children.contains { Glibc.kill($0, 0) == 0 } }
    }

    @Test func upEndsItsProgramsAndContinuesTheSessionLater() async throws {
        let directory = try TemporaryDirectory()
        let socket = LocalSocket(path: directory.file("node.sock"))
        let first = try Run(directory)
        try await first.waitUntilUp()
        try await eventually("a broker, a node, the calm and the debt service") {
            try first.findChildren()
            return first.children.count == 4
        }
        try await eventually("connected") { socket.request("GET", "/v1/session")?.body.linked == true }
        let nodes = try await CommandLine.run(["nodes", "--socket", socket.path])
        #expect(nodes.output.contains("From the file"), "\(nodes)")
        try await CommandLine.run(["start", "Reading", "--socket", socket.path, "--json"]).expect()
        let before = try #require(socket.request("GET", "/v1/session")).body
        #expect(try await first.end(SIGINT) == 0, "\(first.log)")
        try await eventually("nothing is left") { !first.isAnythingLeft }
        #expect(socket.request("GET", "/v1/session") == nil)

        let second = try Run(directory, number: 2)
        try await second.waitUntilUp()
        try await eventually("connected") { socket.request("GET", "/v1/session")?.body.linked == true }
        let after = try #require(socket.request("GET", "/v1/session")).body
        #expect(after.session == before.session)
        #expect(after.status == "running")
        #expect(after.endsAt == before.endsAt)
        #expect(try await second.end(SIGTERM) == 0)
        try await eventually("nothing is left") { !second.isAnythingLeft }
    }

    @Test func listeningWithoutTheCalmProgramIsRefused() async throws {
        let directory = try TemporaryDirectory()
        try FileManager.default.copyItem(atPath: Program.path("lockstep"), toPath: directory.file("lockstep"))
        let process = try Spawn.start(
            [directory.file("lockstep"), "up", "--listen", "--state-dir", directory.file("state")],
            environment: Program.environment(home: directory.path), output: directory.file("up.log"))
        #expect(try await Spawn.end(of: process, "end of lockstep up") == 2)
        #expect(directory.read("up.log").contains("--listen needs the program \(directory.file("lockstep-calm"))"))
    }

    /// `up` restarts a killed broker on its port, and traffic resumes.
    @Test func aKilledBrokerIsStartedAgain() async throws {
        let directory = try TemporaryDirectory()
        let socket = LocalSocket(path: directory.file("node.sock"))
        let run = try Run(directory)
        try await run.waitUntilUp()
        try await eventually("connected") { socket.request("GET", "/v1/session")?.body.linked == true }
        for _ in 1...2 {
            try await eventually("a broker") {
                try run.findChildren()
                return run.broker != nil
            }
            let killed = try #require(run.broker)
            Glibc.kill(killed, SIGKILL)
            try await eventually("another broker: \(run.log)") {
                try run.findChildren()
                return run.broker.map { $0 != killed } ?? false
            }
            try await eventually("connected again") { socket.request("GET", "/v1/session")?.body.linked == true }
        }
        #expect(run.log.split(separator: "\n").count { $0.contains("the broker has ended by itself") } == 2)
        #expect(try await run.end(SIGTERM) == 0)
        try await eventually("nothing is left") { !run.isAnythingLeft }
    }

    @Test func printedCommandsWorkAndHooksRun() async throws {
        let directory = try TemporaryDirectory()
        let run = try Run(
            directory, environment: ["LOCKSTEP_HOOK_STARTED": "echo \"$LOCKSTEP_TITLE\" > \(directory.file("hooked"))"])
        try await run.waitUntilUp()
        let line = try #require(run.log.split(separator: "\n").first { $0.contains("lockstep start") })
        let words = line.split(separator: " ").dropFirst().map(String.init)
        #expect(try await CommandLine.run(words).code == 0, "\(line)")
        try await eventually("the hook has run") { directory.read("hooked") == "Reading\n" }
        let second = try #require(run.log.split(separator: "\n").first { $0.contains("--broker") })
        let address = try #require(second.split(separator: " ").map(String.init).first { $0.hasPrefix("mqtt://") })
        try await CommandLine.run(
            ["status", "--socket", directory.file("none"), "--broker", address]).expect()
        #expect(second.contains("--state-dir \(directory.file("state"))-second"), "\(second)")
        let page = "--socket \(directory.file("node.sock")) --http 127.0.0.1:7780"
        #expect(
            run.log.contains("  lockstep up --node desk --state-dir \(directory.file("state")) \(page)"), "\(run.log)")
        let debt = try #require(run.log.split(separator: "\n").first { $0.contains("lockstep debt") })
        try await eventually("\(debt)") {
            let week = try await CommandLine.run(debt.split(separator: " ").dropFirst().map(String.init))
            return week.code == 0 && week.output.contains("of 420 minutes")
        }
        #expect(try await run.end(SIGINT) == 0)
    }

    @Test func aSecondUpOnTheSameStateIsRefused() async throws {
        let directory = try TemporaryDirectory()
        let first = try Run(directory)
        try await first.waitUntilUp()
        let configuration = directory.read("state/broker/mosquitto.conf")
        for (number, socket) in [(2, "node.sock"), (3, "other.sock")] {
            let second = try Run(directory, number: number, socket: socket)
            #expect(try await second.ended() != 0)
            #expect(second.log.contains("already"), "\(second.log)")
            #expect(second.log.contains("(process "), "\(second.log)")
            #expect(second.log.contains(directory.file(number == 2 ? socket : "state")), "\(second.log)")
            #expect(!second.log.contains("Lockstep is up"))
            #expect(directory.read("state/broker/mosquitto.conf") == configuration)
        }
        let port = directory.read("state/broker/port")
        let third = try Run(directory, number: 4, options: ["--http=127.0.0.1:\(port)", "--port", port, "--separate"])
        #expect(try await third.ended() == 2)
        let taken = [
            "already listens on \(directory.file("node.sock"))", "state directory \(directory.file("state")):",
            "port \(port) is taken", "127.0.0.1:\(port): another program listens there",
        ]
        for text in taken { #expect(third.log.contains(text), "\(third.log)") }
        let command = try #require(third.log.split(separator: "\n").last { $0.hasPrefix("  lockstep up ") })
        let arguments = command.split(separator: " ").dropFirst().map(String.init)
        #expect(arguments.count { $0.hasPrefix("--") } == 6, "\(command)")
        let fourth = try Run(directory, number: 7, arguments: arguments)
        try await fourth.waitUntilUp()
        #expect(try await fourth.end(SIGINT) == 0)
        for (number, host, problem) in [
            (5, "no.such.host.invalid", "no machine of this name"), (6, "192.0.2.1", "no address"),
        ] {
            let other = try Run(directory, number: number, socket: "other.sock", options: ["--http", "\(host):7780"])
            #expect(try await other.ended() == 2)
            #expect(other.log.contains("\(host):7780: "), "\(other.log)")
            #expect(other.log.contains(problem), "\(other.log)")
        }
        #expect(LocalSocket(path: directory.file("node.sock")).request("GET", "/v1/session") != nil)
        #expect(try await first.end(SIGINT) == 0)
        try await eventually("nothing is left") { !first.isAnythingLeft }
    }

    @Test func aMachineOfAGroupStartsNoSecondOneUnlessAPersonInsists() async throws {
        let directory = try TemporaryDirectory()
        let settings = ".config/lockstep/joined.env"
        try FileManager.default.createDirectory(
            atPath: directory.file(".config/lockstep"), withIntermediateDirectories: true)
        try directory.write("LOCKSTEP_BROKER=mqtts://elsewhere\n", to: settings)
        let refused = try Run(directory)
        #expect(try await refused.ended() == 3)
        #expect(refused.log.contains("has joined a group"), "\(refused.log)")
        #expect(refused.log.contains("lockstep up --separate"), "\(refused.log)")
        #expect(access(directory.file("state/broker"), F_OK) != 0, "no broker was started")
        let insisted = try Run(directory, number: 2, options: ["--separate"])
        try await insisted.waitUntilUp()
        #expect(try await insisted.end(SIGINT) == 0)
    }

    @Test func upIsRefusedWhereANodeRuns() async throws {
        let node = try NodeProcess("desk")
        try await node.start()
        let directory = try TemporaryDirectory()
        // The usual place of the socket of a person's node.
        try FileManager.default.createSymbolicLink(
            atPath: directory.file("lockstep"), withDestinationPath: node.directory.path)
        let run = try Run(directory, environment: ["XDG_RUNTIME_DIR": directory.path])
        #expect(try await run.ended() == 3)
        #expect(run.log.contains("a node listens on \(directory.path)/lockstep/node.sock (process "), "\(run.log)")
        #expect(run.log.contains("lockstep up --separate"), "\(run.log)")
        try await node.end()
    }

    @Test func anInterruptAtTheStartLeavesNoProcess() async throws {
        let directory = try TemporaryDirectory()
        let run = try Run(directory)
        try await eventually("its broker is starting") {
            try run.findChildren()
            return !run.children.isEmpty
        }
        _ = try await run.end(SIGINT)
        try await eventually("nothing is left") { !run.isAnythingLeft }
        let port = try #require(Int(directory.read("state/broker/port")))
        try await eventually("no broker is left") { !Port.answers(port) }
    }
}
