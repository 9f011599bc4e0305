// SPDX-License-Identifier: Apache-2.0

import Glibc
import Mosquitto
import Session
import Support
import Testing

/// The history, imports and `lockstep doctor` on the ledger of a running service.
@Suite(.limitedConcurrency) struct DebtHistoryTests {
    private static let toggl =
        "User,Email,Client,Project,Task,Description,Billable,Start date,Start time,End date,End time,Duration,Tags\r\n"

    private static func row(_ from: String, _ to: String, _ project: String = "Deep") -> String {
        "Me,me@example.com,,\(project),,\"Design, round 2\",No,2026-03-10,\(from),2026-03-10,\(to),,\r\n"
    }

    @Test func aSessionThatIsAddedByHandCountsAtOnce() async throws {
        try await Space.with { space in
            try await DebtProgram.withService(["--zone", "UTC"], broker: space.broker.port) { service in
                try await space.peer.waitForDebt("nothing done") { $0.done == 0 }
                let day = "\(LocalTime(at: now() - 7 * LocalTime.dayLength, offset: 0).date)"
                func add(_ from: String, _ to: String, _ day: String) async throws -> CommandResult {
                    try await service.command(
                        "add", "--title", "Reading", "--label", "Study", "--from", from, "--to", to, "--day", day)
                }
                let added = try await add("09:00", "09:50", day)
                #expect(added.output.hasPrefix("Added 50 minutes as session "), "\(added)")
                let row = try JSON(try await service.history("--json").output)
                row.expect(["title": "Reading", "label": "Study", "ran": 3_000_000])
                try await eventually("its minutes") {
                    space.peer.serviceMessages(on: "feed/debt/year").last?.days.items.contains(50) == true
                }
                let more = try await add("09:30", "10:30", day)
                #expect(more.output.contains(". 40 of them are new; "), "\(more)")
                try await add("09:00", "09:50", "2199-03-10").expect(2, errors: "after the present")
            }
        }
    }

    @Test func importedRowsCountOnceAndAreExported() async throws {
        try await Space.with { space in
            try await DebtProgram.withService(["--zone", "Europe/Berlin"], broker: space.broker.port) { service in
                try await space.peer.waitForDebt("nothing done") { $0.done == 0 }
                let text = Self.toggl + Self.row("09:00:00", "10:30:00") + Self.row("10:00:00", "11:00:00", "Email")
                let file = try service.directory.write(
                    try await ForeignExport.history(text, zone: "Europe/Berlin"), to: "history.csv")
                let dry = try await service.command("import", file, "--dry-run", "--json").expect()
                dry.json.expect(["imported": 2, "milliseconds": 9_000_000])
                #expect(try await service.history("--json").output.isEmpty)
                try await service.command("import", file).expect(says: "2 sessions of 150 minutes")
                let again = try await service.command("import", file, "--json")
                again.json.expect(["imported": 0, "known": 2])
                let history = try await service.history("--json").output.split(separator: "\n").map {
                    try JSON(String($0))
                }
                #expect(history.map(\.node.text) == ["imported-toggl", "imported-toggl"])
                #expect(history.map(\.label.text) == ["Deep", "Email"])
                #expect(try await service.history("--label", "Email").output.contains("on imported-toggl"))
                #expect(try await service.history("--since", "2026-03-11", "--label", "Email").expect().output.isEmpty)
                try await service.history("--label", "Emial").expect(
                    2, errors: "no session has it; there are Deep, Email")
                try await service.history("Email").expect(2, errors: "lockstep history --label Email")
                #expect(try await service.history("--csv", "--ical").code == 2)
                // An imported session is corrected and deleted like any other.
                let (first, second) = (history[0].session.text ?? "", history[1].session.text ?? "")
                #expect(try await service.command("correct", first, "--title", "=Design").code == 0)
                try await service.command("correct", first, "--to", "2026-03-10T08:00").expect(
                    2, errors: "before it begins")
                #expect(try await service.command("delete", second).code == 0)
                try await service.command("delete", second).expect(says: "Already removed 2026-03-10T10:00")
                #expect(try await service.command("import", file, "--json").json.known == 2)
                let csv = try await service.history("--csv")
                #expect(csv.output.split(separator: "\n").count == 5, "\(csv)")

                let copy = try DebtProgram(["--zone", "Europe/Berlin"], broker: nil)
                let exported = try copy.directory.write(csv.output, to: "history.csv")
                try await copy.command("import", exported).expect(says: "2 sessions", "2 corrections")
                // A ledger without a service follows the settings.
                let told = try await CommandLine.run(
                    ["history", "--csv", "--state-dir", copy.directory.file("state")],
                    environment: ["LOCKSTEP_DEBT_ZONE": "Europe/Berlin"])
                #expect(told.output == csv.output, "\(told)")
            }
        }
    }

    /// On 2026-10-25 the clocks go from 03:00 back to 02:00. The session is in the second of the two hours.
    @Test func aCorrectedEndIsInTheHourOfTheSession() async throws {
        let ledger = try DebtProgram(["--zone", "Europe/Berlin"], broker: nil)
        func run(_ arguments: String...) async throws -> CommandResult {
            try await CommandLine.run(
                arguments + ["--state-dir", ledger.directory.file("state")],
                environment: ["LOCKSTEP_DEBT_ZONE": "Europe/Berlin"])
        }
        let row = "Me,me@x,,P,,D,No,2026-10-25,02:10:17,2026-10-25,03:30:00,01:19:43,\r\n"
        let file = try ledger.directory.write(
            try await ForeignExport.history(Self.toggl + row, zone: "Europe/Berlin"), to: "history.csv")
        #expect(try await run("debt", "import", file).code == 0)
        let session = try await run("history", "--json").json.session.text ?? ""
        try await run("debt", "correct", session, "--to", "2026-10-25T02:50", "--label", " Deep ").expect()
        let shorter = try await run("history", "--json").json
        #expect(shorter.from == 1_792_890_617_000)
        #expect(shorter.to == .number(1_792_890_617_000 + 2_383_000), "the end is in the same hour, \(shorter)")
        #expect(shorter.label == "Deep")
    }

    @Test func historyMarksTimeThatCountsForOtherSessions() async throws {
        let ledger = try DebtProgram(["--zone", "Europe/Berlin"], broker: nil)
        let text = Self.toggl + Self.row("09:00:00", "11:26:00") + Self.row("10:00:00", "11:00:00", "Email")
        let file = try ledger.directory.write(
            try await ForeignExport.history(text, zone: "Europe/Berlin"), to: "history.csv")
        #expect(try await ledger.command("import", file).code == 0)
        let history = try await ledger.history().output
        #expect(history.contains("86m of 146m  Design"), "\(history)")
        #expect(history.contains("the rest counts for other sessions"), "\(history)")
        #expect(history.contains("60m  Design"), "\(history)")
        #expect(try await ledger.history("--json").output.contains(#""ran":8760000"#))
    }

    @Test func anEndlessFileIsRefused() async throws {
        let ledger = try DebtProgram(["--zone", "UTC"], broker: nil)
        let command = "\(Program.path("lockstep-debt")) import - --state-dir \(ledger.directory.file("state"))"
        let output = ledger.directory.file("output")
        let child = try Spawn.start(
            ["/bin/sh", "-c", "yes Description,Start | \(command)"],
            environment: Program.environment(home: ledger.directory.path), output: output)
        #expect(try await Spawn.end(of: child, "it ends") == 2)
        #expect(ledger.directory.read("output").contains("larger than 128 MB"))
    }

    @Test func invalidRowStopsTheImport() async throws {
        let ledger = try DebtProgram(["--zone", "UTC"], broker: nil)
        let good = try await ForeignExport.history(
            Self.toggl + Self.row("09:00:00", "10:30:00") + Self.row("11:00:00", "12:00:00"), zone: "UTC")
        var lines = good.split(separator: "\n").map(String.init)
        lines.insert(lines[1].replacing(",completed,", with: ",nap,").replacing("toggl-", with: "nap-"), at: 2)
        let file = try ledger.directory.write(lines.joined(separator: "\n"), to: "history.csv")
        let refused = try await ledger.command("import", file).expect(2)
        #expect(refused.output.isEmpty, "\(refused)")
        #expect(refused.errors.contains("\(file): line 3, status: “nap”"))
        let advice = "1 row cannot be read; nothing was imported. --skip-bad skips it"
        #expect(refused.errors.contains(advice), "\(refused)")
        #expect(try await ledger.history("--json").output.isEmpty)
        let taken = try await ledger.command("import", file, "--skip-bad", "--json").expect()
        #expect(taken.json.imported == 2, "\(taken)")
        #expect(
            taken.json.skipped == [
                ["line": 3, "column": "status", "reason": "“nap” is not the status of a session"]
            ])
        #expect(try await ledger.command("import", "/nonexistent").code == 2)
        #expect(try await ledger.command("history").code == 2, "the command has one name")
    }

    @Test func doctorNamesProblemsAndFixes() async throws {
        try await Space.with("desk") { space in
            let socket = space["desk"].socket.path
            try await space["desk"].waitFor("a connection") { $0.linked == true }
            try await DebtProgram.withService(["--zone", "UTC"], broker: space.broker.port) { service in
                try await space["desk"].waitFor("the debt") { $0.debtMinutes == 420 }
                let well = try await service.doctor("--socket", socket, "--json").expect()
                #expect(well.json.items.allSatisfy { $0.state == "ok" }, "\(well)")
                #expect(
                    well.json.items.map(\.check.text) == [
                        "settings", "node", "broker", "disk", "clocks", "weekly debt", "ledger", "debt service",
                        "conflicts",
                    ])
                try await space.peer.publish("record", JSON.record("s-1", minutes: 20), retain: false)
                try await space.peer.waitForAnswer("s-1", rev: 1, "kept")
                try await space.peer.publish("record", JSON.record("s-1", minutes: 21, digest: "d2"), retain: false)
                try await space.peer.waitForAnswer("s-1", rev: 1, "conflict")
                try await service.doctor("--socket", socket).expect(3, says: "WRONG conflicts", "s-1")
                #expect(try await service.command("correct", "s-1").code == 0)
                let repaired = try await service.doctor("--socket", socket).expect()
                #expect(!repaired.output.contains("WRONG"), "\(repaired)")
                try await service.end()
                try await service.doctor("--socket", socket).expect(
                    3, says: "WRONG debt service", "WRONG weekly debt", "its service debt is offline")
                let said: JSON = ["v": 1, "minutes": 3_000, "at": .number(now() - 3_000 * 60_000)]
                try await space.peer.publish(feed: "debt", said.bytes)
                try await space["desk"].waitFor("an old debt") { $0.debtMinutes == 3_000 }
                let old = try await service.doctor("--socket", socket)
                #expect(old.output.contains("last update 50h"), "\(old)")
            }
        }
    }
}
