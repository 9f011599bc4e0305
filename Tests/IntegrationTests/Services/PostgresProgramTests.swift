// SPDX-License-Identifier: Apache-2.0

import Glibc
import Support
import Testing

/// Debt services with one ledger on a real PostgreSQL.
@Suite(.limitedConcurrency, .requires("postgresql", Postgres.isInstalled)) struct PostgresProgramTests {
    private static let environment = ["LOCKSTEP_DEBT_MINIMUM": "0"]

    private func with(_ body: (Postgres, Broker, Peer) async throws -> Void) async throws {
        try await Postgres.withServer { server in
            try await Broker.withBroker { broker in
                try await Peer.with(port: broker.port) { try await body(server, broker, $0) }
            }
        }
    }

    private func service(
        _ server: Postgres, _ broker: Broker, id: String = "debt", space: String = "home"
    ) throws -> DebtProgram {
        try DebtProgram(
            ["--zone", "UTC", "--space", space, "--ledger", server.url()], broker: broker.port, id: id,
            environment: Self.environment)
    }

    /// Runs `lockstep` on a machine that has nothing but the database.
    private func lockstep(_ arguments: String..., on server: Postgres) async throws -> CommandResult {
        try await CommandLine.run(arguments + ["--ledger", server.url()], environment: DebtKind.environment)
    }

    /// Returns the ids of the sessions in the ledger; a session that is twice in the ledger is listed twice.
    private func sessions(_ server: Postgres) async throws -> [String] {
        let history = try await lockstep("history", "--json", on: server)
        try #require(history.code == 0, "\(history)")
        return try history.output.split(separator: "\n").map { try JSON(String($0)).session.text ?? "" }.sorted()
    }

    private func send(_ record: JSON, _ peer: Peer, within limit: Duration = .seconds(60)) async throws {
        try await eventually("\(record.id) is kept", within: limit) {
            try await peer.publish("record", record, retain: false)
            return peer.ledgerAcks.flatMap { $0.records.items }.contains {
                $0.id == record.id && $0.outcome == "kept"
            }
        }
    }

    /// The services have the same id, or serve every space and so have no will at the broker.
    @Test(arguments: [("debt", "home"), ("attic", "+")])
    func anotherServiceTakesOverWithinTenSecondsOfAKill(id: String, space: String) async throws {
        try await with { server, broker, peer in
            let first = try service(server, broker, space: space)
            let second = try service(server, broker, id: id, space: space)
            try await first.start()
            try await send(JSON.record("s-1"), peer)
            try await peer.waitForDebt("its minutes") { $0.done == 1_500_000 && $0.by == "debt" }
            try await second.start(until: "stands by: debt on")
            let week = try await lockstep("debt", "--json", on: server)
            #expect(week.json.done == 1_500_000, "\(week)")
            let examined = try await CommandLine.run(
                ["examine", "--ledger", server.url()], program: "lockstep-debt", environment: DebtKind.environment)
            #expect(examined.output.contains("debt on "), "\(examined)")
            #expect(examined.output.contains(" serves"), "\(examined)")

            let turn = peer.debt.count
            let clock = ContinuousClock()
            let begin = clock.now
            try await first.kill()
            try await send(JSON.record("s-2", ago: 60, minutes: 5), peer, within: .seconds(10))
            try await eventually("its week", within: .seconds(10) - (clock.now - begin)) {
                peer.debt.count > turn && peer.debt.last?.done == 1_800_000
            }
            #expect(peer.debt.last?.by == .string(id))
            #expect(peer.debt[turn...].allSatisfy { ($0.done.int ?? 0) >= 1_500_000 }, "the feed fell: \(peer.debt)")
            #expect(try await sessions(server) == ["s-1", "s-2"])

            try await first.start(until: "stands by: \(id) on")
            try await send(JSON.record("s-3", ago: 30, minutes: 5), peer)
            try await peer.waitForDebt("all three") { $0.done == 2_100_000 }
            #expect(peer.debt[turn...].allSatisfy { $0.by == .string(id) })
            #expect(!first.log.contains("uses the id"), "one that stands by is not connected: \(first.log)")
            try await second.end()
            try await eventually("the first one has its turn: \(first.log)", within: .seconds(10)) {
                peer.debt.last?.by == "debt" && peer.latest("presence", of: "debt").online == true
            }
            try await first.end()
        }
    }

    @Test func nothingIsLostOrDoubledWhileServicesAndTheDatabaseAreKilled() async throws {
        try await with { server, broker, peer in
            let services = [try service(server, broker), try service(server, broker, id: "attic")]
            try await services[0].start()
            try await services[1].start(until: "stands by")
            let count = 300
            let records = (0..<count).map { JSON.record("s-\(1_000 + $0)", ago: 100, minutes: 1) }
            func waiting() -> [Int] {
                let items = peer.ledgerAcks.flatMap { $0.records.items }
                let kept = Set(items.filter { $0.outcome == "kept" }.compactMap(\.id.text))
                return (0..<count).filter { !kept.contains("s-\(1_000 + $0)") }
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                // As a node does, the peer sends each record until it has an answer.
                group.addTask {
                    var next = 20
                    try await eventually("all are kept", within: .seconds(300)) {
                        for index in waiting().prefix(next) {
                            try await peer.publish("record", records[index], retain: false)
                        }
                        next = min(next + 5, 100)
                        return waiting().isEmpty && next >= 100
                    }
                }
                for turn in 0..<2 {
                    let before = waiting().count
                    try await eventually("some are kept") { waiting().count < before || waiting().isEmpty }
                    if turn % 2 == 0 {
                        try await server.kill()
                        try await server.start()
                    } else {
                        let victim = services[0]
                        try await victim.kill()
                        try await victim.start(until: "ready")
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await sessions(server) == (0..<count).map { "s-\(1_000 + $0)" })
            // All ran in one minute, which counts once.
            try await peer.waitForDebt("the minute") { (60_000...120_000).contains($0.done.int ?? 0) }
            #expect(!peer.ledgerAcks.flatMap { $0.records.items }.contains { $0.outcome == "conflict" })
            for service in services { try await service.end() }
        }
    }

    @Test func aChangeOnAnotherMachineIsPublished() async throws {
        try await with { server, broker, peer in
            let debt = try service(server, broker)
            try await debt.start()
            try await send(JSON.record("s-1"), peer)
            try await peer.waitForDebt("its minutes") { $0.done == 1_500_000 }
            #expect(try await lockstep("debt", "delete", "s-1", on: server).code == 0)
            try await peer.waitForDebt("it is deleted") { $0.done == 0 }
            #expect(try await lockstep("debt", "correct", "s-1", "--label", "Deep", on: server).code == 0)
            try await peer.waitForDebt("it is back") { $0.done == 1_500_000 && $0.labels[0].label.name == "Deep" }
            try await lockstep(
                "debt", "add", "--from", "00:00", "--to", "00:10", "--day", "2026-01-05", on: server
            ).expect()
            let (backup, restore) = (
                try await lockstep("debt", "backup", "/tmp/none", on: server),
                try await lockstep("debt", "restore", "/dev/null", on: server)
            )
            for refused in [backup, restore] {
                #expect(refused.code != 0, "\(refused)")
                #expect(refused.errors.contains("back it up with pg_dump"), "\(refused)")
            }
            try await debt.end()
        }
    }

    @Test func aLostDatabaseIsReportedAndRecordsWait() async throws {
        try await with { server, broker, peer in
            let debt = try service(server, broker)
            try await debt.start()
            try await send(JSON.record("s-1"), peer)
            try await server.kill()
            try await eventually("it says so: \(debt.log)") { debt.log.contains("cannot be reached") }
            try await peer.waitFor("presence", of: "debt", "it is gone") { $0.online == false }
            let examined = try await CommandLine.run(["examine", "--ledger", server.url()], program: "lockstep-debt")
            #expect(examined.output.contains("cannot be reached"), "\(examined)")
            let shown = try await lockstep("debt", on: server)
            #expect(shown.code != 0, "\(shown)")
            #expect(shown.errors.contains("start it, or correct LOCKSTEP_LEDGER"), "\(shown)")
            try await peer.publish("record", JSON.record("s-2", ago: 60), retain: false)
            try await server.start()
            try await send(JSON.record("s-2", ago: 60), peer)
            #expect(try await sessions(server) == ["s-1", "s-2"])
            try await debt.end()
        }
    }

    @Test func aLedgerIsMovedEitherWay() async throws {
        try await with { server, broker, peer in
            let file = try DebtProgram(["--zone", "UTC"], broker: broker.port, environment: Self.environment)
            try await file.start()
            for index in 0..<5 { try await send(JSON.record("s-\(index)", ago: Int64(60 + index)), peer) }
            #expect(try await file.command("delete", "s-3").code == 0)
            let path = file.directory.file("state/ledger.sqlite")
            func move(_ from: String, _ to: String) async throws -> CommandResult {
                try await CommandLine.run(["debt", "move", from, to])
            }
            let running = try await move(path, server.url())
            #expect(running.code != 0, "its service runs: \(running)")
            try await file.end()
            let history = try await file.history("--csv").output
            let moved = try await move(path, server.url())
            // Five records, a correction and the rules of the week.
            moved.expect(says: "compared 7 rows")
            #expect(try await lockstep("history", "--csv", on: server).output == history)
            let again = try await move(path, server.url())
            #expect(again.code != 0, "\(again)")
            #expect(again.errors.contains("is not empty"), "\(again)")
            let debt = try service(server, broker)
            try await debt.start()
            try await peer.waitForDebt("the week of the database") { $0.by == "debt" }
            let back = file.directory.file("back.sqlite")
            let serving = try await move(server.url(), back)
            #expect(serving.code != 0, "\(serving)")
            #expect(serving.errors.contains("the service debt on"), "\(serving)")
            try await debt.end()
            try #require(try await move(server.url(), back).code == 0)
            let state = try TemporaryDirectory()
            rename(back, state.file("ledger.sqlite"))
            let copy = try await CommandLine.run(
                ["history", "--csv", "--state-dir", state.path], environment: DebtKind.environment)
            #expect(copy.output == history, "\(copy)")
        }
    }

    @Test func aPasswordInTheURLIsRefusedWithoutShowingIt() async throws {
        for url in ["postgresql://ada:secret@db/lockstep", "postgres://db/lockstep?user=ada&password=secret"] {
            for arguments in [["debt", "--ledger", url], ["debt", "move", url, "/tmp/none"]] {
                let refused = try await CommandLine.run(arguments).expect(2, errors: "?passfile=/PATH")
                #expect(!(refused.output + refused.errors).contains("secret"))
            }
        }
        try await CommandLine.run(["debt", "--ledger", "/tmp/ledger.sqlite"]).expect(2, errors: "LOCKSTEP_STATE_DIR")
    }
}
