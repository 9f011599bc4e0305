// SPDX-License-Identifier: Apache-2.0

import Glibc
import Support
import Testing

private enum NoticePrograms {
    static let areInstalled = (try? Spawn.find("curl")) != nil && access("/usr/bin/python3", X_OK) == 0
}

/// `Config/examples/ntfy.sh` and `gotify.sh`: hooks that reach a phone, against a local server.
@Suite(.limitedConcurrency, .retriedAfterStall, .requires("curl and python3", NoticePrograms.areInstalled))
struct PhoneNoticeTests {
    private static let token = "tk_secret"

    /// A server that writes each request, as a line of JSON, to a file.
    private final class Server: Sendable {
        let directory: TemporaryDirectory
        private let pid: pid_t

        init() async throws {
            directory = try TemporaryDirectory()
            let script = """
                import http.server, json
                class Handler(http.server.BaseHTTPRequestHandler):
                    def do_POST(self):
                        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                        headers = {name.lower(): value for name, value in self.headers.items()}
                        print(json.dumps({"path": self.path, "headers": headers, "body": body}), flush=True)
                        self.send_response(200)
                        self.send_header("Content-Length", "0")
                        self.end_headers()
                    def log_message(self, *_): pass
                server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
                print(server.server_port, flush=True)
                server.serve_forever()
                """
            pid = try Spawn.start(
                ["/usr/bin/python3", "-c", script], output: directory.file("requests"),
                errors: directory.file("errors"))
            try await eventually("the server listens: \(directory.read("errors"))") { [directory] in
                directory.read("requests").hasSuffix("\n")
            }
        }

        deinit { Spawn.end(pid) }

        private var lines: [Substring] { directory.read("requests").split(separator: "\n") }
        var url: String { "http://127.0.0.1:\(lines[0])" }
        var requests: [JSON] { lines.dropFirst().compactMap { try? JSON(String($0)) } }
    }

    private func hook(_ name: String) -> String { "'\(Project.path("Config/examples/\(name)"))'" }

    private func token(in directory: TemporaryDirectory, mode: mode_t = 0o600) throws -> String {
        let file = try directory.write(Self.token + "\n", to: "token-\(mode)")
        chmod(file, mode)
        return file
    }

    @Test func theEndsOfPhaseAndSessionReachAPhone() async throws {
        let server = try await Server()
        let file = try token(in: server.directory)
        let ntfy = "\(hook("ntfy.sh")) \(server.url)/topic \(file)"
        let gotify = "\(hook("gotify.sh")) \(server.url)/ \(file)"
        let desk = try NodeProcess(
            "desk",
            environment: [
                "LOCKSTEP_HOOK_PHASE": ntfy, "LOCKSTEP_HOOK_COMPLETED": gotify, "LOCKSTEP_HOOK_STOPPED": gotify,
                "LOCKSTEP_HOOK_ALARM": gotify,
            ])
        try await desk.start()
        try desk.begin(["title": "@Read & “write”", "plan": "focus 1s, shortBreak 1s", "autoAdvance": true])
        try await eventually("both were sent: \(desk.log)") { server.requests.count == 2 }
        let phase = try #require(server.requests.first { $0.path == "/topic" })
        phase.headers.expect(["title": "Next phase", "authorization": .string("Bearer \(Self.token)")])
        #expect(phase.body == "@Read & “write”")
        let end = try #require(server.requests.first { $0.path == "/message" })
        #expect(end.headers["x-gotify-key"].text == Self.token)
        // Versions of curl differ in how they write a space.
        let form = end.body.text?.split(separator: "%20").joined(separator: "+")
        #expect(form == "title=Session completed&priority=5&message=%40Read+%26+%E2%80%9Cwrite%E2%80%9D", "\(end)")
        try desk.begin()
        #expect(try await desk.lockstep("stop").code == 0)
        try await eventually("the stop was sent: \(desk.log)") { server.requests.count == 3 }
        #expect(server.requests[2].body.text?.hasPrefix("title=Session stopped&") == true, "\(server.requests[2])")
        try desk.begin(["seconds": 1, "alarm": true, "overtime": true])
        try await eventually("the alarm was sent: \(desk.log)") { server.requests.count == 4 }
        #expect(server.requests[3].body.text?.hasPrefix("title=Time is up&") == true, "\(server.requests[3])")
        #expect(!desk.log.contains(Self.token))
    }

    @Test func aTopicNeedsNoTokenAndALateEventIsNotSent() async throws {
        let server = try await Server()
        func run(_ words: String..., late: String = "0") async throws -> CommandResult {
            try await CommandLine.run(
                words, program: Project.path("Config/examples/ntfy.sh"),
                environment: ["LOCKSTEP_EVENT": "completed", "LOCKSTEP_LATE": late])
        }
        #expect(try await run(server.url + "/open", late: "1").code == 0)
        try await run(server.url + "/open").expect()
        #expect(server.requests.map { $0.path.text } == ["/open"], "the late one came first")
        #expect(server.requests[0].headers.authorization == .null)
        #expect(server.requests[0].body == "Lockstep")
        try await run().expect(2, errors: "URL of a topic")
    }

    @Test(arguments: ["ntfy.sh", "gotify.sh"])
    func aTokenThatOthersMayReadIsRefused(_ name: String) async throws {
        let directory = try TemporaryDirectory()
        let file = try token(in: directory, mode: 0o644)
        let result = try await CommandLine.run(
            ["http://127.0.0.1:9", file], program: Project.path("Config/examples/\(name)"),
            environment: ["LOCKSTEP_EVENT": "phase"]
        ).expect(2)
        #expect(result.errors == "\(name): other users may read \(file): chmod 600 \(file)\n")
    }
}
