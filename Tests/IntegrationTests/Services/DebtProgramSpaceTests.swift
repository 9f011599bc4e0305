// SPDX-License-Identifier: Apache-2.0

import Mosquitto
import Support
import Testing

/// The debt service with offline nodes, with the calm service, and with several spaces.
@Suite(.limitedConcurrency) struct DebtProgramSpaceTests {
    private static let environment = ["LOCKSTEP_DEBT_MINIMUM": "0"]

    /// A count-up session is credited only until its node's last sign of life.
    @Test func missingNodeStopsCounting() async throws {
        try await Space.with("desk") { space in
            let (desk, peer) = (space["desk"], space.peer)
            let service = try DebtProgram(
                ["--zone", "UTC"], broker: space.broker.port, environment: Self.environment)
            try await service.start()
            #expect(try await desk.lockstep("start", "--count-up").code == 0)
            let running = try await peer.waitForDebt("it runs") { $0.until.int != nil }
            #expect((running.until.int ?? 0) - now() > 14 * 3_600_000)
            try await desk.kill()
            let gone = try await peer.waitForDebt("it counts no further") { $0.until == .null }
            #expect((gone.done.int ?? 0) < 600_000)
            let week = try await service.command("--json")
            #expect(week.json.done == gone.done, "the ledger agrees: \(week)")
            // Its node continues the session, so all the time counts.
            try await desk.start()
            try await peer.waitForDebt("it runs again") { $0.until == running.until }
            // A countdown continues by date while its node is offline.
            try desk.begin()
            try await peer.waitForDebt("the countdown") { ($0.until.int ?? .max) < now() + 3_600_000 }
            try await desk.kill()
            try await peer.waitFor("presence", of: "desk", "its will") { $0.online == false }
            // A message about the countdown would precede this answer.
            try await peer.publish("record", JSON.record("s-1"), retain: false)
            try await peer.waitForAnswer("s-1", rev: 1, "kept")
            #expect(peer.debt.last?.until != .null)
            try await service.end()
        }
    }

    /// One service, one ledger, and a week for each space.
    @Test func oneServiceServesEverySpace() async throws {
        try await Broker.withBroker { broker in
            let service = try DebtProgram(
                ["--space", "+", "--zone", "UTC"], broker: broker.port, environment: Self.environment)
            try await service.start()
            try await Peer.with("peer", port: broker.port, space: "home") { home in
                try await Peer.with("peer-2", port: broker.port, space: "studio-3") { studio in
                    // One ID in two spaces means two sessions.
                    for (peer, minutes) in [(home, Int64(20)), (studio, 35)] {
                        var record = JSON.record("s-1", minutes: minutes)
                        record.node = .string(peer.id)
                        record.stamp = [record.stamp[0], 0, .string(peer.id)]
                        // The service may not have subscribed yet. A node repeats its records, too.
                        try await eventually("\(peer.space): it is kept") {
                            try await peer.publish("record", record, retain: false)
                            return peer.ledgerAcks.contains { $0.records[0].outcome == "kept" }
                        }
                        try await peer.waitForAnswer("s-1", rev: 1, "kept")
                    }
                    try await home.waitForDebt("its minutes") { $0.done == 1_200_000 }
                    try await studio.waitForDebt("its minutes") { $0.done == 2_100_000 }
                    for peer in [home, studio] {
                        #expect(peer.latest("presence", of: "debt").online == true)
                        #expect(peer.debt.last?.by == "debt")
                    }
                    let history = try await service.history("--space", "studio-3", "--json")
                    history.json.expect(["done": 2_100_000, "node": "peer-2"])
                    try await service.history("--space", "+").expect(2, errors: "home, studio-3")
                    // A change in one space does not affect the other.
                    #expect(try await service.command("delete", "s-1", "--space", "home").code == 0)
                    try await home.waitForDebt("it is deleted") { $0.done == 0 }
                    #expect(try await service.history("--space", "studio-3", "--json").json.done == 2_100_000)
                }
            }
            try await Peer.with("witness", port: broker.port, space: "studio-3") { studio in
                try await service.end()
                try await studio.waitFor("presence", of: "debt", "its goodbye in every space") { $0.online == false }
            }
        }
    }

    @Test(.waitingForTimers) func twoServicesOfOneIDReportItAndOneKeepsOff() async throws {
        try await Broker.withBroker { broker in
            try await Peer.with(port: broker.port) { peer in
                let first = try DebtProgram(["--zone", "UTC"], broker: broker.port)
                let second = try DebtProgram(["--zone", "UTC"], broker: broker.port)
                try await first.start()
                try await peer.waitForDebt("nothing done") { $0.done == 0 }
                try await second.start()
                try await eventually("both report it; \(first.log) \(second.log)") {
                    [first, second].allSatisfy { $0.log.contains("another machine uses the id debt") }
                }
                try await eventually("the second one keeps off") {
                    second.log.contains("another process connected first")
                }
                // The one that stays is the only one that answers.
                try await eventually("a record is kept") {
                    try await peer.publish("record", JSON.record("s-1"), retain: false)
                    return peer.ledgerAcks.contains { $0.records[0].outcome == "kept" }
                }
                #expect(try await first.history("--json").output.contains("s-1"))
                let presences = peer.messages(on: "presence", of: "debt").count
                #expect(presences <= 40, "\(presences) presences")
                try await first.end()
                try await second.end()
            }
        }
    }
}
