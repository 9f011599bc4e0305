// SPDX-License-Identifier: Apache-2.0

import Mosquitto
import Support
import Testing

/// A broker with `Config/mosquitto.conf` and `Config/acl`.
@Suite(.limitedConcurrency, .retriedAfterStall) struct AccessTests {
    private static func options(_ users: String...) -> Broker.Options {
        Broker.Options(
            users: Dictionary(uniqueKeysWithValues: users.map { ($0, "secret-\($0)") }), isShipped: true)
    }

    private static func node(_ id: String, _ broker: Broker, user: String? = nil) throws -> NodeProcess {
        try NodeProcess(
            id, broker: "mqtt://\(user.map { $0 + "@" } ?? "")127.0.0.1:\(broker.port)",
            password: "secret-\(user ?? id)")
    }

    @Test func doctorSaysThatTheBrokerRefusesTheNode() async throws {
        try await Broker.withBroker(Self.options("desk")) { broker in
            let revoked = try Self.node("hall", broker)
            try await revoked.start()
            try await eventually("the refusal is known") { revoked.status.linkProblem != .null }
            try await revoked.lockstep("doctor").expect(
                3, says: "the broker refuses the user or the password", "check the user in LOCKSTEP_BROKER")
            try await revoked.end()
        }
        let lost = try NodeProcess("desk", broker: "mqtt://127.0.0.1:\(Port.free())")
        try await lost.start()
        try await eventually("the reason is known") { lost.status.linkProblem != .null }
        let found = try await lost.lockstep("doctor")
        #expect(found.output.contains("no connection to the broker: "), "\(found)")
        #expect(found.output.contains(/LOCKSTEP_BROKER in .*\.config\/lockstep\/node\.env/), "\(found)")
        #expect(!found.output.contains("members"), "\(found)")
        try await lost.end()
    }

    @Test func nodeWithoutWriteAccessWorksLocallyAndLogsItOnce() async throws {
        // The user differs from the node, so the broker refuses all its messages.
        try await Broker.withBroker(Self.options("guest", "peer")) { broker in
            let desk = try Self.node("desk", broker, user: "guest")
            try await desk.start()
            try await desk.waitFor("a connection") { $0.linked == true }
            let id = try desk.begin()
            try await eventually("it says so") { desk.log.contains("does not let this node publish") }
            // The register leaves only when the barrier, which is refused too, counts as returned.
            try await eventually("the refusal") { desk.status.problems.items.map(\.kind) == ["notGranted"] }
            for action in ["pause", "resume"] {
                try await desk.lockstep(action).expect(7, errors: "does not let desk own a session", "LOCKSTEP_ROLE")
            }
            #expect(try await desk.lockstep("doctor").output.contains("WRONG rights"))
            #expect(try await desk.lockstep("status").code == 0)
            #expect(desk.status.session.text == id)
            try await Peer.with(port: broker.port, password: "secret-peer") { peer in
                // Reading is allowed: it still sees its peers.
                try await peer.publish("session", .register("theirs", ahead: 2_000))
                try await desk.waitFor("theirs") { $0.session == "theirs" }
                #expect(peer.messages(on: "session", of: "desk").isEmpty)
            }
            // Once for each connection; there is only one unless the machine stalls.
            func lines(_ words: String) -> Int { desk.log.split(separator: "\n").count { $0.contains(words) } }
            let said = lines("does not let")
            #expect((1...lines("connected to the broker")).contains(said), "\(desk.log)")
        }
    }

    @Test func remoteWithANodesNameUsesThatNode() async throws {
        try await Broker.withBroker(Self.options("desk", "peer")) { broker in
            let desk = try Self.node("desk", broker)
            try await desk.start()
            let id = try desk.begin()
            try await Peer.with(port: broker.port, password: "secret-peer") { peer in
                /// Runs a command again if it gives up: it waits four seconds for the broker and five for a node.
                func remote(_ arguments: [String]) async throws -> CommandResult {
                    var result = try await CommandLine.run(arguments)
                    for _ in 1...2 where [4, 6].contains(result.code) { result = try await CommandLine.run(arguments) }
                    return result
                }
                let before = try await peer.waitFor("session", of: "desk", "the session") { $0.id.text == id }
                let place = [
                    "--socket", desk.directory.file("none.sock"), "--broker", "mqtt://desk@127.0.0.1:\(broker.port)",
                    "--password-file", desk.directory.file("password"),
                ]
                let status = try await remote(["status", "--json"] + place).expect()
                #expect(status.json.isOwner == false, "a remote owns no session")
                try await remote(["pause", "--json"] + place).expect()
                let register = try await peer.waitFor("session", of: "desk", "paused") { $0.status == "paused" }
                #expect(register.epoch == before.epoch)
                #expect(register.rev == 2)
                #expect(register.last.op == "pause")
                // The broker drops a client that misses its keep-alive.
                try await eventually("desk is offline without a presence that says so") {
                    peer.messages(on: "presence", of: "desk").allSatisfy { $0.online == true }
                        || desk.log.contains("no connection to the broker")
                }
            }
            try await desk.end()
        }
    }
}
