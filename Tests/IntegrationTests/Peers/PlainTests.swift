// SPDX-License-Identifier: Apache-2.0

import Mosquitto
import Support
import Synchronization
import Testing

/// Plain topics of real nodes, by a program that knows only these.
@Suite(.limitedConcurrency, .retriedAfterStall) struct PlainTests {
    private static let on = ["LOCKSTEP_PLAIN": "on", "LOCKSTEP_HOME_ASSISTANT": "on"]

    private func topic(_ name: String) -> String { "lockstep/1/home/plain/\(name)" }

    /// The last message on a plain topic.
    private func latest(_ name: String, _ peer: Peer) -> String? {
        peer.messages.last { $0.topic == topic(name) }.map { String(decoding: $0.payload, as: UTF8.self) }
    }

    private func eventually(_ name: String, _ text: String, _ peer: Peer, line: Int = #line) async throws {
        try await Support.eventually("\(name) is \(text)", line: line) { latest(name, peer) == text }
    }

    /// Sends a command, and returns its answer.
    @discardableResult
    private func send(_ command: JSON, by peer: Peer, line: Int = #line) async throws -> JSON {
        func answers() -> [JSON] {
            peer.messages.filter { $0.topic == topic("answer") }.compactMap { try? JSON($0.payload) }
        }
        let before = answers().count
        try await peer.publishAll([MQTTMessage(topic: topic("command"), payload: command.bytes)])
        try await Support.eventually("an answer to \(command)", line: line) { answers().count > before }
        return answers()[before]
    }

    @Test func aCommandHasOneAnswerAndTheTopicsFollow() async throws {
        try await Space.with("desk", environment: Self.on) { space in
            let peer = space.peer
            try await eventually("available", "online", peer)
            try await eventually("state", "idle", peer)
            try await eventually("nodes", "1", peer)
            let start: JSON = ["id": "a-1", "op": "start", "title": "Essay", "for": "25m"]
            let started = try await send(start, by: peer)
            started.expect(["outcome": "applied", "id": "a-1"])
            try await eventually("state", "running", peer)
            try await eventually("title", "Essay", peer)
            #expect(space["desk"].status.endsAt.int != nil)
            #expect(latest("ends_at", peer)?.hasSuffix("Z") == true)

            #expect(try await send(["id": "a-2", "op": "pause"], by: peer).outcome == "applied")
            try await eventually("state", "paused", peer)
            try await eventually("remaining", "\(space["desk"].status.remainingSeconds.int ?? 0)", peer)
            #expect(try await send(["id": "a-3", "op": "boom"], by: peer).field == "op")
            #expect(try await send(["id": "a-4", "op": "title", "title": "Letter"], by: peer).outcome == "applied")
            try await eventually("title", "Letter", peer)
            #expect(try await send(["id": "a-5", "op": "stop"], by: peer).outcome == "applied")
            try await eventually("state", "idle", peer)
            try await eventually("title", "", peer)
            #expect(try await send(start, by: peer).outcome == "duplicate")
            #expect(try await send(["id": "a-2", "op": "pause"], by: peer).outcome == "duplicate")
            #expect(try await send(["id": "a-6", "op": "pause"], by: peer).reason == "noSession")

            #expect(try await send(["op": "title", "title": "Next"], by: peer).outcome == "applied")
            try await eventually("draft", "Next", peer)
            #expect(try await send(["op": "start", "preset": "deep"], by: peer).outcome == "applied")
            try await eventually("title", "Next", peer)
            let names = peer.messages.filter { $0.topic == topic("event") }.map {
                try? JSON($0.payload).event_type.text
            }
            #expect(names == ["started", "paused", "stopped", "started"])
        }
    }

    @Test func aFloodOfStartsIsRefused() async throws {
        try await Space.with("desk", environment: Self.on) { space in
            let peer = space.peer
            try await eventually("available", "online", peer)
            for _ in 1...20 {
                #expect(try await send(["op": "start", "for": "25m"], by: peer).outcome == "applied")
            }
            var refused: JSON = [:]
            while refused.outcome != "refused" {
                refused = try await send(["op": "start", "title": "flood", "for": "25m"], by: peer)
            }
            #expect(refused.reason.text?.hasPrefix("busy: ") == true)
            #expect(space["desk"].status.status == "running")
        }
    }

    @Test func aCommandThatIsRetainedDoesNothing() async throws {
        try await Space.with("desk", environment: Self.on) { space in
            try await eventually("available", "online", space.peer)
            let id = try space["desk"].begin()
            try await eventually("state", "running", space.peer)
            try await space.peer.publishAll([
                MQTTMessage(topic: topic("command"), payload: Array("stop".utf8), retain: true)
            ])
            try await space["desk"].kill()
            try await space["desk"].start()
            try await Support.eventually("it serves again") {
                space.peer.messages.last { $0.topic == topic("available") }?.payload == Array("online".utf8)
                    && space["desk"].log.contains("serves the plain topics")
            }
            #expect(try await send(["op": "extend", "seconds": 60], by: space.peer).outcome == "applied")
            #expect(space["desk"].status.session.text == id)
        }
    }

    @Test func theNodeThatStandsByServesWhenTheServerIsKilled() async throws {
        try await Space.with("desk", "kitchen", environment: Self.on) { space in
            let peer = space.peer
            let isStandingBy = { (node: String) in space[node].log.contains("stands by") }
            try await Support.eventually("one stands by") { isStandingBy("desk") != isStandingBy("kitchen") }
            try await eventually("available", "online", peer)
            let (server, other) = isStandingBy("desk") ? ("kitchen", "desk") : ("desk", "kitchen")
            #expect(space[other].status.problems.items.map(\.kind).contains("standsBy"))
            try await send(["id": "a-1", "op": "start", "for": "25m"], by: peer)
            try await eventually("owner", server, peer)
            try await eventually("nodes", "2", peer)
            peer.forget()
            try await space[server].kill()
            try await Support.eventually("available again") {
                let said = peer.messages.filter { $0.topic == topic("available") }
                return said.map { String(decoding: $0.payload, as: UTF8.self) } == ["offline", "online"]
            }
            #expect(try await send(["id": "a-1", "op": "start", "for": "25m"], by: peer).outcome == "duplicate")
            #expect(try await send(["id": "a-2", "op": "pause"], by: peer).outcome == "applied")
            try await eventually("owner", other, peer)
            try await eventually("state", "paused", peer)
            peer.forget()
            try await space[server].start()
            try await Support.eventually("\(server) stands by") { isStandingBy(server) }
            try await space[server].kill()
            #expect(try await send(["id": "a-3", "op": "resume"], by: peer).outcome == "applied")
            #expect(peer.messages.allSatisfy { $0.topic != topic("available") }, "it was not gone")
        }
    }

    @Test func aBrokerThatLostEverythingIsFilledAndANodeThatIsSwitchedOffClears() async throws {
        try await Space.with("desk", environment: Self.on) { space in
            let desk = space["desk"]
            _ = try desk.begin(["title": "Reading", "seconds": 1500])
            try await eventually("title", "Reading", space.peer)
            space.peer.forget()
            try await space.broker.restart()
            try await eventually("title", "Reading", space.peer)
            try await eventually("available", "online", space.peer)

            let stale = "homeassistant/sensor/lockstep_home/earlier/config"
            try await space.peer.publishAll([MQTTMessage(topic: stale, payload: [123], retain: true)])
            #expect(try await retained(space).contains("homeassistant/button/lockstep_home/pause/config"))
            try await Support.eventually("the earlier description is gone") {
                try await !retained(space).contains(stale)
            }
            #expect(try await desk.end() == 0)
            try await eventually("available", "offline", space.peer)
            let off = try NodeProcess(
                "desk", broker: "mqtt://127.0.0.1:\(space.broker.port)", directory: desk.directory)
            try await off.start()
            try await Support.eventually("nothing is left") {
                try await retained(space).allSatisfy { !$0.contains("/plain/") && !$0.contains("homeassistant") }
            }
            try await off.kill()
        }
    }

    /// The topics that the broker keeps.
    private func retained(_ space: Space) async throws -> Set<String> {
        let found = Mutex<Set<String>>([])
        let (events, feeder) = AsyncStream.makeStream(of: String.self)
        try await EventLoop.withEventLoop { loop in
            let client = MQTTClient(
                MQTTConfiguration(host: "127.0.0.1", port: space.broker.port, clientID: "looker"), on: loop)
            await client.onEvent { event in
                switch event {
                case .connected: feeder.yield("connected")
                case .message(let message):
                    if message.retain { _ = found.withLock { $0.insert(message.topic) } }
                    feeder.yield(message.topic)
                case .disconnected: break
                }
            }
            try await client.run {
                for await event in events where event == "connected" { break }
                _ = try await client.subscribe([Subscription("#")])
                _ = try await client.publish(MQTTMessage(topic: "looked", payload: []))
                for await event in events where event == "looked" { break }
            }
        }
        return found.withLock(\.self)
    }
}
