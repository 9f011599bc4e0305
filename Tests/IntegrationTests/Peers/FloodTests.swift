// SPDX-License-Identifier: Apache-2.0

import Mosquitto
import Support
import Testing

/// One peer floods the owner with intents; the owner and the other peers continue.
@Suite(.limitedConcurrency) struct FloodTests {
    @Test func floodOfOnePeerDelaysNoOtherPeer() async throws {
        try await Space.with("desk") { space in
            let id = try space["desk"].begin(["seconds": 600])
            let before = ProcessCounters.now(of: space["desk"].pid).residentKilobytes
            try await Peer.with("flood", port: space.broker.port) { flood in
                let messages = (0..<5_000).map { number in
                    MQTTMessage(
                        topic: flood.topic("flood", "intent"),
                        payload: Array(
                            """
                            {"v":1,"id":"flood-\(number)","session":"\(id)","op":"extend","args":{"seconds":1},\
                            "from":"flood"}
                            """.utf8))
                }
                try await flood.publishAll(Array(messages.prefix(1_000)))
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await flood.publishAll(Array(messages.dropFirst(1_000))) }
                    let press = try await space.peer.ask("pause", of: id)
                    #expect(try await space.peer.answer(to: press, from: "desk").outcome == "applied")
                    #expect(space["desk"].status.status == "paused")
                    try await group.waitForAll()
                }
                try await flood.waitUntilHandled(by: space["desk"])
                let answers = {
                    space.peer.messages(on: "ack", of: "desk").filter { $0.id.text?.hasPrefix("flood-") == true }
                }
                // This peer gets an answer after the owner has published its register.
                try await eventually("there is an answer for each revision") {
                    let applied = answers().count { $0.outcome == "applied" }
                    return space["desk"].status.revision == .number(Int64(applied) + 2)
                }
                let outcomes = answers()
                let applied = outcomes.count { $0.outcome == "applied" }
                let busy = outcomes.count { $0.reason == "busy" }
                #expect(applied >= 100)
                #expect(busy >= 1)
                // No intent was counted twice, as applied and as refused.
                let refused = space["desk"].row(of: "flood").dropped.tooOften.int ?? 0
                #expect(Int64(applied) + refused <= 5_000, "\(applied) applied, \(refused) refused")
                #expect(refused > 1_000, "\(applied) applied, \(refused) refused")
            }
            let after = ProcessCounters.now(of: space["desk"].pid).residentKilobytes
            #expect(after - before < 40_000, "\(before) KB before, \(after) KB after")
        }
    }
}
