// SPDX-License-Identifier: Apache-2.0

import Mosquitto
import Support
import Testing

/// Answers of an owner to a scripted peer: each intent takes effect once or not at all.
@Suite(.limitedConcurrency) struct IntentTests {
    @Test func aDoubledIntentIsAppliedOnce() async throws {
        try await Space.with("desk") { space in
            let id = try space["desk"].begin(["seconds": 600])
            let press = try await space.peer.ask("extend", of: id, ["args": ["seconds": 60]])
            let first = try await space.peer.answer(to: press, from: "desk")
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

    @Test func answerFollowsTheRegister() async throws {
        try await Space.with("desk") { space in
            let id = try space["desk"].begin()
            let press = try await space.peer.ask("pause", of: id)
            _ = try await space.peer.answer(to: press, from: "desk")
            let topics = space.peer.messages.filter { message in
                let json = try? JSON(message.payload)
                return json?.rev == 2
            }.map(\.topic)
            #expect(topics.first == space.peer.topic("desk", "session"))
        }
    }

    @Test func aLateIntentIsExpired() async throws {
        try await Space.with("desk") { space in
            let id = try space["desk"].begin()
            let past: JSON = ["at": .number(now() - 60_000), "expiresAt": .number(now() - 30_000)]
            let press = try await space.peer.ask("stop", of: id, past)
            let answer = try await space.peer.answer(to: press, from: "desk")
            #expect(answer.outcome == "refused")
            #expect(answer.reason == "expired")
            #expect(space["desk"].status.status == "running")
        }
    }

    @Test func anIntentForAnOldSessionNeverChangesTheLaterOne() async throws {
        try await Space.with("desk") { space in
            let old = try space["desk"].begin()
            let new = try space["desk"].begin()
            for op in ["stop", "pause", "extend", "skip"] {
                let press = try await space.peer.ask(.string(op), of: old, ["phase": 0])
                let answer = try await space.peer.answer(to: press, from: "desk")
                #expect(answer.outcome == "refused")
                #expect(answer.reason == "superseded")
                #expect(answer.by.session.text == new)
            }
            #expect(space["desk"].status.session.text == new)
            #expect(space["desk"].status.revision == 2)
            #expect(space["desk"].status.status == "running")
        }
    }

    @Test func aRefusalForASupersededSessionNamesTheWinner() async throws {
        try await Space.with("desk") { space in
            let id = try space["desk"].begin()
            try await space.peer.publish("session", .register("theirs", ahead: 2_000))
            try await space.peer.waitFor("session", of: "desk", "superseded") { $0.status == "superseded" }
            let press = try await space.peer.ask("stop", of: id)
            let answer = try await space.peer.answer(to: press, from: "desk")
            #expect(answer.reason == "superseded")
            #expect(answer.by.session == "theirs")
            #expect(answer.by.node == "peer")
        }
    }

    @Test(arguments: ["startBreak", "startFocus", "skip"])
    func anIntentForAFormerPhaseIsStale(op: String) async throws {
        try await Space.with("desk") { space in
            let id = try space["desk"].begin(["plan": "focus 25m, shortBreak 5m, focus 25m, shortBreak 5m"])
            let first = try await space.peer.ask("skip", of: id, ["phase": 0])
            #expect(try await space.peer.answer(to: first, from: "desk").outcome == "applied")
            let press = try await space.peer.ask(.string(op), of: id, ["phase": 0])
            let answer = try await space.peer.answer(to: press, from: "desk")
            #expect(answer.outcome == "refused")
            #expect(answer.reason == "stalePhase")
            #expect(space["desk"].status.phase == 1, "the second press does not go on to phase 2")
        }
    }

    @Test func anIntentWithoutItsPhaseIsInvalid() async throws {
        try await Space.with("desk") { space in
            let id = try space["desk"].begin(["plan": "focus 25m, shortBreak 5m"])
            let press = try await space.peer.ask("skip", of: id)
            let answer = try await space.peer.answer(to: press, from: "desk")
            #expect(answer.outcome == "refused")
            #expect(answer.reason == "invalid")
        }
    }

    @Test(arguments: [0, -60, 86_401, 9_000_000_000] as [Int64])
    func anIntentWithBadArgumentsIsInvalid(seconds: Int64) async throws {
        try await Space.with("desk") { space in
            let id = try space["desk"].begin()
            let press = try await space.peer.ask("extend", of: id, ["args": ["seconds": .number(seconds)]])
            let answer = try await space.peer.answer(to: press, from: "desk")
            #expect(answer.outcome == "refused")
            #expect(answer.reason == "invalid")
            #expect(space["desk"].status.totalSeconds == 1_500)
        }
    }

    @Test(
        arguments: [
            [:], ["title": "a\u{7}"], ["label": "\u{202E}"], ["colour": "#fff"], ["label": "", "colour": "#fff"],
        ] as [JSON]
    ) func aCorrectionWithBadArgumentsIsInvalid(args: JSON) async throws {
        try await Space.with("desk") { space in
            let id = try space["desk"].begin()
            let press = try await space.peer.ask("correct", of: id, ["args": args])
            let answer = try await space.peer.answer(to: press, from: "desk")
            #expect(answer.outcome == "refused")
            #expect(answer.reason == "invalid")
            #expect(space["desk"].status.revision == 1)
        }
    }

    @Test func anUnknownIntentIsCounted() async throws {
        try await Space.with("desk") { space in
            let id = try space["desk"].begin()
            try await space.peer.ask("explode", of: id)
            try await space.peer.ask(7, of: id)
            try await space.peer.ask("extend", of: id, ["args": ["seconds": "60"]])
            try await space.peer.ask("stop", of: id, ["from": "somebody"])
            try await space.peer.waitUntilHandled(by: space["desk"])
            let dropped = space["desk"].row(of: "peer").dropped
            #expect(dropped.outOfBounds == 1)
            #expect(dropped.malformed == 2)
            #expect(dropped.wrongSender == 1)
            #expect(space["desk"].status.revision == 1)
            #expect(space.peer.all("ack", of: "desk").isEmpty)
        }
    }

    @Test func anIntentWithoutEffectIsNoop() async throws {
        try await Space.with("desk") { space in
            let id = try space["desk"].begin()
            let resume = try await space.peer.ask("resume", of: id)
            #expect(try await space.peer.answer(to: resume, from: "desk").outcome == "noop")
            try await space.peer.ask("resume", of: id, id: resume)
            #expect(try await space.peer.answer(to: resume, from: "desk", number: 2).outcome == "noop")
            #expect(space["desk"].status.revision == 1)
        }
    }

    @Test func anIntentThatTheStateForbidsIsRefused() async throws {
        try await Space.with("desk") { space in
            let id = try space["desk"].begin(["mode": "countup"])
            let extend = try await space.peer.ask("extend", of: id, ["args": ["seconds": 60]])
            #expect(try await space.peer.answer(to: extend, from: "desk").reason == "notAllowed")
            let stop = try await space.peer.ask("stop", of: id)
            #expect(try await space.peer.answer(to: stop, from: "desk").outcome == "applied")
            let resume = try await space.peer.ask("resume", of: id)
            #expect(try await space.peer.answer(to: resume, from: "desk").reason == "notAllowed")
            let again = try await space.peer.ask("stop", of: id)
            #expect(try await space.peer.answer(to: again, from: "desk").outcome == "noop")
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

    @Test func anIntentForAnUnknownSessionGetsNoAnswer() async throws {
        try await Space.with("desk") { space in
            try space["desk"].begin()
            try await space.peer.ask("stop", of: "never-heard-of")
            try await space.peer.waitUntilHandled(by: space["desk"])
            #expect(space.peer.all("ack", of: "desk").isEmpty)
            #expect(space["desk"].status.status == "running")
        }
    }

    @Test func aRetainedIntentIsIgnored() async throws {
        try await Space.with("desk") { space in
            let id = try space["desk"].begin()
            try await space["desk"].kill()
            var intent: JSON = ["v": 1, "id": "old-stop", "op": "stop", "from": "peer"]
            intent.session = .string(id)
            try await space.peer.publish("intent", intent, retain: true)
            try await space["desk"].start()
            try await eventually("it is counted") { space["desk"].row(of: "peer").dropped.retained == 1 }
            #expect(space["desk"].status.status == "running")
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
