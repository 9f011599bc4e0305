// SPDX-License-Identifier: Apache-2.0

import Support
import Testing

/// Brokers with limits below the size of a session, and a peer that would fill the log.
@Suite(.limitedConcurrency, .retriedAfterStall) struct BrokerLimitTests {
    private static let limits = ["max_packet_size 500", "message_size_limit 400"]

    @Test(arguments: limits)
    func brokerThatRefusesTheSizeOfASessionIsNamed(_ limit: String) async throws {
        try await Broker.withBroker(Broker.Options(lines: [limit])) { broker in
            let desk = try NodeProcess("desk", broker: "mqtt://127.0.0.1:\(broker.port)")
            try await desk.start()
            try await desk.waitFor("a connection") { $0.linked == true }
            #expect(desk.status.problems == [])
            let title = String(repeating: "long ", count: 30)
            // The answer to a start waits for the broker for 0.3 s only.
            var started = try await desk.lockstep("start", title)
            try await eventually("the refusal") { desk.status.problems.items.map(\.kind) == ["tooLarge"] }
            if started.code == 0 { started = try await desk.lockstep("start", title) }
            started.expect(
                7, says: "Session started", errors: "the broker refuses messages of",
                "max_packet_size and message_size_limit")
            #expect(try await desk.lockstep("pause").code == 7)
            try await desk.lockstep("doctor").expect(3, says: "WRONG messages")
            try await eventually("it is said") { desk.log.contains("the broker does not let this node publish") }
        }
    }

    @Test func sessionsOfPeersDoNotFillTheLog() async throws {
        try await Space.with("desk") { space in
            for number in 1...100 {
                let register = JSON.register("s-\(number)", ahead: Int64(number), rev: Int64(number))
                try await space.peer.publish("session", register)
            }
            try await space["desk"].waitFor("the last session") { $0.session == "s-100" }
            try await space.peer.waitUntilHandled(by: space["desk"])
            let lines = space["desk"].log.split(separator: "\n").count { $0.contains("session running") }
            #expect((1...20).contains(lines), "\(space["desk"].log)")
        }
    }
}
