// SPDX-License-Identifier: Apache-2.0

import Mosquitto
import Support
import Testing

/// Time alone causes no message.
@Suite(.limitedConcurrency, .retriedAfterStall) struct SilenceTests {
    @Test(.waitingForTimers) func aRunningSessionPublishesNothing() async throws {
        try await Space.with("desk", "kitchen") { space in
            let id = try space["desk"].begin(["plan": "focus 25m, shortBreak 5m"])
            try await space["kitchen"].waitFor("the session") { $0.session.text == id }
            // Markers of the test show that all earlier messages have arrived.
            var marker: Int64 = 0
            func mark() async throws {
                marker += 1
                try await space.peer.publish("sound", ["v": 1, "marker": .number(marker)])
                try await space.peer.waitFor("sound", of: "peer", "the marker") { $0.marker == .number(marker) }
            }
            // Clocks are compared when a session begins, and then not for a minute.
            var (pings, since) = (-1, ContinuousClock.now)
            try await eventually("the clocks have been compared") {
                try await mark()
                let count = space.peer.messages.count { $0.topic.contains("/ping/") }
                if count != pings { (pings, since) = (count, .now) }
                return ContinuousClock.now - since > .seconds(3)
            }
            try await space.peer.waitUntilHandled(by: space["desk"])
            try await space.peer.waitUntilHandled(by: space["kitchen"])
            space.peer.forget()

            // No message may arrive in this time.
            let end = ContinuousClock.now + .seconds(20)
            try await eventually("the time is over") {
                try await mark()
                return ContinuousClock.now >= end
            }
            let strangers = space.peer.messages.filter { $0.topic != space.peer.topic("peer", "sound") }
            #expect(strangers.isEmpty, "\(strangers.map(\.topic))")
            space["kitchen"].status.expect(["status": "running", "stale": false])
        }
    }
}
