// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Support
import Testing

/// The broker starts late, is killed, and returns with or without its retained messages.
@Suite(.limitedConcurrency, .retriedAfterStall) struct BrokerLossTests {
    @Test func nodeWorksAloneAndJoinsWhenABrokerAppears() async throws {
        let broker = try await Broker()
        let desk = try NodeProcess("desk", broker: "mqtt://127.0.0.1:\(broker.port)")
        try await desk.start()
        #expect(desk.status.linked == false)
        let started = try await desk.lockstep("start", "Alone", "--for", "25m", "--json").expect()
        #expect(try await desk.lockstep("pause").code == 0)
        let alone = try await desk.lockstep("status", "--json").expect()
        alone.json.expect(["status": "paused", "linked": false, "stale": false])

        try await broker.start()
        try await Peer.with(port: broker.port) { peer in
            let register = try await peer.waitFor("session", of: "desk", "its session") { $0.status == "paused" }
            #expect(register.id == started.json.session)
            let kitchen = try NodeProcess("kitchen", broker: "mqtt://127.0.0.1:\(broker.port)")
            try await kitchen.start()
            try await kitchen.waitFor("the session") { $0.session == started.json.session }
        }
        try await desk.end()
        try await broker.stop()
    }
}
