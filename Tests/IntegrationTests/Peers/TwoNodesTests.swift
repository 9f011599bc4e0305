// SPDX-License-Identifier: Apache-2.0

import Support
import Testing

/// One session on two machines, with a person at each.
@Suite(.limitedConcurrency, .retriedAfterStall) struct TwoNodesTests {
    @Test func sessionShowsOnTheOtherNodeUntilALaterStartThere() async throws {
        try await Space.with("desk", "kitchen") { space in
            let (desk, kitchen) = (space["desk"], space["kitchen"])
            let started = try await desk.lockstep(
                "start", "Reading", "--plan", "focus 25m, shortBreak 5m", "--label", "Study", "--color", "#4c8dff",
                "--icon", "book", "--json"
            ).expect()
            let id = try #require(started.json.session.text)

            let there = try await kitchen.waitFor("the session") { $0.session.text == id }
            let here = desk.status
            let same = [
                "session", "lineage", "owner", "status", "title", "icon", "label", "mode", "plan", "phase",
                "autoAdvance", "activityName", "startTime", "totalSeconds", "isRunning", "endsAt", "revision", "epoch",
                "stamp", "stale",
            ]
            for field in same { #expect(here[field] == there[field], "\(field)") }
            there.expect(["owner": "desk", "isOwner": false])
            let later = try kitchen.begin(["title": "Second", "seconds": 600])
            try await desk.waitFor("the second") { $0.session.text == later }
            let loser = try await space.peer.waitFor("session", of: "desk", "superseded") { $0.status == "superseded" }
            #expect(loser.id.text == id)
            loser.supersededBy.expect(["session": .string(later), "node": "kitchen"])
            #expect(kitchen.status.session.text == later)
            try await kitchen.end()
            try await eventually("kitchen is gone") { desk.row(of: "kitchen").state == "offline" }
        }
    }

    @Test func pressesOnTheOtherMachineWork() async throws {
        try await Space.with("desk", "kitchen") { space in
            let (desk, kitchen) = (space["desk"], space["kitchen"])
            let id = try desk.begin(["title": "Reading", "plan": "focus 25m, shortBreak 5m, focus 25m"])
            try await kitchen.waitFor("the session") { $0.session.text == id }

            func act(_ arguments: [String], _ what: String, _ isRight: (JSON) -> Bool) async throws {
                try await CommandLine.run(arguments + ["--socket", kitchen.socket.path]).expect()
                try await desk.waitFor(what, isRight)
                try await kitchen.waitFor(what, isRight)
            }
            try await act(["pause"], "paused") { $0.status == "paused" && $0.isRunning == false && $0.endsAt == .null }
            #expect(desk.status.remainingSeconds == kitchen.status.remainingSeconds)
            try await act(["resume"], "running") { $0.status == "running" && $0.endsAt != .null }
            try await act(["extend", "2m"], "two more minutes") { $0.totalSeconds == 1_620 }
            try await act(["break"], "the break") { $0.phase == 1 && $0.currentPhase.kind == "shortBreak" }
            try await act(["focus"], "the second focus") { $0.phase == 2 && $0.currentPhase.kind == "focus" }
            try await act(["stop"], "no live session") { $0.status == "stopped" || $0.status == "idle" }

            let last = try await space.peer.waitFor("session", of: "desk", "stopped") { $0.status == "stopped" }
            #expect(last.id.text == id)
            last.last.expect(["from": "kitchen", "op": "stop"])
            #expect(last.applied.items.count == 6)
        }
    }
}
