// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Mosquitto
import Support
import Testing

/// The debt service with a real broker, real nodes and a ledger on disk.
@Suite(.limitedConcurrency) struct DebtProgramTests {
    private static let arguments = ["--zone", "UTC"]
    /// Lets sessions of a second count.
    private static let environment = ["LOCKSTEP_DEBT_MINIMUM": "0"]

    /// The files of waiting or acknowledged records.
    private func records(_ folder: String, of node: NodeProcess) -> [String] {
        let path = node.directory.file("state/" + folder)
        return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    @Test func sessionCountsDuringItsRunAndAfterwards() async throws {
        try await Space.with("desk") { space in
            try await DebtProgram.withService(
                Self.arguments, broker: space.broker.port, environment: Self.environment
            ) { service in
                let empty = try await space.peer.waitForDebt("nothing done") { $0.done == 0 }
                empty.expect(["minutes": 420, "goal": 420, "until": .null])
                #expect((empty.days.items.count) == 7)
                #expect((empty.to.int ?? 0) - (empty.from.int ?? 0) == 604_800_000)
                let desk = space["desk"]
                try await desk.waitFor("the debt") { $0.debtMinutes == 420 }
                let session = try desk.begin()
                let running = try await space.peer.waitForDebt("it runs") { $0.until.int != nil }
                let register = try await space.peer.waitFor("session", of: "desk", "it") { $0.id.text == session }
                #expect(abs((running.until.int ?? 0) - (register.endsAt.int ?? 0)) < 60_000)
                // The debt falls with each minute.
                try await desk.waitFor("the debt") { (410...420).contains($0.debtMinutes.int ?? 0) }
                try await desk.lockstep("correct", "--title", "Writing", "--label", "Work").expect()
                let labelled = try await space.peer.waitForDebt("its label") { $0.labels[0].label.name == "Work" }
                #expect(labelled.labels.items.count == 1, "the time before is on the new label too")
                #expect(try await desk.lockstep("stop").code == 0)
                let stopped = try await space.peer.waitForDebt("it has ended") { $0.until == .null }
                #expect((stopped.done.int ?? 0) > 0)
                #expect(stopped.labels.items.count == 1)
                try await eventually("it is acknowledged") { desk.recordsWaiting == 0 }
                let shown = try await service.command("--json").expect()
                #expect(shown.json.done == stopped.done)
                #expect(shown.json.debt == stopped.minutes)
                let history = try await service.history("--json")
                history.json.expect(["session": .string(session), "title": "Writing"])
                #expect(history.json.label == "Work", "\(history.json)")
                #expect(try await service.history("--csv").output.contains(",focus,Writing,"))
                #expect(try await service.history("--ical").output.contains("SUMMARY:Writing"))
                // A deletion is published at once.
                #expect(try await service.command("delete", session).code == 0)
                try await space.peer.waitForDebt("it is deleted") { $0.done == 0 }
                #expect(try await service.history("--json").output.isEmpty)
                // A correction restores it.
                #expect(try await service.command("correct", session, "--label", "Deep").code == 0)
                let back = try await space.peer.waitForDebt("it is back") { $0.done == stopped.done }
                #expect(back.labels[0].label.name == "Deep")
                #expect(try await service.command("delete", "nothing").code == 2)
            }
        }
    }

    /// A session of 25 minutes that goes on.
    @Test func overtimeCountsWhileItRunsAndAfterwards() async throws {
        try await Space.with { space in
            try await DebtProgram.withService(Self.arguments, broker: space.broker.port) { service in
                try await space.peer.waitForDebt("nothing done") { $0.done == 0 }
                var record = JSON.record("s-1", ago: 40)
                let (from, limit) = (record.startedAt.int ?? 0, Int64(25 * 60_000 + 12 * 3_600_000))
                record.status = "running"
                record.runs = [["focus", .number(from), .null]]
                record.endsAt = .number(from + limit)
                try await space.peer.publish("record", record, retain: false)
                let running = try await space.peer.waitForDebt("it runs") { $0.until == .number(from + limit) }
                #expect((running.done.int ?? 0) >= 2_400_000)
                var ended = JSON.record("s-1", rev: 2, ago: 40, minutes: 38, digest: "d2")
                ended.over = 780_000
                try await space.peer.publish("record", ended, retain: false)
                try await space.peer.waitForDebt("it has ended") { $0.until == .null && $0.done == 2_280_000 }
                let text = try await service.history().output
                #expect(text.contains("  38m (+13 min)  Elsewhere"), "\(text)")
            }
        }
    }

    /// Records from while the service is killed reach it later, also those of offline sessions.
    @Test func recordsWaitForTheService() async throws {
        try await Space.with("desk") { space in
            let desk = space["desk"]
            let service = try DebtProgram(
                Self.arguments, broker: space.broker.port, environment: Self.environment)
            try await service.start()
            let first = try desk.begin()
            try await space.peer.waitForDebt("it runs") { $0.until.int != nil }
            try await service.kill()
            #expect(try await desk.lockstep("stop").code == 0)
            // A start ends the earlier session of the same node.
            let second = try desk.begin()
            let third = try desk.begin(["title": "Writing", "seconds": 1500])
            #expect(try await desk.lockstep("stop").code == 0)
            try await eventually("the records wait") {
                // The journal holds the record of the last session.
                records("outbox", of: desk).count == 2 && desk.recordsWaiting == 3
            }
            try await desk.kill()
            try await desk.start()
            try await service.start()
            try await eventually("all is acknowledged; \(service.log)") {
                desk.recordsWaiting == 0
            }
            let history = try await service.history("--json").output.split(separator: "\n").map {
                try JSON(String($0))
            }
            #expect(Set(history.map(\.session.text)) == [first, second, third])
            #expect(
                Dictionary(uniqueKeysWithValues: history.map { ($0.session.text, $0.status.text) })[second]
                    == "superseded")
            let week = try await space.peer.waitForDebt("nothing runs") { $0.until == .null && $0.done != 0 }
            #expect(week.labels.items.count == 1)
            try await service.end()
        }
    }

    /// Nodes send the records again that a backup lacks.
    @Test func restoredLedgerIsFilledAgain() async throws {
        try await Space.with("desk") { space in
            let desk = space["desk"]
            let service = try DebtProgram(
                Self.arguments, broker: space.broker.port, environment: Self.environment)
            try await service.start()
            try desk.begin()
            #expect(try await desk.lockstep("stop").code == 0)
            try await eventually("it is acknowledged") { desk.recordsWaiting == 0 }
            let file = service.directory.file("backup")
            #expect(try await service.command("backup", file).code == 0)
            #expect(try await service.command("backup", file).code == 2, "backup overwrites no file")
            let later = try desk.begin()
            #expect(try await desk.lockstep("stop").code == 0)
            #expect(records("recorded", of: desk).count == 1)
            #expect(records("outbox", of: desk).isEmpty)
            try await eventually("it is acknowledged") { desk.recordsWaiting == 0 }
            #expect(try await service.command("restore", file).code == 2, "the service runs")
            try await service.end()
            try await service.command("restore", file).expect()
            #expect(!(try await service.history("--json")).output.contains(later))
            try await service.start()
            try await eventually("it is there again; \(service.log)") {
                try await service.history("--json").output.contains(later)
            }
            try await eventually("it is acknowledged") { desk.recordsWaiting == 0 }
            try await service.end()
            try await space.peer.waitFor("presence", of: "debt", "its goodbye") { $0.online == false }
        }
    }
}
