// SPDX-License-Identifier: Apache-2.0

import Support
import Testing

/// Takeovers of a silent owner's session, and moves on request.
@Suite(.limitedConcurrency, .retriedAfterStall) struct TakeoverTests {
    /// Waits until all nodes show that kitchen has taken over from desk.
    private func waitForTakeover(_ space: FaultySpace, _ id: String, _ isRight: (JSON) -> Bool) async throws {
        let agreed = try await space.waitForAgreement("the session at its new owner") {
            $0.owner == "kitchen" && $0.lineage.text == id && isRight($0)
        }
        #expect(agreed.continues.node == "desk")
        let takenAt = try #require(agreed.continues.at.int)
        let lost = try await space.peer.waitFor("session", of: "desk", "the end of its own") {
            $0.status == "superseded"
        }
        #expect(lost.id.text == id)
        #expect(lost.supersededBy.node == "kitchen")
        let runs = lost.runs.items.map(\.items)
        #expect(runs.allSatisfy { $0[2].int.map { $0 <= takenAt } == true }, "each minute counts once: \(runs)")
        for node in [space.desk, space.kitchen] {
            try await node.lockstep("status").expect(says: "\nkitchen took over from desk, ")
        }
        try await eventually("it is said") { space.desk.log.contains("session taken over by another node") }
        #expect(await space.extend(space.desk).outcome == "applied")
        #expect(await space.extend(space.kitchen).outcome == "applied")
        let total = agreed.totalSeconds.int ?? 0
        try await space.waitForAgreement("two more presses") {
            $0.totalSeconds.int == total + 120 && $0.owner == "kitchen"
        }
    }

    @Test(.waitingForTimers) func aHangingOwnerIsTakenOverFrom() async throws {
        try await FaultySpace.with { space, id in
            space.desk.freeze()
            let paused = try await space.kitchen.lockstep("pause", "--json").expect()
            #expect(paused.json.outcome == "applied")
            let status = try await space.kitchen.lockstep("status", "--json").json
            status.expect(["owner": "kitchen", "status": "paused"])
            status.last.expect(["op": "pause", "from": "kitchen"])
            #expect(status.continues.node == "desk")
            space.desk.thaw()
            try await waitForTakeover(space, id) { $0.status == "paused" }
        }
    }

    @Test func takeMovesARunningSession() async throws {
        try await FaultySpace.with { space, id in
            for (body, code) in [("{\"session\":\"x\"}", 422), ("[]", 422), ("x", 422)] {
                let answer = try #require(space.kitchen.socket.request("POST", "/v1/take", body: Array(body.utf8)))
                #expect(answer.code == code, "\(body): \(answer)")
            }
            let before = space.kitchen.status
            #expect(try await space.kitchen.lockstep("take").expect().output == "Moved here\n")
            let status = space.kitchen.status
            #expect(status.isOwner == true)
            let shift = (status.endsAt.int ?? 0) - (before.endsAt.int ?? 0)
            #expect(abs(shift) <= 250, "the time does not jump: \(shift) ms")
            try await waitForTakeover(space, id) { $0.status == "running" && $0.totalSeconds == 1_500 }

            #expect(try await space.kitchen.lockstep("take", "--json").json.outcome == "noop")
            #expect(try await space.kitchen.lockstep("take").output == "Nothing to change\n")
            for body in ["", "{}"] {
                #expect(space.kitchen.socket.request("POST", "/v1/take", body: Array(body.utf8))?.code == 200)
            }
            #expect(try await space.desk.lockstep("take", "--json").json.outcome == "applied")
            let back = try await space.waitForAgreement("the session back again") { $0.owner == "desk" }
            #expect(back.lineage.text == id)
            #expect(back.continues.node == "kitchen")
            #expect(back.totalSeconds == 1_620)
        }
    }
}
