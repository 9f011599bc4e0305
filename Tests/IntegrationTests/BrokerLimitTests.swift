// SPDX-License-Identifier: Apache-2.0

import Support
import Testing

/// Brokers with limits below the size of a session, and brokers that drop acknowledgements.
@Suite(.limitedConcurrency, .retriedAfterStall) struct BrokerLimitTests {
    private static let limits = ["max_packet_size 500", "message_size_limit 400"]

    @Test(arguments: limits)
    func brokerThatRefusesTheSizeOfASessionIsNamed(_ limit: String) async throws {
        var options = Broker.Options()
        options.lines = [limit]
        try await Broker.withBroker(options) { broker in
            let desk = try NodeProcess("desk", broker: "mqtt://127.0.0.1:\(broker.port)")
            try await desk.start()
            try await desk.waitFor("a connection") { $0.linked == true }
            #expect(desk.status.problems == [])
            let title = String(repeating: "long ", count: 30)
            // The answer to a start waits for the broker for 0.3 s only.
            var started = try await desk.lockstep("start", title)
            try await eventually("the refusal") { desk.status.problems.items.map(\.kind) == ["tooLarge"] }
            if started.code == 0 { started = try await desk.lockstep("start", title) }
            #expect(started.code == 7, "\(started)")
            #expect(started.output.contains("Session started"), "\(started)")
            #expect(started.errors.contains("the broker refuses messages of"), "\(started)")
            #expect(started.errors.contains("max_packet_size and message_size_limit"), "\(started)")
            #expect(try await desk.lockstep("pause").code == 7)
            let doctor = try await desk.lockstep("doctor")
            #expect(doctor.code == 3, "\(doctor)")
            #expect(doctor.output.contains("WRONG messages"), "\(doctor)")
            try await eventually("it is said") { desk.log.contains("the broker does not let this node publish") }
            try await desk.kill()
        }
    }

    /// A display of the broker's ACL whose own settings say that it is a node.
    @Test func aBrokerThatGrantsNoSessionsIsNamed() async throws {
        var options = Broker.Options()
        options.users = ["desk": "secret"]
        options.acl =
            ["presence", "hello", "ping/+"].map { "pattern write lockstep/1/+/node/%u/\($0)\n" }.joined()
            + "pattern read lockstep/1/#\n"
        try await Broker.withBroker(options) { broker in
            let desk = try NodeProcess("desk", broker: "mqtt://127.0.0.1:\(broker.port)", password: "secret")
            try await desk.start()
            try await desk.waitFor("a connection") { $0.linked == true }
            #expect(desk.status.problems == [])
            var started = try await desk.lockstep("start", "Reading")
            try await eventually("the refusal") { desk.status.problems.items.map(\.kind) == ["notGranted"] }
            if started.code == 0 { started = try await desk.lockstep("start", "Reading") }
            #expect(started.code == 7, "\(started)")
            #expect(started.output.contains("Session started"), "\(started)")
            #expect(started.errors.contains("the broker does not let desk own a session"), "\(started)")
            #expect(started.errors.contains("LOCKSTEP_ROLE"), "\(started)")
            let doctor = try await desk.lockstep("doctor")
            #expect(doctor.output.contains("WRONG rights"), "\(doctor)")
            try await desk.kill()
        }
    }

    @Test func anUnacknowledgedAnswerIsSentOnTheNextConnection() async throws {
        try await FaultySpace.with { space, id in
            // Messages to desk get through, messages from it do not.
            space.deskLine.hold(.forth)
            let noop = try await space.peer.ask("resume", of: id)
            try await space.peer.publish(feed: "debt", (["v": 1, "minutes": 7, "at": .number(now())] as JSON).bytes)
            try await space.desk.waitFor("what came after it") { $0.debtMinutes == 7 }
            let asked = try await space.peer.ask("extend", of: id, ["args": ["seconds": 60]])
            try await space.desk.waitFor("the press") { $0.totalSeconds == 1_560 }
            #expect(space.peer.answers(to: noop, from: "desk") + space.peer.answers(to: asked, from: "desk") == [])
            space.deskLine.refuse()
            space.deskLine.heal()
            for (asked, outcome) in [(noop, "noop"), (asked, "applied")] as [(String, JSON)] {
                let answer = try await space.peer.answer(to: asked, from: "desk")
                #expect(answer.outcome == outcome, "\(answer)")
            }
        }
    }

    /// Twenty lost acknowledgements exhaust the client's quota, while the broker still answers pings.
    @Test(.waitingForTimers) func aNodeReconnectsWhenTheBrokerLosesItsAcknowledgements() async throws {
        try await FaultySpace.with { space, _ in
            space.deskLine.drop(.acknowledgements)
            space.deskLine.cut()
            try await space.desk.waitFor("no broker") { $0.linked == false }
            try await space.desk.waitFor("a connection") { $0.linked == true }
            for _ in 0..<25 { _ = await space.extend(space.desk) }
            space.deskLine.drop(nil)
            #expect(try await space.desk.lockstep("pause").code == 0)
            try await space.waitForAgreement("the pause") { $0.status == "paused" && $0.totalSeconds == 3_000 }
            #expect(space.desk.log.contains("the server has not answered a request"), "\(space.desk.log)")
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
