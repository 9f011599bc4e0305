// SPDX-License-Identifier: Apache-2.0

import Support
import Testing

/// A node repairs foreign changes of its retained messages.
@Suite(.limitedConcurrency, .retriedAfterStall) struct RepairTests {
    @Test func olderRetainedRegisterIsReplaced() async throws {
        try await Space.with("desk") { space in
            let id = try space["desk"].begin()
            let first = try await space.peer.waitFor("session", of: "desk", "the start") { $0.rev == 1 }
            #expect(try await space["desk"].lockstep("pause").code == 0)
            let second = try await space.peer.waitFor("session", of: "desk", "the pause") { $0.rev == 2 }
            space.peer.forget()
            try await space.peer.publish("session", of: "desk", first)
            try await eventually("the latest register is back") { space.peer.all("session", of: "desk").last == second }
            #expect(space["desk"].status.session.text == id)
            try await eventually("it is said") { space["desk"].log.contains("repaired") }
        }
    }

    @Test func aForgedRegisterOfALaterVersionIsOverruled() async throws {
        try await Space.with("desk", "kitchen") { space in
            let id = try space["desk"].begin()
            var forged = try await space.peer.waitFor("session", of: "desk", "the start") { $0.rev == 1 }
            forged.title = "Forged"
            forged.rev = 40
            try await space.peer.publish("session", of: "desk", forged)
            let register = try await space.peer.waitFor("session", of: "desk", "above the forged one") {
                $0.rev.int ?? 0 > 40
            }
            #expect(register.title == "Reading")
            try await space["kitchen"].waitFor("the true one") { $0.title == "Reading" && $0.session.text == id }
        }
    }

    @Test func anErasedRegisterAndAForgedPresenceAreReplacedAndAHelloIsAnswered() async throws {
        try await Space.with("desk") { space in
            let (desk, peer) = (space["desk"], space.peer)
            let id = try desk.begin()
            for leaf in ["session", "presence"] {
                let before = try await peer.waitFor(leaf, of: "desk", "something") { $0 != .null }
                try await peer.publish(leaf, of: "desk", [], retain: true)
                try await eventually("\(leaf): erased, then there again") {
                    let all = peer.all(leaf, of: "desk")
                    return all.contains(.null) && all.last != .null
                }
                let after = peer.latest(leaf, of: "desk")
                #expect(after.id == before.id)
                #expect(after.conn == before.conn)
            }
            #expect(desk.row(of: "desk").dropped == [:], "an empty payload is not malformed")

            let present = peer.latest("presence", of: "desk")
            var forged = present
            forged.online = false
            // The second one is an old will of the node itself.
            for message in [forged, .presence(of: "desk", online: false, connection: "long-gone")] {
                peer.forget()
                try await peer.publish("presence", of: "desk", message)
                try await eventually("offline, then online") {
                    let all = peer.all("presence", of: "desk")
                    return all.contains { $0.online == false } && all.last?.online == true
                }
                #expect(peer.latest("presence", of: "desk").conn == present.conn)
            }

            peer.forget()
            try await peer.publish("hello", ["v": 1])
            try await peer.waitFor("presence", of: "desk", "presence") { $0.online == true }
            let register = try await peer.waitFor("session", of: "desk", "register") { $0.id.text == id }
            var objection: JSON = ["v": 1, "kind": "fork", "node": "desk", "rev": 9]
            objection.epoch = register.epoch
            try await peer.publish("ack", objection)
            try await peer.waitFor("session", of: "desk", "above it") { $0.rev == 10 && $0.id.text == id }
        }
    }
}
