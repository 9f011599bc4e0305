// SPDX-License-Identifier: Apache-2.0

import Platform
import Support
import Testing

/// `lockstep phone` with a node and HTTP clients.
@Suite(.limitedConcurrency, .retriedAfterStall) struct PhoneTests {
    private static func answer(_ port: Int, _ target: String, _ options: String...) async throws -> String {
        let answer = try await Curl.answer("http://127.0.0.1:\(port)\(target)", trusting: "/dev/null", options)
        #expect(answer.code == 0, "\(answer)")
        return answer.text
    }

    /// Adds a phone and returns the target of its link.
    private static func add(_ name: String, _ more: String..., to node: NodeProcess, _ port: Int) async throws -> String
    {
        let arguments = ["phone", "add", name, "--host", "127.0.0.1", "--json", "--socket", node.socket.path] + more
        let added = try await CommandLine.run(arguments)
        let link = try #require(added.json.link.text, "\(added)")
        #expect(added.json.name.text == name)
        let start = "http://127.0.0.1:\(port)"
        #expect(link.hasPrefix(start + "/pair?code="), "\(link)")
        return String(link.dropFirst(start.count))
    }

    private static func pair(_ target: String, _ port: Int) async throws -> String {
        let answer = try await answer(port, target)
        #expect(answer.hasPrefix("HTTP/1.1 303"), "\(answer)")
        return "Cookie: \(try #require(answer.firstMatch(of: /lockstep=[A-Za-z0-9_-]{32}/), "\(answer)").output)"
    }

    @Test func aPageOfItsOwnMachineAloneHasNoLinkForAnAddress() async throws {
        let node = try NodeProcess("desk", options: ["--http", "127.0.0.1:\(Port.free())"])
        try await node.start()
        for host in ["192.168.1.5", "pi"] {
            try await node.lockstep("kiosk", "--host", host).expect(
                2, errors: "serves its page to its own machine only")
        }
        for host in ["127.0.0.1", "localhost"] { try await node.lockstep("kiosk", "--host", host).expect() }
        try await node.lockstep("kiosk", "--host", "0.0.0.0").expect(2, errors: "all addresses")
        try await node.end()
    }

    @Test func aHostThatTheNodeDoesNotAnswerToIsRefused() async throws {
        let node = try NodeProcess(
            "desk", options: ["--http", "0.0.0.0:\(Port.free())"],
            environment: ["LOCKSTEP_HTTP_HOSTS": "pi.example.org"])
        try await node.start()
        func add(_ host: String) async throws -> CommandResult {
            try await node.lockstep("phone", "add", "kitchen phone", "--host", host)
        }
        for command in [try await add("pi.lan"), try await node.lockstep("kiosk", "--host", "pi.lan")] {
            command.expect(2, errors: "pi.lan: add it to LOCKSTEP_HTTP_HOSTS")
            #expect(command.output == "")
        }
        // A proxy can ask the node for another host.
        try await add("https://proxy.example.org").expect(errors: "proxy.example.org: add it to LOCKSTEP_HTTP_HOSTS")
        let added = try await add("https://pi.example.org:8443").expect()
        #expect(added.errors == "", "\(added)")
        try await node.end()
    }

    private static func node(_ port: Int) throws -> NodeProcess {
        try NodeProcess(
            "desk", options: ["--http", "127.0.0.1:\(port)", "--log-level", "trace"],
            environment: ["LOCKSTEP_HTTP_LOCAL_KEY": "on"])
    }

    @Test func aPhoneIsPairedPressesAndIsShutOut() async throws {
        let port = Port.free()
        let desk = try Self.node(port)
        try await desk.startServing()
        try desk.begin()
        let link = try await Self.add("kitchen phone", to: desk, port)
        let cookie = try await Self.pair(link, port)
        let again = try await Self.answer(port, link)
        #expect(again.hasPrefix("HTTP/1.1 404"), "\(again)")
        #expect(again.contains("lockstep phone add"), "\(again)")

        let json = "Content-Type: application/json"
        let press = try await Self.answer(port, "/v1/intents", "-H", cookie, "-H", json, "-d", #"{"op":"pause"}"#)
        #expect(press.hasPrefix("HTTP/1.1 200"), "\(press)")
        #expect(desk.status.status == "paused")
        let look = try await Self.pair(try await Self.add("tablet", "--look", to: desk, port), port)
        let refused = try await Self.answer(port, "/v1/intents", "-H", look, "-H", json, "-d", #"{"op":"resume"}"#)
        #expect(refused.hasPrefix("HTTP/1.1 403"), "\(refused)")
        #expect(refused.contains("may only look"), "\(refused)")

        let list = try await desk.lockstep("phone", "list", "--json").json.phones.items
        #expect(list.map(\.name.text) == ["kitchen phone", "tablet"])
        #expect(list.map(\.mayPress) == [true, false])
        for phone in list {
            let (since, seen) = (try #require(phone.since.int), try #require(phone.lastSeen.int))
            #expect(abs(SystemClock.wallMilliseconds() - since) < 600_000)
            #expect(seen >= since)
        }
        let table = try await desk.lockstep("phone", "list").output
        #expect(table.contains("kitchen phone  press"), "\(table)")

        #expect(try await desk.lockstep("phone", "remove", "kitchen phone").code == 0)
        let gone = try await Self.answer(port, "/v1/session", "-H", cookie)
        #expect(gone.hasPrefix("HTTP/1.1 401"), "\(gone)")
        let stays = try await Self.answer(port, "/v1/session", "-H", look)
        #expect(stays.hasPrefix("HTTP/1.1 200"), "\(stays)")
        #expect(try await desk.lockstep("phone", "remove", "kitchen phone").code == 2)

        let secrets = [cookie, look].map { String($0.suffix(32)) } + [String(link.suffix(32))]
        for secret in secrets {
            #expect(!desk.log.contains(secret))
            #expect(!desk.directory.read("state/phones").contains(secret))
        }
        try await desk.end()
        // A damaged list is kept aside.
        try desk.directory.write("{", to: "state/phones")
        try await desk.startServing()
        #expect(desk.log.contains("phones.damaged-"), "\(desk.log)")
        #expect(try await desk.lockstep("phone", "list").output == "No phones yet: lockstep phone add NAME\n")
    }

    @Test func anImpossiblePhoneIsRefusedInWords() async throws {
        let port = Port.free()
        let desk = try Self.node(port)
        try await desk.start()
        try await desk.lockstep("phone", "add", "phone").expect(2, errors: "LOCKSTEP_HTTPS=0.0.0.0:7743")
        try await desk.lockstep("phone", "add", "phone", "--host", "pi:7780").expect(
            2, errors: "“pi:7780” is no host; write a name")
        try await desk.lockstep("phone", "remove", "phone").expect(2, errors: "no phone is named “phone”")
        try await desk.end()
        let alone = try NodeProcess("desk")
        try await alone.start()
        try await alone.lockstep("phone", "add", "phone").expect(2, errors: "serves no page")
    }
}
