// SPDX-License-Identifier: Apache-2.0

import Support
import Testing

/// Starts of a scripted peer against a node's own session: the largest stamp wins.
@Suite(.limitedConcurrency, .retriedAfterStall) struct StartOrderTests {
    @Test func theLastStartWinsOnEitherSide() async throws {
        try await Space.with("desk") { space in
            let earlier = JSON.register("earlier", ahead: -5_000)
            let id = try space["desk"].begin()
            try await space.peer.publish("session", earlier)
            try await space.peer.waitUntilHandled(by: space["desk"])
            #expect(space["desk"].status.session.text == id)
            #expect(space["desk"].row(of: "peer").session == "earlier", "known, and not the current one")
            // Its stamp is ahead of the node's clock, so the start after it wins only by the merged stamp.
            try await space.peer.publish("session", .register("theirs", ahead: 8_000))
            let loser = try await space.peer.waitFor("session", of: "desk", "superseded") { $0.status == "superseded" }
            #expect(loser.id.text == id)
            #expect(loser.rev == 2)
            #expect(loser.supersededBy.session == "theirs")
            #expect(loser.supersededBy.node == "peer")
            #expect(loser.runs.items.last?[2] != .null, "its run is closed")
            try await space["desk"].waitFor("theirs") { $0.session == "theirs" && $0.owner == "peer" }
            let last = try space["desk"].begin()
            #expect(space["desk"].status.session.text == last)
            let mine = try await space.peer.waitFor("session", of: "desk", "its own") { $0.id.text == last }
            let theirs = space.peer.latest("session", of: "peer")
            #expect((mine.stamp[0].int ?? 0) >= (theirs.stamp[0].int ?? 0))
        }
    }

    @Test(.requires("a C compiler", SharedClock.compiler != nil))
    func stampFarAheadIsNotAdmittedAndItsNodeIsNotified() async throws {
        try await Space.with("desk", environment: Preload.synchronised()) { space in
            let id = try space["desk"].begin()
            let before = now()
            try await space.peer.publish("session", .register("theirs", ahead: 3_600_000))
            try await space.peer.waitUntilHandled(by: space["desk"])
            #expect(space["desk"].status.session.text == id)
            let ack = try await space.peer.waitFor("ack", of: "desk", "a clock objection") { $0.kind == "clock" }
            #expect(ack.node == "peer")
            #expect(ack.session == "theirs")
            #expect((before - 1_000...now() + 1_000).contains(ack.at.int ?? 0))
        }
    }

    @Test func registersOfOneVersionCauseAnObjection() async throws {
        try await Space.with("desk") { space in
            var register = JSON.register("theirs", rev: 5)
            try await space.peer.publish("session", register)
            try await space["desk"].waitFor("the register") { $0.session == "theirs" }
            register.title = "A fork"
            try await space.peer.publish("session", register)
            let ack = try await space.peer.waitFor("ack", of: "desk", "an objection") { $0.kind == "fork" }
            #expect(ack.node == "peer")
            #expect(ack.rev == 5)
            #expect(space["desk"].status.title == "Elsewhere")
            register.title = "Newer"
            (register.epoch, register.rev) = (1, 1)
            try await space.peer.publish("session", register)
            try await space["desk"].waitFor("the next epoch") { $0.title == "Newer" }
        }
    }

    @Test func aSessionOfAPeerIsPausedThroughItsOwner() async throws {
        try await Space.with("desk") { space in
            try await space.peer.publish("presence", .presence(online: true, connection: "c1"))
            let register = JSON.register("theirs")
            try await space.peer.publish("session", register)
            try await space["desk"].waitFor("theirs") { $0.session == "theirs" }

            space.peer.answerIntents { [register] intent in
                var paused = register
                paused.rev = 2
                paused.status = "paused"
                paused.runs = [[0, register.startedAt, .number((register.startedAt.int ?? 0) + 10)]]
                paused.applied = [intent.id]
                var ack: JSON = ["v": 1, "kind": "intent", "outcome": "applied", "session": "theirs", "rev": 2]
                ack.id = intent.id
                return [("session", paused), ("ack", ack)]
            }
            let result = try await space["desk"].lockstep("pause", "--json")
            let intent = space.peer.latest("intent", of: "desk")
            #expect(intent.op == "pause")
            #expect(intent.session == "theirs")
            #expect(intent.from == "desk")
            #expect((intent.expiresAt.int ?? 0) - (intent.at.int ?? 0) == 30_000)
            #expect(result.code == 0, "\(result)")
            #expect(result.json.outcome == "applied")
            #expect(result.json.rev == 2)
        }
    }

    @Test func unansweredIntentIsRepeatedUntilTheNodeTakesOver() async throws {
        try await Space.with("desk") { space in
            try await space.peer.publish("session", .register("theirs"))
            try await space["desk"].waitFor("theirs") { $0.session == "theirs" }
            async let pausing = space["desk"].lockstep("pause", "--json")
            try await eventually("the intent is repeated") { space.peer.all("intent", of: "desk").count >= 2 }
            #expect(Set(space.peer.all("intent", of: "desk").map(\.id)).count == 1)
            let result = try await pausing
            #expect(result.code == 0, "\(result)")
            let intent = space.peer.latest("intent", of: "desk").id
            let register = try await space.peer.waitFor("session", of: "desk", "its own") { $0.status == "paused" }
            #expect(register.lineage == "theirs")
            #expect(register.continues.node == "peer")
            #expect(register.applied == [intent])
        }
    }
}
