// SPDX-License-Identifier: Apache-2.0

import Mosquitto
import Support
import Testing

/// Answers of an owner to a scripted peer: each intent takes effect once or not at all.
@Suite(.limitedConcurrency) struct IntentTests {
    @Test func aDoubledIntentIsAppliedOnceAndItsAnswerFollowsTheRegister() async throws {
        try await Space.with("desk") { space in
            let id = try space["desk"].begin(["seconds": 600])
            let press = try await space.peer.ask("extend", of: id, ["args": ["seconds": 60]])
            let first = try await space.peer.answer(to: press, from: "desk")
            let topics = space.peer.messages.filter { (try? JSON($0.payload))?.rev == 2 }.map(\.topic)
            #expect(topics.first == space.peer.topic("desk", "session"))
            // A copy that comes while the first answer waits gets none of its own.
            try await space.peer.ask("extend", of: id, id: press, ["args": ["seconds": 60]])
            let second = try await space.peer.answer(to: press, from: "desk", number: 2)
            #expect(first.outcome == "applied")
            #expect(first.rev == 2)
            #expect(first.session.text == id)
            #expect(second.outcome == "duplicate")
            #expect(space["desk"].status.totalSeconds == 660)
            let register = try await space.peer.waitFor("session", of: "desk", "the intent") { $0.rev == 2 }
            #expect(register.applied == [.string(press)])
        }
    }

    /// The owner's decisions are in `Conformance`; here they travel over a broker.
    @Test func aRefusedIntentChangesNothingAndAnUnusableOneIsCounted() async throws {
        try await Space.with("desk") { space in
            let old = try space["desk"].begin()
            let id = try space["desk"].begin(["plan": "focus 25m, shortBreak 5m, focus 25m"])
            let past: JSON = ["at": .number(now() - 60_000), "expiresAt": .number(now() - 30_000)]
            let tooMuch: JSON = ["args": ["seconds": 9_000_000_000]]
            for (op, session, more, reason) in [
                ("stop", id, past, "expired"), ("stop", old, [:], "superseded"),
                ("skip", id, ["phase": 1], "stalePhase"), ("extend", id, tooMuch, "invalid"),
            ] as [(JSON, String, JSON, JSON)] {
                let press = try await space.peer.ask(op, of: session, more)
                let answer = try await space.peer.answer(to: press, from: "desk")
                #expect(answer.outcome == "refused", "\(answer)")
                #expect(answer.reason == reason, "\(answer)")
                if reason == "superseded" { #expect(answer.by.session.text == id) }
            }
            #expect(space["desk"].status.session.text == id)
            let answers = space.peer.all("ack", of: "desk").count
            try await space.peer.ask("explode", of: id)
            try await space.peer.ask(7, of: id)
            try await space.peer.ask("extend", of: id, ["args": ["seconds": "60"]])
            try await space.peer.ask("stop", of: id, ["from": "somebody"])
            try await space.peer.ask("stop", of: "never-heard-of")
            try await space.peer.waitUntilHandled(by: space["desk"])
            let dropped = space["desk"].row(of: "peer").dropped
            #expect(dropped.outOfBounds == 1)
            #expect(dropped.malformed == 2)
            #expect(dropped.wrongSender == 1)
            #expect(space.peer.all("ack", of: "desk").count == answers)
            #expect(space["desk"].status.revision == 2)
            #expect(space["desk"].status.status == "running")
        }
    }

    @Test func reorderedIntentsAreAnsweredOneByOne() async throws {
        try await Space.with("desk") { space in
            let id = try space["desk"].begin(["seconds": 600])
            // The presses pause, extend and resume arrive in reverse order.
            let resume = try await space.peer.ask("resume", of: id)
            let extend = try await space.peer.ask("extend", of: id, ["args": ["seconds": 30]])
            let pause = try await space.peer.ask("pause", of: id)
            #expect(try await space.peer.answer(to: resume, from: "desk").outcome == "noop")
            #expect(try await space.peer.answer(to: extend, from: "desk").outcome == "applied")
            #expect(try await space.peer.answer(to: pause, from: "desk").outcome == "applied")
            #expect(space["desk"].status.status == "paused")
            #expect(space["desk"].status.totalSeconds == 630)
        }
    }

    @Test func concurrentIntentsAreAllAnswered() async throws {
        try await Space.with("desk") { space in
            let id = try space["desk"].begin(["seconds": 600])
            var presses: [String] = []
            for _ in 0..<100 {
                presses.append(try await space.peer.ask("extend", of: id, ["args": ["seconds": 1]]))
            }
            for press in presses {
                #expect(try await space.peer.answer(to: press, from: "desk").outcome == "applied")
            }
            #expect(space["desk"].status.totalSeconds == 700)
            let register = try await space.peer.waitFor("session", of: "desk", "the last") { $0.rev == 101 }
            #expect(register.applied.items.count == 64)
        }
    }
}
