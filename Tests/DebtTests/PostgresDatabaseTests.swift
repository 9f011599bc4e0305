// SPDX-License-Identifier: Apache-2.0

import Ledger
import Session
import Support
import Testing
import Wire

@testable import Debt

/// The properties that only a database of several services has. Its locks are those of all schemas.
@Suite("A ledger on PostgreSQL", .cpuBound, .serialized, .onBothStores)
struct PostgresDatabaseTests {
    private let directory: TemporaryDirectory
    private let (home, studio): (SpaceID, SpaceID)
    private let (debt, attic): (NodeID, NodeID)

    init() throws {
        directory = try TemporaryDirectory()
        home = SpaceID.home
        studio = try #require(SpaceID("studio"))
        debt = try #require(NodeID("debt"))
        attic = try #require(NodeID("attic"))
    }

    /// Opens the same database once more; `nil` while a test runs with files.
    private func open() throws -> PostgresDatabase? {
        Store.isShared ? try PostgresDatabase(Store.place(in: directory)) : nil
    }

    @Test func oneServiceHasTheLockOfASpace() throws {
        guard let first = try open(), let second = try open() else { return }
        #expect(try first.claim(home, for: "debt on hall", as: debt) == nil)
        #expect(try second.claim(home, for: "attic on roof", as: attic) == "debt on hall")
        #expect(try second.server(of: home) == "debt on hall")
        #expect(try second.claim(studio, for: "attic on roof", as: attic) == nil)
        #expect(try second.server(of: nil) != nil)
        let every = try #require(try open())
        #expect(try every.claim(nil, for: "all", as: debt) != nil)
        #expect(try first.servers(of: home) == [debt])
        #expect(try first.servers(of: studio) == [attic])
    }

    @Test func aServiceOfEverySpaceExcludesAllOthers() async throws {
        guard var every = try open(), let second = try open() else { return }
        #expect(try every.claim(nil, for: "all on hall", as: debt) == nil)
        #expect(try second.claim(home, for: "attic on roof", as: attic) == "all on hall")
        #expect(try second.server(of: studio) == "all on hall")
        #expect(try second.servers(of: home) == [debt])
        // Its connection ends with it.
        every = second
        try await eventually("the lock is free") { try second.claim(home, for: "attic on roof", as: attic) == nil }
        #expect(try second.servers(of: home) == [debt, attic])
    }

    @Test func aLockThatIsLostIsNoticed() async throws {
        guard let first = try open(), let second = try open() else { return }
        #expect(try first.claim(home, for: "debt on hall", as: debt) == nil)
        #expect(try !first.poll())
        try second.notifyServices()
        try await eventually("the notification arrives") { try first.poll() }
        try PostgresConnection(Store.place(in: directory)).command(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'debt on hall'")
        let error = await #expect(throws: LedgerError.self) {
            try await eventually("the connection is lost") {
                _ = try first.read { try $0.rows("SELECT 1") }
                return false
            }
        }
        guard case .lost = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(throws: LedgerError.self) { try first.write { try $0.run("DELETE FROM gone") } }
        #expect(try second.claim(home, for: "attic on roof", as: attic) == nil)
    }

    @Test(arguments: [
        ("CREATE TABLE record (name TEXT)", false), ("CREATE TABLE ledger_version (number BIGINT)", false),
        ("UPDATE ledger_version SET number = 99", true),
    ])
    func anotherDatabaseIsNotChanged(change: String, isLater: Bool) throws {
        guard Store.isShared else { return }
        let place = try Store.place(in: directory)
        if isLater { try LedgerStore(at: place).close() }
        try PostgresConnection(place).command(change)
        #expect(throws: isLater ? LedgerError.newer(path: place) : .foreign(path: place)) { try LedgerStore(at: place) }
    }

    @Test func aFailedTransactionChangesNothing() throws {
        let ledger = try LedgerStore(at: Store.place(in: directory))
        #expect(throws: LedgerError.self) {
            try ledger.write { connection in
                try connection.run("INSERT INTO gone VALUES ('home', 'desk', 1)")
                try connection.run(
                    "INSERT INTO gone VALUES ($1, $2, $3)",
                    for: [["home", "hall", 1], ["home", "desk", 1], ["home", "pi", 1]]
                ) { _ in }
            }
        }
        #expect(try ledger.gone(of: home).isEmpty)
        #expect(try ledger.noteAbsences([(debt, 5)], in: home))
        #expect(try ledger.gone(of: home) == [debt: 5])
    }

    @Test func everythingIsMovedAndCompared() throws {
        let source = try LedgerStore(at: directory.file("from.sqlite"))
        for arrival in Story(seed: 7).arrivals { try source.take(arrival, in: home, at: 3) }
        _ = try source.adopt(WeekRules(zone: .utc), at: 0)
        _ = try source.adopt(WeekRules(goal: 60, zone: .utc), at: 5)
        _ = try source.noteAbsences([(debt, 5)], in: home)
        let target = try LedgerStore(at: Store.place("to.sqlite", in: directory))
        let moved = try LedgerMove(from: source, to: target)
        let entries = try source.entries(of: home, from: .distantPast, to: .distantFuture)
        // The other rows are two rules of the week and a node that is gone; corrections come on top.
        #expect(moved.rows >= entries.count + 3)
        #expect(Set(try target.entries(of: home, from: .distantPast, to: .distantFuture)) == Set(entries))
        #expect(try target.adopt(WeekRules(goal: 90, zone: .utc), at: 9).items.count == 3)
        #expect(throws: LedgerError.notEmpty(path: target.place)) { try LedgerMove(from: source, to: target) }
        let back = try LedgerStore(at: directory.file("back.sqlite"))
        #expect(try LedgerMove(from: target, to: back) != moved, "a rule was added")
        try back.readAll()
    }
}
