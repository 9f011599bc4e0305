// SPDX-License-Identifier: Apache-2.0

import Mosquitto
import Support
import Testing

/// Malformed messages are dropped and counted, and the node continues.
@Suite(.limitedConcurrency, .retriedAfterStall) struct BadInputTests {
    /// Without a synchronised clock a register with a stamp of years ahead would be a start.
    @Test(.requires("a C compiler", SharedClock.compiler != nil))
    func everyMutationIsDroppedAndCounted() async throws {
        try await Space.with("desk", environment: Preload.synchronised()) { space in
            let desk = space["desk"]
            let id = try desk.begin(["title": "Reading", "seconds": 3_600])
            let peer = space.peer
            let fuzz = MutatedPayloads.sender
            var expected: [String: Int64] = [:]
            for mutation in MutatedPayloads.all {
                if let reason = mutation.expected { expected[reason, default: 0] += 1 }
            }
            let messages = MutatedPayloads.all.map { mutation in
                MQTTMessage(
                    topic: peer.topic(fuzz, mutation.topicSuffix), payload: mutation.payload,
                    retain: ["session", "presence"].contains(mutation.topicSuffix))
            }
            // A broker queues a thousand messages for a slow client and drops the rest.
            for start in stride(from: 0, to: messages.count, by: 500) {
                try await peer.publishAll(Array(messages[start..<min(start + 500, messages.count)]))
                try await peer.waitUntilHandled(by: desk)
            }

            let result = try await desk.lockstep("nodes", "--json").expect()
            let dropped = try #require(result.json.items.first { $0.node.text == fuzz }).dropped
            for (reason, count) in expected {
                #expect((dropped[reason].int ?? 0) >= count, "\(reason)")
                let said = desk.log.split(separator: "\n").filter { line in
                    line.contains("dropped a message") && line.contains("node=\(fuzz)") && line.contains(words(reason))
                }
                #expect(said.count == 1, "\(reason) is logged once: \(said)")
            }
            #expect(
                dropped.keys.isSubset(of: ["malformed", "outOfBounds", "unknownVersion", "wrongSender", "tooLarge"]))

            #expect(desk.isRunning)
            #expect(desk.status.session.text == id)
            let press = try await peer.ask("pause", of: id)
            #expect(try await peer.answer(to: press, from: "desk").outcome == "applied")
            #expect(!desk.log.utf8.contains { $0 < 0x20 && $0 != 10 }, "no control character reaches the log")
        }
    }

    private func words(_ reason: String) -> String {
        switch reason {
        case "tooLarge": "more than 16384 bytes"
        case "malformed": "not the JSON"
        case "unknownVersion": "an unknown version of the protocol"
        case "outOfBounds": "out of bounds"
        default: "it names another node than its topic"
        }
    }

    @Test func aWronglyRetainedMessageIsCounted() async throws {
        try await Space.with("desk") { space in
            let desk = space["desk"]
            let id = try desk.begin()
            try await desk.kill()
            for (leaf, payload) in [
                ("ack", ["v": 1, "kind": "fork", "node": "desk", "epoch": 0, "rev": 5]), ("hello", ["v": 1]),
                ("intent", ["v": 1, "id": "old-stop", "op": "stop", "from": "peer", "session": .string(id)]),
            ] as [(String, JSON)] {
                try await space.peer.publish(leaf, payload, retain: true)
            }
            try await desk.start()
            try await eventually("all are counted") { desk.row(of: "peer").dropped == ["retained": 3] }
            desk.status.expect(["session": .string(id), "status": "running"])
        }
    }
}
