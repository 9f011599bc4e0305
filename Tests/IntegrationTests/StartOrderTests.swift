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
            try await space.peer.publish("session", .register("theirs", ahead: 8_000, rev: 2))
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
}
