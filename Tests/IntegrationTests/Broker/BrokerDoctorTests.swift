// SPDX-License-Identifier: Apache-2.0

import Glibc
import Mosquitto
import Support
import Testing

/// `lockstep doctor --broker` on brokers that can do less.
@Suite(.limitedConcurrency, .retriedAfterStall) struct BrokerDoctorTests {
    private static func address(of broker: Broker, user: String = "desk") -> String {
        "mqtt://\(user)@127.0.0.1:\(broker.port)"
    }

    private static func examine(_ arguments: [String], password: String = "secret") async throws -> CommandResult {
        let directory = try TemporaryDirectory()
        let file = try directory.write(password, to: "password")
        chmod(file, 0o600)
        return try await CommandLine.run(["doctor", "--json", "--password-file", file] + arguments)
    }

    private static func findings(_ options: Broker.Options, code: Int32) async throws -> [String: JSON] {
        try await Broker.withBroker(options) { broker in
            let result = try await examine(["--broker", address(of: broker)]).expect(code)
            return result.findings
        }
    }

    private static func states(of findings: [String: JSON]) -> [String: String] {
        findings.compactMapValues { $0.state.text }
    }

    private static let good = [
        "connection": "ok", "round trip": "ok", "rights": "ok", "retained": "ok", "members": "absent", "wills": "ok",
        "no local": "ok", "packets": "ok",
    ]

    @Test func theShippedConfigurationLacksNothingAndKeepsNothing() async throws {
        try await Broker.withBroker(Broker.Options(users: ["desk": "secret", "watcher": "secret"], isShipped: true)) {
            broker in
            let result = try await Self.examine(["--broker", Self.address(of: broker)]).expect()
            #expect(Self.states(of: result.findings) == Self.good, "\(result.findings)")
            try await CommandLine.run(
                ["doctor", "--broker", "mqtt://127.0.0.1:\(broker.port)"], environment: ["LOCKSTEP_NODE": "desk"]
            ).expect(3, says: "WRONG connection")
            try await Peer.with("watcher", port: broker.port, password: "secret") { peer in
                // The broker delivers what it retains before the peer's next message.
                try await peer.publish("hello", [:])
                try await eventually("all that is retained has arrived") {
                    !peer.messages(on: "hello", of: "watcher").isEmpty
                }
                #expect(!peer.messages.contains { $0.topic.contains("/node/desk/") }, "\(peer.messages)")
            }
        }
    }

    @Test func runningNodesAreNotDisturbed() async throws {
        try await Broker.withBroker { broker in
            let desk = try NodeProcess("desk", broker: "mqtt://127.0.0.1:\(broker.port)")
            let hall = try NodeProcess("hall", broker: "mqtt://127.0.0.1:\(broker.port)")
            for node in [desk, hall] { try await node.start() }
            #expect(try await desk.lockstep("start", "Reading", "--for", "25m").code == 0)
            try await hall.waitFor("the session") { $0.status == "running" }
            // Under the name of a node that runs, and of one that is not there.
            for user in ["desk", "guest"] {
                try await Self.examine(["--broker", Self.address(of: broker, user: user)]).expect()
            }
            #expect(try await hall.lockstep("extend", "5m").code == 0)
            for node in [desk, hall] {
                try await node.waitFor("the press") { $0.totalSeconds == 1_800 }
                node.status.expect(["owner": "desk", "problems": []])
                #expect(!node.log.contains("dropped a message"), "\(node.log)")
                #expect(!node.log.contains("took a session over"), "\(node.log)")
                let nodes = try await node.lockstep("nodes", "--json").json
                #expect(nodes.items.first { $0.node == "desk" }?.online == true, "\(nodes)")
                #expect(nodes.items.allSatisfy { $0.dropped == [:] }, "\(nodes)")
            }
            for node in [desk, hall] { try await node.end() }
        }
    }

    @Test func aMissingRightIsNamedWithItsEffect() async throws {
        let leaves = ["presence", "notice", "intent", "ack", "hello", "ping/+", "pong/+", "record", "sound"]
        let rights = ["pattern read lockstep/1/#"] + leaves.map { "pattern write lockstep/1/+/node/%u/\($0)" }
        let findings = try await Self.findings(
            Broker.Options(users: ["desk": "secret"], acl: rights.joined(separator: "\n")), code: 3)
        let found = try #require(findings["rights"]?.found.text)
        #expect(found == "desk may not write session (its sessions are seen nowhere else)")
        #expect(findings["rights"]?.fix.text?.contains("lockstep/1/home/node/desk/") == true)
        #expect(Self.states(of: findings)["packets"] == "ok")
    }

    @Test func aUserWithoutRightsIsToldWhichItNeeds() async throws {
        let findings = try await Self.findings(
            Broker.Options(users: ["desk": "secret"], acl: "user other\ntopic readwrite lockstep/#\n"), code: 3)
        #expect(findings["round trip"]?.state == "wrong")
        #expect(findings["round trip"]?.fix.text?.contains("let the user desk write") == true, "\(findings)")
    }

    @Test func aBrokerWithoutRetainedMessagesIsNamed() async throws {
        let findings = try await Self.findings(Broker.Options(lines: ["retain_available false"]), code: 3)
        #expect(findings["retained"]?.state == "absent", "\(findings)")
        #expect(findings["retained"]?.found.text?.contains("asks the others") == true, "\(findings)")
        #expect(findings["wills"]?.state == "wrong", "\(findings)")
    }

    @Test func theLargestPacketIsFound() async throws {
        let findings = try await Self.findings(Broker.Options(lines: ["message_size_limit 2000"]), code: 3)
        let found = try #require(findings["packets"]?.found.text)
        let bytes = try #require(found.split(separator: " ").dropFirst().first.flatMap { Int($0) }, "\(found)")
        #expect((1_650...2_000).contains(bytes), "\(found)")
        #expect(Self.states(of: findings)["rights"] == "ok")
    }

    @Test(arguments: [false, true])
    func membersThatShareAreToldFromBrokersThatDoNot(_ isBridged: Bool) async throws {
        try await Broker.withBroker { first in
            let bridge = [
                "connection first", "address 127.0.0.1:\(first.port)", "topic # both 1",
                "bridge_protocol_version mqttv50", "notifications false",
            ]
            try await Broker.withBroker(Broker.Options(lines: isBridged ? bridge : [])) { second in
                let members = ["--member", "mqtt://127.0.0.1:\(second.port)"]
                if isBridged {
                    try await eventually("the bridge") { first.log.contains("/node/") || second.log.contains("SUBACK") }
                }
                let result = try await Self.examine(["--broker", Self.address(of: first)] + members)
                #expect(result.code == (isBridged ? 0 : 3), "\(result)")
                #expect(result.findings["members"]?.state == (isBridged ? "ok" : "wrong"), "\(result)")
            }
        }
    }

    @Test func anEncryptedConnectionNeedsTheAuthority() async throws {
        let authority = try await CertificateAuthority()
        try await Broker.withBroker(Broker.Options(tls: .init(authority))) { broker in
            let address = "mqtts://desk@127.0.0.1:\(broker.port)"
            let trusted = try await Self.examine(["--broker", address, "--tls-ca", authority.file])
            #expect(Self.states(of: trusted.findings) == Self.good, "\(trusted)")
            #expect(trusted.findings["connection"]?.found.text?.contains("encrypted") == true, "\(trusted)")
            let strange = try await Self.examine(["--broker", address])
            #expect(strange.findings["connection"]?.fix.text?.contains("--tls-ca") == true, "\(strange)")
            let plain = try await Self.examine(["--broker", "mqtt://desk@127.0.0.1:\(broker.port)"])
            #expect(plain.findings["connection"]?.fix.text?.contains("mqtts://") == true, "\(plain)")
        }
    }

    @Test func aFailedConnectionNamesTheFix() async throws {
        try await Broker.withBroker(Broker.Options(users: ["desk": "secret"])) { broker in
            let wrong = try await Self.examine(["--broker", Self.address(of: broker)], password: "other").expect(3)
            #expect(wrong.findings["connection"]?.fix.text?.contains("--password-file") == true, "\(wrong)")
            let member = try await Self.examine(
                ["--broker", Self.address(of: broker), "--member", "mqtt://127.0.0.1:\(Port.free())"])
            #expect(member.findings["members"]?.found.text?.contains("Connection refused") == true, "\(member)")
            #expect(member.findings["members"]?.fix.text?.contains("start the broker") == true, "\(member)")
        }
        let refused = try await Self.examine(["--broker", "mqtt://127.0.0.1:\(Port.free())"])
        #expect(refused.findings["connection"]?.fix.text?.contains("start the broker") == true, "\(refused)")
        let unknown = try await Self.examine(["--broker", "mqtt://no-such-host.invalid"])
        #expect(unknown.findings["connection"]?.fix.text?.contains("name of the host") == true, "\(unknown)")
        for (arguments, reason) in [
            (["--broker", "http://pi"], "mqtt://"), (["--broker", "mqtt://desk:pw@pi"], "--password-file"),
            (["--member", "mqtt://pi"], "without a broker"),
            (["--broker", "mqtt://127.0.0.1:1", "--member", "pi"], "--member"),
        ] {
            try await Self.examine(arguments).expect(2, errors: reason)
        }
    }
}

extension CommandResult {
    /// The findings of `lockstep doctor`, by check.
    fileprivate var findings: [String: JSON] {
        Dictionary(json.items.map { ($0.check.text ?? "", $0) }) { first, _ in first }
    }
}
