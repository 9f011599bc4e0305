// SPDX-License-Identifier: Apache-2.0

import Glibc
import Support
import Testing

private enum Python {
    static let path = "/usr/bin/python3"
    static let remote = Project.path("Config/examples/remote.py")
    /// Whether Debian's python3-paho-mqtt is installed.
    static let hasMQTT =
        access("/usr/lib/python3/dist-packages/paho/mqtt/client.py", R_OK) == 0 && access(path, X_OK) == 0
}

/// `Config/examples/remote.py`: a remote that follows the protocol page and shares no code with Lockstep.
@Suite(.limitedConcurrency, .retriedAfterStall, .requires("python3-paho-mqtt", Python.hasMQTT))
struct PythonRemoteTests {
    private func remote(_ space: Space, _ arguments: String...) async throws -> CommandResult {
        try await run(arguments, at: space.broker)
    }

    private func remote(_ broker: Broker, _ arguments: String...) async throws -> CommandResult {
        try await run(arguments, at: broker)
    }

    private func run(_ arguments: [String], at broker: Broker) async throws -> CommandResult {
        try await CommandLine.run(
            [Python.remote, "--broker", "mqtt://127.0.0.1:\(broker.port)"] + arguments, program: Python.path)
    }

    @Test func remotePressesButtonsAndCorrects() async throws {
        try await Space.with("desk") { space in
            let id = try space["desk"].begin(["title": "Reading", "plan": "focus 25m, shortBreak 5m, focus 25m"])
            try await space.peer.waitFor("session", of: "desk", "the session") { $0.id.text == id }
            let paused = try await remote(space, "pause").expect()
            #expect(paused.output == "applied\n")
            #expect(space["desk"].status.status == "paused")
            #expect(try await remote(space, "pause").output == "noop\n")
            #expect(try await remote(space, "resume").code == 0)
            let seconds = space["desk"].status.totalSeconds.int
            #expect(try await remote(space, "extend", "300").code == 0)
            #expect(space["desk"].status.totalSeconds.int == seconds.map { $0 + 300 })
            #expect(try await remote(space, "correct", "--title", "Writing", "--label", "Study").output == "applied\n")
            #expect(space["desk"].status.title == "Writing")
            #expect(try await remote(space, "break").code == 0)
            #expect(space["desk"].status.phase == 1)
            #expect(try await remote(space, "focus").code == 0)
            #expect(space["desk"].status.phase == 2)
            #expect(try await remote(space, "stop").code == 0)
            #expect(try await remote(space, "status").output.contains("stopped Writing"))
        }
    }

    @Test func remoteConnectsOverTLS() async throws {
        let broker = try await BrokerMachine("--tls")
        let secret = try await JoinTests.secret(broker, "phone", role: "remote")
        let password = try broker.directory.write(secret, to: "password")
        let address = "mqtts://localhost:\(broker.port)"
        let authority = try broker.directory.file("etc/mosquitto/lockstep/ca.crt")
        let environment = ["LOCKSTEP_PASSWORD_FILE": password, "LOCKSTEP_TLS_CA": authority]
        let arguments = [Python.remote, "--node", "phone", "--broker"]
        let idle = try await CommandLine.run(
            arguments + [address, "status"], program: Python.path, environment: environment
        ).expect(5)
        #expect(idle.output == "no session\n", "\(idle)")
    }

    @Test(.waitingForTimers) func remoteFollowsATakeover() async throws {
        try await Space.with("desk", "kitchen") { space in
            let id = try space["desk"].begin(["seconds": 1_500])
            try await space["kitchen"].waitFor("the session") { $0.session.text == id }
            space["desk"].freeze()
            async let asked = remote(space, "extend", "300")
            try await space.peer.waitFor("intent", of: "remote", "the press on the old owner") { $0.session.text == id }
            #expect(try await space["kitchen"].lockstep("take").code == 0)
            let pressed = try await asked
            #expect(pressed.code == 0, "\(pressed)")
            #expect(pressed.output == "applied\n")
            #expect(space["kitchen"].status.totalSeconds == 1_800)
            let status = try await remote(space, "status")
            #expect(status.output.contains("running  (kitchen)"), "\(status)")
            space["desk"].thaw()
        }
    }

    @Test func remoteDiscardsAMalformedRegister() async throws {
        try await Broker.withBroker { broker in
            try await Peer.with(port: broker.port) { peer in
                try await peer.publish("session", of: "desk", JSON.register("s-1", of: "desk").bytes, retain: true)
                for payload in [
                    "[]", #"{"v":1,"owner":"peer","epoch":0,"rev":9,"stamp":[9,9,9],"anchor":7,"plan":[]}"#, "\u{FF}{",
                ] {
                    try await peer.publish("session", Array(payload.utf8), retain: true)
                    let status = try await remote(broker, "status").expect()
                    #expect(status.output.contains("running Elsewhere (desk)"), "\(payload)")
                    #expect(status.errors.isEmpty, "\(payload)")
                }
            }
        }
    }

    @Test func remoteReportsAMissingBroker() async throws {
        try await CommandLine.run(
            [Python.remote, "--broker", "mqtt://127.0.0.1:1", "status"],
            program: Python.path
        ).expect(6, errors: "mqtt://127.0.0.1:1")
    }
}
