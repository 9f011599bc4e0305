// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Support
import Testing

/// The ledger with invalid records and full disks.
@Suite(.limitedConcurrency) struct DebtLimitsTests {
    private static let toggl =
        "User,Email,Client,Project,Task,Description,Billable,Start date,Start time,End date,End time,Duration,Tags\r\n"
        + "Me,me@example.com,,Deep,,Design,No,2026-03-10,09:00:00,2026-03-10,09:01:00,,\r\n"

    @Test func invalidRecordsAreRefusedWithFewLogLines() async throws {
        try await Space.with { space in
            try await DebtProgram.withService(
                ["--zone", "UTC"], broker: space.broker.port, environment: Preload.synchronised()
            ) { service in
                let peer = space.peer
                try await peer.waitForDebt("nothing done") { $0.done == 0 }
                let minutesOfYears: Int64 = 40 * 365 * 1_440
                try await peer.publish("record", JSON.record("s-old", ago: minutesOfYears), retain: false)
                try await peer.publish("record", JSON.record("s-new", ago: -minutesOfYears), retain: false)
                try await peer.waitForAnswer("s-old", rev: 1, "refused")
                try await peer.waitForAnswer("s-new", rev: 1, "refused")
                for index in 0..<200 {
                    var broken = JSON.record("s-\(index)")
                    broken.runs = [["nap", 1, 2]]
                    try await peer.publish("record", broken, retain: false)
                }
                try await peer.waitForAnswer("s-199", rev: 1, "refused")
                let lines = service.log.split(separator: "\n").filter { $0.contains("a record cannot be kept") }
                #expect(lines.count <= 2, "\(lines)")
                #expect(try await service.history("--json").output.isEmpty)
            }
        }
    }

    @Test(SmallDisk.requiresMount, arguments: [true, false])
    func aLedgerThatCannotBeWrittenIsStillRead(isReadOnly: Bool) async throws {
        let broker = try await Broker()
        try await broker.start()
        let ledger = try DebtProgram(["--zone", "UTC"], broker: broker.port)
        try await SmallDisk.with(size: "2m", in: ledger.directory) { state in
            let file = try ledger.directory.write(
                try await ForeignExport.history(Self.toggl, zone: "UTC"), to: "history.csv")
            #expect(try await ledger.command("import", file).code == 0)
            if isReadOnly {
                // A killed service leaves a write-ahead log.
                try await ledger.start()
                try await ledger.kill()
                #expect(try Data(contentsOf: URL(filePath: state + "/ledger.sqlite-wal")).count > 0)
                try SmallDisk.makeReadOnly(state, size: "2m")
            } else {
                SmallDisk.fill(state, block: 512)
            }
            let history = try await ledger.history("--json").expect()
            #expect(history.json.title == "Design", "\(history)")
            #expect(try await ledger.command("show").code == 0)
            let copy = ledger.directory.file("copy")
            #expect(try await ledger.command("backup", copy).code == 0)
            let session = history.json.session.text ?? ""
            let written = try await ledger.command("correct", session, "--title", String(repeating: "x", count: 160))
            #expect(written.code != 0, "\(written)")
            #expect(written.errors.contains("cannot be written"), "\(written)")
            #expect(!written.errors.contains("SQLite"), "\(written)")
            let restored = try await ledger.command("restore", copy)
            #expect(restored.code != 0, "\(restored)")
            #expect(!restored.errors.contains("SQLite"), "\(restored)")
            #expect(try await ledger.history("--json").json.title == "Design")
            let doctor = try await CommandLine.run(
                ["examine", "--state-dir", state], program: "lockstep-debt")
            #expect(doctor.json.items.contains { $0.check == "ledger" && $0.state == "wrong" }, "\(doctor)")
        }
        try await broker.kill()
    }

    @Test(SmallDisk.requiresMount) func aLedgerThatAKilledServiceLeftOnAFullDiskIsReadWithoutAnError() async throws {
        try await Space.with { space in
            let ledger = try DebtProgram(["--zone", "UTC"], broker: space.broker.port)
            try await SmallDisk.with(size: "2m", in: ledger.directory) { state in
                try await ledger.start()
                try await space.peer.publish("record", JSON.record("s-kept"), retain: false)
                try await space.peer.waitForAnswer("s-kept", rev: 1, "kept")
                try await ledger.kill()
                SmallDisk.fill(state, block: 512)
                let history = try await ledger.history("--json").expect()
                #expect(history.json.session == "s-kept", "\(history)")
                #expect(try await ledger.command("show").code == 0)
            }
        }
    }
}
