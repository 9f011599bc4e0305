// SPDX-License-Identifier: Apache-2.0

import Glibc
import Mosquitto
import Support
import Testing

/// A member that harms the commands of the broker's machine, with a real mosquitto and real programs.
@Suite(.limitedConcurrency, .retriedAfterStall) struct HostileMemberTests {
    /// Runs `body` with a client of a member, which subscribes to nothing.
    private func withClient(
        of node: String, _ broker: BrokerMachine, secret: String, _ body: (MQTTClient) async throws -> Void
    ) async throws {
        try await EventLoop.withEventLoop { loop in
            var configuration = MQTTConfiguration(host: "127.0.0.1", port: broker.port, clientID: node)
            configuration.credentials = .init(user: node, password: secret)
            let client = MQTTClient(configuration, on: loop)
            try await client.run {
                try await eventually("\(node) is connected") { await client.connection != nil }
                try await body(client)
            }
        }
    }

    /// With a short queue, mosquitto drops messages for a command that reads more slowly than mosquitto sends.
    @Test func aFloodOfPresencesStopsNoCommandAndIsCleared() async throws {
        let broker = try await BrokerMachine()
        let path = "etc/mosquitto/conf.d/lockstep.conf"
        let config = try broker.directory.read(path)
        #expect(config.contains("max_queued_messages 1000"))
        try broker.directory.write(
            config.replacing("max_queued_messages 1000", with: "max_queued_messages 50"), to: path)
        broker.stop()
        try await broker.start()
        let secret = try await JoinTests.secret(broker, "evil")
        try await withClient(of: "evil", broker, secret: secret) { client in
            let payload = [UInt8](repeating: 120, count: 30_000)
            for space in ["home"] + (1..<600).map({ "f\($0)" }) {
                try await client.publish(payload, to: "lockstep/1/\(space)/node/evil/presence", retain: true)
            }
        }
        #expect(try await broker.member("evil").state == "joined")
        _ = try await broker.invite("victim")
        try await broker.lockstep("invite", "--expire").expect()
        #expect(!broker.log.contains("are being dropped"))
        try await broker.lockstep("revoke", "evil").expect(errors: "cleared 580 more topics")
        let desk = try await JoinTests.secret(broker, "desk")
        try await Peer.with("desk", port: broker.port, password: desk) { peer in
            try await peer.publish("hello", [])
            try await eventually("all that is retained has arrived") { !peer.messages(on: "hello", of: "desk").isEmpty }
            #expect(!peer.messages.contains { $0.topic.contains("/evil/") })
        }
    }

    @Test func revokingThatCannotClearHasAnExitCodeOfItsOwn() async throws {
        let broker = try await BrokerMachine()
        _ = try await broker.invite("desk")
        let word = try broker.directory.read("etc/mosquitto/lockstep/local")
        unlink(try broker.directory.file("etc/mosquitto/lockstep/local"))
        try await broker.lockstep("revoke", "desk").expect(
            7, errors: "desk left on the broker stays", "local is missing")
        #expect(try !broker.directory.read("etc/mosquitto/lockstep/passwd").contains("desk:"))
        try broker.directory.write(word, to: "etc/mosquitto/lockstep/local")
        try await broker.lockstep("revoke", "desk").expect(errors: "plain topics")
    }
}
