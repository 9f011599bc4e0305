// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Mosquitto
import Support
import Testing

/// The ledger with floods, foreign files, takeovers and full disks.
@Suite(.limitedConcurrency) struct DebtLimitsTests {
    private static let environment = ["LOCKSTEP_DEBT_MINIMUM": "0"]
    private static let toggl =
        "User,Email,Client,Project,Task,Description,Billable,Start date,Start time,End date,End time,Duration,Tags\r\n"
        + "Me,me@example.com,,Deep,,Design,No,2026-03-10,09:00:00,2026-03-10,09:01:00,,\r\n"

    @Test func floodOfPresencesDelaysNoRecordOfAnotherNode() async throws {
        try await Space.with { space in
            try await DebtProgram.withService(
                ["--zone", "UTC"], broker: space.broker.port, environment: Self.environment
            ) { service in
                let peer = space.peer
                try await peer.waitForDebt("nothing done") { $0.done == 0 }
                // Each presence is of a new connection, and every other one says that the node is offline.
                let presences = (0..<5_000).map { index in
                    let payload: JSON = [
                        "v": 1, "online": .bool(index % 2 == 1), "conn": .string("c-\(10_000 + index)"), "role": "node",
                        "name": "Flood", "at": .number(now()), "clock": ["synced": true, "bound": 1],
                        "software": "test 1",
                    ]
                    return MQTTMessage(
                        topic: peer.topic("flood", "presence"), payload: payload.bytes, qos: .atLeastOnce, retain: true)
                }
                let records = (0..<500).map { index in
                    MQTTMessage(
                        topic: peer.topic("peer", "record"),
                        payload: JSON.record("s-\(index)", ago: 120 + Int64(index), minutes: 1).bytes, qos: .atLeastOnce
                    )
                }
                let mixed = presences.enumerated().flatMap { index, presence in
                    index % 10 == 0 ? [presence, records[index / 10]] : [presence]
                }
                try await peer.publishAll(mixed)
                try await eventually("each record is acknowledged") {
                    let kept = peer.ledgerAcks.flatMap(\.records.items).filter { $0.outcome == "kept" }
                    return Set(kept.compactMap(\.id.text)).count == 500
                }
                let comparisons = peer.ledgerAcks.count { $0.node == "flood" && $0.weeks != .null }
                #expect(comparisons <= 20, "one in five seconds")
            }
        }
    }

    @Test func slowServiceReportsItsBacklog() async throws {
        try await Space.with { space in
            try await DebtProgram.withService(
                ["--zone", "UTC"], broker: space.broker.port, environment: Self.environment
            ) { service in
                try await space.peer.waitForDebt("nothing done") { $0.done == 0 }
                let state = service.directory.file("state")
                // Another process locks the ledger, which is like a disk that hangs for seconds.
                let lock = try LedgerLock(state + "/ledger.sqlite")
                try await space.peer.publish("record", JSON.record("s-1"), retain: false)
                try await eventually("its log says so") { service.log.contains("cannot keep up") }
                lock.release()
                try await eventually("the doctor says so") {
                    let doctor = try await CommandLine.run(["examine", "--state-dir", state], program: "lockstep-debt")
                    return doctor.json.items.contains {
                        $0.check == "debt service" && $0.state == "wrong"
                            && $0.found.text?.contains("more records arrive") == true
                    }
                }
                try await space.peer.publish("record", JSON.record("s-1"), retain: false)
                try await space.peer.waitForAnswer("s-1", rev: 1, "kept")
            }
        }
    }

    @Test func invalidRecordsAreRefusedWithOneLogLine() async throws {
        try await Space.with { space in
            try await DebtProgram.withService(
                ["--zone", "UTC"], broker: space.broker.port,
                environment: Self.environment.merging(Preload.synchronised()) { $1 }
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

    @Test func importReadsAPipeAndRestoreRefusesAnEmptyFile() async throws {
        let ledger = try DebtProgram(["--zone", "UTC"], broker: nil)
        let file = try ledger.directory.write(
            try await ForeignExport.history(Self.toggl, zone: "UTC"), to: "history.csv")
        let words = [Program.path("lockstep"), "debt", "import", "-", "--state-dir", ledger.directory.file("state")]
        let imported = try await CommandLine.run(
            ["-c", "file=$0; cat \"$file\" | \"$@\"", file] + words, program: "/bin/sh")
        #expect(imported.code == 0, "\(imported)")
        #expect(imported.output.contains("Imported 1 session of 1 minute."), "\(imported)")
        let before = try await ledger.history("--json").output
        let empty = try ledger.directory.write("", to: "empty")
        for _ in 0..<2 {
            let refused = try await ledger.command("restore", empty)
            #expect(refused.code == 2, "\(refused)")
            #expect(refused.errors.contains("is not a ledger"), "\(refused)")
        }
        #expect(try await ledger.history("--json").output == before)
        #expect(!before.isEmpty)
        let names = try FileManager.default.contentsOfDirectory(atPath: ledger.directory.file("state"))
        #expect(!names.contains { $0.contains("before") }, "\(names)")
    }

    @Test(SmallDisk.canBeMounted, arguments: [true, false])
    func readOnlyLedgerIsStillRead(isReadOnly: Bool) async throws {
        let ledger = try DebtProgram(["--zone", "UTC"], broker: nil)
        try await SmallDisk.with(size: "2m", in: ledger.directory) { state in
            let file = try ledger.directory.write(
                try await ForeignExport.history(Self.toggl, zone: "UTC"), to: "history.csv")
            #expect(try await ledger.command("import", file).code == 0)
            if isReadOnly {
                try Self.leaveLog(of: state + "/ledger.sqlite")
                try SmallDisk.makeReadOnly(state, size: "2m")
            } else {
                SmallDisk.fill(state, block: 512)
            }
            let history = try await ledger.history("--json")
            #expect(history.code == 0, "\(history)")
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
    }
}

extension DebtLimitsTests {
    /// Leaves a write-ahead log, as a killed service does.
    fileprivate static func leaveLog(of ledger: String) throws {
        let writer = try LedgerLock(ledger, "UPDATE grdb_migrations SET identifier = identifier")
        for suffix in ["-wal", "-shm"] {
            try FileManager.default.copyItem(atPath: ledger + suffix, toPath: ledger + ".kept" + suffix)
        }
        // The end of the writer would empty the log.
        writer.release()
        for suffix in ["-wal", "-shm"] { rename(ledger + ".kept" + suffix, ledger + suffix) }
        var log = stat()
        #expect(stat(ledger + "-wal", &log) == 0)
        #expect(log.st_size > 0)
    }
}

/// A connection of this process, by default with a transaction that blocks other writers.
private final class LedgerLock {
    private typealias Open = @convention(c) (UnsafePointer<CChar>, UnsafeMutablePointer<OpaquePointer?>) -> Int32
    private typealias Execute =
        @convention(c) (OpaquePointer?, UnsafePointer<CChar>, OpaquePointer?, OpaquePointer?, OpaquePointer?) -> Int32
    private typealias Close = @convention(c) (OpaquePointer?) -> Int32
    private let library: UnsafeMutableRawPointer
    private var database: OpaquePointer?

    init(_ path: String, _ statement: String = "BEGIN IMMEDIATE") throws {
        guard let library = dlopen("libsqlite3.so.0", RTLD_NOW) else { throw Failed("there is no SQLite") }
        self.library = library
        let open: Open = try function("sqlite3_open")
        let execute: Execute = try function("sqlite3_exec")
        guard open(path, &database) == 0, execute(database, statement, nil, nil, nil) == 0 else {
            throw Failed("\(path) cannot be locked")
        }
    }

    private func function<Function>(_ name: String) throws -> Function {
        guard let symbol = dlsym(library, name) else { throw Failed("SQLite has no \(name)") }
        return unsafeBitCast(symbol, to: Function.self)
    }

    func release() {
        guard let close: Close = try? function("sqlite3_close"), close(database) == 0 else { return }
        database = nil
    }
}
