// SPDX-License-Identifier: Apache-2.0

import Joining
import Mosquitto
import Settings
import Support
import Testing

/// The roles, which the ACL of the broker enforces.
@Suite(.limitedConcurrency, .retriedAfterStall) struct RoleTests {
    private static let leaves = [
        "presence", "hello", "ping/x", "intent", "pong/x", "session", "ack", "record", "sound",
    ]

    /// Returns which of the topics a user may write, by what the broker answers.
    private static func allowed(
        _ topics: [String], as user: String, _ password: String, port: Int
    ) async throws -> Set<String> {
        var configuration = MQTTConfiguration(host: "127.0.0.1", port: port, clientID: "role-\(user)")
        configuration.version = .v5
        configuration.credentials = .init(user: user, password: password)
        return try await EventLoop.withEventLoop { loop in
            let client = MQTTClient(configuration, on: loop)
            return try await client.run {
                try await eventually("a connection of \(user)") { await client.connection != nil }
                var allowed: Set<String> = []
                for topic in topics {
                    do throws(MQTTError) {
                        _ = try await client.publish(MQTTMessage(topic: topic, payload: [120], qos: .atLeastOnce))
                        allowed.insert(topic)
                    } catch {
                        #expect(error.code == .publishRefused)
                    }
                }
                return allowed
            }
        }
    }

    /// The number of ``leaves``, from the first, and the other topics that a role may write.
    private static func rights(of role: MemberRole) -> (leaves: Int, more: [String]) {
        switch role {
        case .node: (leaves.count, [])
        case .remote: (4, [])
        case .display: (3, [])
        case .calm: (3, ["node/calm/pong/x", "node/calm/ack", "feed/calm"])
        case .debt: (3, ["node/debt/pong/x", "node/debt/ack", "feed/debt", "feed/debt/year", "feed/debt/ack"])
        }
    }

    @Test func eachRoleWritesItsOwnTopicsOnly() async throws {
        let broker = try await BrokerMachine()
        let watcher = try await JoinTests.secret(broker, "watcher")
        for role in MemberRole.allCases {
            let node = role.rawValue
            let password = try await JoinTests.secret(broker, node, role: role.rawValue)
            try await Peer.with("watcher", port: broker.port, password: watcher) { peer in
                let own = Self.leaves.map { "lockstep/1/home/node/\(node)/\($0)" }
                let foreign = Self.leaves.map { "lockstep/1/home/node/other/\($0)" }
                let feeds = ["calm", "debt", "debt/year", "debt/ack"].map { "lockstep/1/home/feed/\($0)" }
                let allowed = try await Self.allowed(own + foreign + feeds, as: node, password, port: broker.port)
                let rights = Self.rights(of: role)
                let expected = Set(own.prefix(rights.leaves)).union(rights.more.map { "lockstep/1/home/\($0)" })
                #expect(allowed == expected)
                // No refused message was delivered.
                try await eventually("all that was allowed") { Set(peer.messages.map(\.topic)).isSuperset(of: allowed) }
                let others = Set(peer.messages.map(\.topic)).subtracting(allowed)
                #expect(others.allSatisfy { $0.contains("/node/watcher/") })
            }
        }
    }

    @Test func separateSpacesAreKeptApart() async throws {
        let broker = try await BrokerMachine("--separate-spaces")
        let hall = try await JoinTests.secret(broker, "hall", space: "hall")
        let desk = try await JoinTests.secret(broker, "desk")
        try await Peer.with("desk", port: broker.port, password: desk) { peer in
            let topics = ["home", "hall"].map { "lockstep/1/\($0)/node/hall/presence" }
            #expect(try await Self.allowed(topics, as: "hall", hall, port: broker.port) == [topics[1]])
            try await peer.publish("hello", of: "desk", ["v": 1])
            try await eventually("the own message") { peer.messages.contains { $0.topic.hasSuffix("/desk/hello") } }
            #expect(!peer.messages.contains { $0.topic.contains("/hall/") })
        }
    }

    @Test func aDisplayPressesNothingAndARemoteStartsNothing() async throws {
        let broker = try await BrokerMachine()
        let desk = try JoiningMachine()
        let display = try JoiningMachine()
        let remote = try JoiningMachine()
        #expect(try await desk.lockstep("join", broker.invite("desk")).code == 0)
        try await display.lockstep("join", broker.invite("wall", "--role", "display")).expect()
        #expect(try await remote.lockstep("join", broker.invite("hand", "--role", "remote")).code == 0)
        func run(_ machine: JoiningMachine, _ arguments: String...) async throws -> CommandResult {
            try await CommandLine.run(arguments + ["--socket", machine.directory.file("node.sock")])
        }
        #expect(try await run(desk, "start", "Reading", "--for", "25m").code == 0)
        for machine in [display, remote] {
            try await eventually("the session") { try await run(machine, "status").output.contains("Reading") }
            try await run(machine, "start", "Other", "--for", "1m").expect(2, errors: "a display changes nothing")
            let added = await LocalSocket(path: machine.directory.file("node.sock")).requestAside(
                "POST", "/v1/debt", body: Array(#"{"day":"2026-11-01","from":"09:00","to":"09:50"}"#.utf8))
            #expect(added?.code == 422)
            #expect(added?.body.field == "role")
            #expect(added?.body.reason.text?.contains("a display changes nothing") == true)
        }
        try await run(display, "pause").expect(2, errors: "a display changes nothing")
        #expect(try await run(remote, "pause").code == 0)
        #expect(try await run(desk, "status", "--json").json.status == "paused")
        for machine in [display, remote] {
            let log = machine.directory.read("log.node")
            #expect(!log.contains("does not let"), "\(log)")
        }
    }
}
