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

    @Test func aForgedRegisterOfTheSameVersionIsOverruled() async throws {
        try await Space.with("desk") { space in
            try space["desk"].begin()
            var forged = try await space.peer.waitFor("session", of: "desk", "the start") { $0.rev == 1 }
            let title = forged.title
            forged.title = "Forged"
            try await space.peer.publish("session", of: "desk", forged)
            let register = try await space.peer.waitFor("session", of: "desk", "above the forged one") {
                $0.rev.int ?? 0 > 1
            }
            #expect(register.title == title)
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

    @Test func aPresenceSetOfflineIsPublishedAgain() async throws {
        try await Space.with("desk") { space in
            let present = try await space.peer.waitFor("presence", of: "desk", "online") { $0.online == true }
            var forged = present
            forged.online = false
            space.peer.forget()
            try await space.peer.publish("presence", of: "desk", forged)
            let back = try await waitForReturn(space)
            #expect(back.conn == present.conn)
        }
    }

    @Test func oldWillOfTheNodeItselfIsOverwritten() async throws {
        try await Space.with("desk") { space in
            space.peer.forget()
            try await space.peer.publish(
                "presence", of: "desk", .presence(of: "desk", online: false, connection: "long-gone"))
            _ = try await waitForReturn(space)
        }
    }

    /// Waits until desk has corrected its presence to online.
    private func waitForReturn(_ space: Space) async throws -> JSON {
        try await eventually("offline, then online") {
            let all = space.peer.all("presence", of: "desk")
            return all.contains { $0.online == false } && all.last?.online == true
        }
        return space.peer.latest("presence", of: "desk")
    }

    @Test func anOldWillOfAPeerIsIgnored() async throws {
        try await Space.with("desk") { space in
            try await space.peer.publish("presence", .presence(online: true, connection: "c1"))
            try await space.peer.publish("presence", .presence(online: true, connection: "c2"))
            try await space.peer.publish("presence", .presence(online: false, connection: "c1"))
            try await space.peer.waitUntilHandled(by: space["desk"])
            #expect(space["desk"].row(of: "peer").online == true)
            try await space.peer.publish("presence", .presence(online: false, connection: "c2"))
            try await eventually("offline") { space["desk"].row(of: "peer").online == false }
        }
    }

    @Test(arguments: ["session", "presence"])
    func anErasedRegisterIsPublishedAgain(leaf: String) async throws {
        try await Space.with("desk") { space in
            try space["desk"].begin()
            let before = try await space.peer.waitFor(leaf, of: "desk", "something") { $0 != .null }
            try await space.peer.publish(leaf, of: "desk", [], retain: true)
            try await eventually("erased, then there again") {
                let all = space.peer.all(leaf, of: "desk")
                return all.contains(.null) && all.last != .null
            }
            let after = space.peer.latest(leaf, of: "desk")
            #expect(after.id == before.id)
            #expect(after.conn == before.conn)
            #expect(space["desk"].row(of: "desk").dropped == [:], "an empty payload is not malformed")
        }
    }

    @Test func anErasedRegisterOfAPeerStillCounts() async throws {
        try await Space.with("desk") { space in
            try await space.peer.publish("session", .register("theirs"))
            try await space["desk"].waitFor("theirs") { $0.session == "theirs" }
            try await space.peer.publish("session", [], retain: true)
            try await space.peer.waitUntilHandled(by: space["desk"])
            #expect(space["desk"].status.session == "theirs")
        }
    }

    @Test func helloMakesTheNodePublishAgain() async throws {
        try await Space.with("desk") { space in
            let id = try space["desk"].begin()
            try await space.peer.waitFor("session", of: "desk", "the start") { $0.id.text == id }
            space.peer.forget()
            try await space.peer.publish("hello", ["v": 1])
            try await space.peer.waitFor("presence", of: "desk", "presence") { $0.online == true }
            try await space.peer.waitFor("session", of: "desk", "register") { $0.id.text == id && $0.rev == 1 }
        }
    }

    @Test func objectionMakesTheOwnerRaiseItsVersion() async throws {
        try await Space.with("desk") { space in
            let id = try space["desk"].begin()
            let before = try await space.peer.waitFor("session", of: "desk", "the start") { $0.id.text == id }
            var objection: JSON = ["v": 1, "kind": "fork", "node": "desk", "rev": 9]
            objection.epoch = before.epoch
            try await space.peer.publish("ack", objection)
            let register = try await space.peer.waitFor("session", of: "desk", "above it") { $0.rev == 10 }
            #expect(register.id.text == id)
        }
    }
}
