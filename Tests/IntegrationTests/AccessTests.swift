// SPDX-License-Identifier: Apache-2.0

import Mosquitto
import Support
import Testing

/// The broker that people set up: `Config/mosquitto.conf` and `Config/acl`.
@Suite(.takingTurns) struct AccessTests {
    private static func options(_ users: String...) -> Broker.Options {
        var options = Broker.Options()
        options.isShipped = true
        for user in users { options.users[user] = "secret-\(user)" }
        return options
    }

    private static func node(_ id: String, _ broker: Broker, user: String? = nil) throws -> NodeProcess {
        try NodeProcess(
            id, broker: "mqtt://\(user.map { $0 + "@" } ?? "")127.0.0.1:\(broker.port)",
            password: "secret-\(user ?? id)")
    }

    @Test func nodesWithUsersOfTheirOwnShareASession() async throws {
        try await Broker.withBroker(Self.options("desk", "kitchen")) { broker in
            let desk = try Self.node("desk", broker)
            let kitchen = try Self.node("kitchen", broker)
            try await desk.start()
            try await kitchen.start()
            try await kitchen.shows("a connection") { $0.linked == true }
            let id = try desk.begin()
            try await kitchen.shows("the session") { $0.session.text == id }
            #expect(try await kitchen.lockstep("pause").code == 0)
            try await desk.shows("paused") { $0.status == "paused" }
            #expect(!desk.log.contains("does not let"))
            try await desk.kill()
            try await eventually("its will, which the broker allows") { kitchen.row(of: "desk").online == false }
            try await kitchen.end()
        }
    }

    @Test func aPeerCannotWriteForAnother() async throws {
        try await Broker.withBroker(Self.options("desk", "peer")) { broker in
            let desk = try Self.node("desk", broker)
            try await desk.start()
            let id = try desk.begin()
            try await Peer.with(port: broker.port, password: "secret-peer") { peer in
                let register = try await peer.sees("session", of: "desk", "the session") { $0.id.text == id }
                await #expect(throws: MQTTError.self) {
                    try await peer.publish("session", of: "desk", JSON.register("forged", of: "desk"))
                }
                try await peer.isHeard(by: desk)
                #expect(peer.latest("session", of: "desk") == register)
                let press = try await peer.ask("pause", of: id)
                #expect(try await peer.answer(to: press, from: "desk").outcome == "applied")
            }
            try await desk.end()
        }
    }

    @Test func aNodeThatMayNotPublishWorksLocallyAndSaysSoOnce() async throws {
        // The user is another than the node: everything that the node writes is refused.
        try await Broker.withBroker(Self.options("guest", "peer")) { broker in
            let desk = try Self.node("desk", broker, user: "guest")
            try await desk.start()
            try await desk.shows("a connection") { $0.linked == true }
            let id = try desk.begin()
            #expect(try await desk.lockstep("pause").code == 0)
            #expect(try await desk.lockstep("resume").code == 0)
            #expect(try await desk.lockstep("status").code == 0)
            #expect(desk.status.session.text == id)
            try await eventually("it says so") { desk.log.contains("does not let this node publish") }
            try await Peer.with(port: broker.port, password: "secret-peer") { peer in
                // Reading is allowed: it still sees the others.
                try await peer.publish("session", .register("theirs", ahead: 2_000))
                try await desk.shows("theirs") { $0.session == "theirs" }
                #expect(peer.all("session", of: "desk").isEmpty)
            }
            #expect(desk.log.split(separator: "\n").filter { $0.contains("does not let") }.count == 1)
            try await desk.end()
        }
    }

    @Test func aWrongPasswordIsSaidOnceAndTheNodeWorksAlone() async throws {
        try await Broker.withBroker(Self.options("desk")) { broker in
            let desk = try NodeProcess("desk", broker: "mqtt://127.0.0.1:\(broker.port)", password: "wrong")
            try await desk.start()
            try await eventually("it says why") { desk.log.contains("no connection to the broker") }
            #expect(try await desk.lockstep("start", "Alone").code == 0)
            #expect(desk.status.status == "running")
            #expect(desk.log.split(separator: "\n").filter { $0.contains("no connection") }.count == 1)
            #expect(!desk.log.contains("wrong\n"), "the password is nobody's business")
            try await desk.end()
        }
    }

    @Test func aRemoteWithANodesNameAsksThatNode() async throws {
        try await Broker.withBroker(Self.options("desk", "peer")) { broker in
            let desk = try Self.node("desk", broker)
            try await desk.start()
            let id = try desk.begin()
            try await Peer.with(port: broker.port, password: "secret-peer") { peer in
                let before = try await peer.sees("session", of: "desk", "the session") { $0.id.text == id }
                let remote = [
                    "--socket", desk.directory.file("none.sock"), "--broker", "mqtt://desk@127.0.0.1:\(broker.port)",
                    "--password-file", desk.directory.file("password"),
                ]
                let status = try await CommandLine.run(["status", "--json"] + remote)
                #expect(status.code == 0, "\(status)")
                #expect(status.json.isOwner == false, "a passing remote owns nothing")
                let result = try await CommandLine.run(["pause", "--json"] + remote)
                #expect(result.code == 0, "\(result)")
                let register = try await peer.sees("session", of: "desk", "paused") { $0.status == "paused" }
                #expect(register.epoch == before.epoch)
                #expect(register.rev == 2)
                #expect(register.last.op == "pause")
                #expect(peer.latest("presence", of: "desk").online == true)
            }
            try await desk.end()
        }
    }
}
