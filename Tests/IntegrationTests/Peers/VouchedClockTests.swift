// SPDX-License-Identifier: Apache-2.0

import Support
import Testing

/// Machines with synchronised wall clocks, right or wrong.
@Suite(.limitedConcurrency, .retriedAfterStall) struct VouchedClockTests {
    /// The `doctor` of the right node names the node whose clock is 18 years ahead, until that node is offline.
    @Test(.requires("a C compiler", SharedClock.compiler != nil)) func oneRogueClockMovesNoHonestNode() async throws {
        let ahead = 18 * 31_556_952
        let clocks = [0, ahead].map(Preload.synchronised)
        try await Broker.withBroker { broker in
            let address = "mqtt://127.0.0.1:\(broker.port)"
            let desk = try NodeProcess("desk", broker: address, environment: clocks[0])
            let kitchen = try NodeProcess("kitchen", broker: address, environment: clocks[1])
            try await desk.start()
            let id = try desk.begin(["seconds": 1_500])
            try await kitchen.start()
            try await eventually("each sees that the other has another time") {
                desk.row(of: "kitchen").state.text == "clockWrong" && kitchen.row(of: "desk").state.text == "clockWrong"
            }
            _ = try kitchen.begin(["seconds": 600])
            desk.status.clock.expect(["wrong": false, "synced": true])
            #expect(abs(desk.status.clockAhead.int ?? .max) < 1_000)
            #expect(desk.status.session.text == id)
            #expect(abs((desk.status.startTime.int ?? 0) - now()) < 600_000)
            try await desk.lockstep("doctor").expect(
                3, says: "these differ from this node's clock: kitchen")
            try await kitchen.kill()
            try await eventually("a node that is away is no reason to complain") {
                try await !desk.lockstep("doctor").output.contains("kitchen")
            }
            #expect(abs(desk.status.clockAhead.int ?? .max) < 1_000)
        }
    }
}
