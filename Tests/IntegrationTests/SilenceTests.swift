// SPDX-License-Identifier: Apache-2.0

import Mosquitto
import Support
import Testing

/// Nothing is sent while time merely passes.
@Suite(.takingTurns, .tryingAgain) struct SilenceTests {
    @Test(.mostlyWaiting) func aRunningSessionPublishesNothing() async throws {
        try await Space.with("desk", "kitchen") { space in
            let id = try space["desk"].begin(["plan": "focus 25m, shortBreak 5m"])
            try await space["kitchen"].shows("the session") { $0.session.text == id }
            // Markers of our own show that the subscription lives, and that all before them is here.
            var marker: Int64 = 0
            func mark() async throws {
                marker += 1
                try await space.peer.publish("sound", ["v": 1, "marker": .number(marker)])
                try await space.peer.sees("sound", of: "peer", "the marker") { $0.marker == .number(marker) }
            }
            // The clocks are compared when a session begins, and then rest for a minute.
            var (pings, since) = (-1, ContinuousClock.now)
            try await eventually("the clocks have been compared") {
                try await mark()
                let count = space.peer.messages.count { $0.topic.contains("/ping/") }
                if count != pings { (pings, since) = (count, .now) }
                return ContinuousClock.now - since > .seconds(3)
            }
            try await space.peer.isHeard(by: space["desk"])
            try await space.peer.isHeard(by: space["kitchen"])
            space.peer.forget()

            // For as long as this nothing may come.
            let end = ContinuousClock.now + .seconds(20)
            while ContinuousClock.now < end {
                try await mark()
                try await Task.sleep(for: .milliseconds(500))
            }
            let strangers = space.peer.messages.filter { $0.topic != space.peer.topic("peer", "sound") }
            #expect(strangers.isEmpty, "\(strangers.map(\.topic))")
            #expect(space["kitchen"].status.status == "running")
            #expect(space["kitchen"].status.stale == false)
        }
    }
}
