// SPDX-License-Identifier: Apache-2.0

import Mosquitto
import Support
import Testing

/// `lockstep` without a local node: a remote at the broker.
@Suite(.limitedConcurrency, .retriedAfterStall) struct RemoteTests {
    private func remote(_ space: Space, _ arguments: String...) async throws -> CommandResult {
        let nowhere = space.broker.directory.file("none.sock")
        return try await CommandLine.run(
            arguments + ["--socket", nowhere, "--broker", "mqtt://127.0.0.1:\(space.broker.port)"])
    }

    @Test func remotePausesAndLeavesNoTrace() async throws {
        try await Space.with("desk") { space in
            let id = try space["desk"].begin(["title": "Reading", "plan": "focus 25m, shortBreak 5m"])
            try await space.peer.waitFor("session", of: "desk", "the session") { $0.id.text == id }
            space.peer.forget()
            let status = try await remote(space, "status", "--json").expect()
            status.json.expect(["session": .string(id), "owner": "desk", "isOwner": false, "stale": false])
            let paused = try await remote(space, "pause", "--json").expect()
            #expect(paused.json.outcome == "applied")
            #expect(space["desk"].status.status == "paused")
            #expect(try await remote(space, "pause", "--json").json.outcome == "noop")
            #expect(try await remote(space, "nodes", "--json").expect().json.items.map(\.node) == ["desk"])
            #expect(try await remote(space, "stop").code == 0)
            #expect(try await remote(space, "pause").code == 5)
            let left = space.peer.messages.filter { $0.topic.hasSuffix("presence") || $0.topic.hasSuffix("session") }
            #expect(left.allSatisfy { $0.topic.contains("/node/desk/") }, "\(left.map(\.topic))")
        }
    }

    @Test func aRemoteWaitsForAnswersWithoutRetainedMessages() async throws {
        try await Space.with("desk") { space in
            let id = try space["desk"].begin()
            try await space.peer.waitFor("session", of: "desk", "the session") { $0.id.text == id }
            try await Proxy.with(to: space.broker.port) { line in
                line.drop(.retained)
                let nowhere = space.broker.directory.file("none.sock")
                let place = ["--socket", nowhere, "--broker", "mqtt://127.0.0.1:\(line.port)"]
                let status = try await CommandLine.run(["status", "--json"] + place)
                #expect(status.json.session.text == id, "\(status)")
                let paused = try await CommandLine.run(["pause", "--json"] + place)
                #expect(paused.json.outcome == "applied", "\(paused)")
            }
        }
    }

    @Test func aRemoteReportsAMissingSessionAndNeitherStartsNorTakesOne() async throws {
        try await Space.with("desk") { space in
            for command in ["status", "stop"] {
                try await remote(space, command).expect(5)
            }
            let id = try space["desk"].begin()
            for command in ["start", "take"] {
                let refused = try await remote(space, command).expect(2)
                #expect(refused.errors.contains("--broker"), "it has no such option")
            }
            #expect(space["desk"].status.session.text == id)
        }
    }

    @Test(.waitingForTimers) func hangingOwnerGivesNoAnswer() async throws {
        try await Space.with("desk") { space in
            let id = try space["desk"].begin()
            try await space.peer.waitFor("session", of: "desk", "the session") { $0.id.text == id }
            space["desk"].freeze()
            let result = try await remote(space, "pause", "--json")
            #expect(result.code == 4, "it cannot take over: \(result)")
            #expect(result.json.outcome == "noAnswer")
            #expect(result.errors.contains("does not answer"))
            #expect(result.errors.contains("can still take effect within 30 s"), "\(result)")
            space["desk"].thaw()
        }
    }

    @Test func refusingBrokerIsNotReached() async throws {
        try await Broker.withBroker(Broker.Options(users: ["desk": "secret"])) { broker in
            let nowhere = broker.directory.file("none.sock")
            try await CommandLine.run(
                ["pause", "--socket", nowhere, "--broker", "mqtt://127.0.0.1:\(broker.port)"]).expect(
                    6, errors: "authori")
        }
    }
}
