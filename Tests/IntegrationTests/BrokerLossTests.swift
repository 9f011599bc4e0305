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
        let started = try await desk.lockstep("start", "Alone", "--for", "25m", "--json")
        #expect(started.code == 0)
        #expect(try await desk.lockstep("pause").code == 0)
        let alone = try await desk.lockstep("status", "--json")
        #expect(alone.code == 0)
        #expect(alone.json.status == "paused")
        #expect(alone.json.linked == false)
        #expect(alone.json.stale == false)

        try await broker.start()
        try await Peer.with(port: broker.port) { peer in
            let register = try await peer.waitFor("session", of: "desk", "its session") { $0.status == "paused" }
            #expect(register.id == started.json.session)
            let kitchen = try NodeProcess("kitchen", broker: "mqtt://127.0.0.1:\(broker.port)")
            try await kitchen.start()
            try await kitchen.waitFor("the session") { $0.session == started.json.session }
            try await kitchen.end()
        }
        try await desk.end()
        try await broker.stop()
    }

    @Test func lateNodeFindsTheSessionAtTheRestartedBroker() async throws {
        var options = Broker.Options()
        options.persistence = true
        try await Space.with("desk", options: options) { space in
            let id = try space["desk"].begin()
            try await space.peer.waitFor("session", of: "desk", "the session") { $0.id.text == id }
            let store = space.broker.directory.file("mosquitto.db")
            try await eventually("the broker has saved it") {
                FileManager.default.contents(atPath: store).map { String(decoding: $0, as: UTF8.self) }?.contains(id)
                    == true
            }
            try await space["desk"].kill()
            try await space.broker.restart()
            let kitchen = try NodeProcess("kitchen", broker: "mqtt://127.0.0.1:\(space.broker.port)")
            try await kitchen.start()
            try await kitchen.waitFor("the session, by date") { $0.session.text == id && $0.status == "running" }
            try await kitchen.end()
        }
    }
}
