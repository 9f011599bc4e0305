// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GRDB
import Ledger
import Session
import Support
import Testing
import Wire

@testable import Debt

@Suite("Restoring a ledger", .cpuBound)
struct RestoreTests {
    private let directory: TemporaryDirectory
    private let home = SpaceID.home
    private var path: String { directory.file("ledger.sqlite") }

    init() throws { directory = try TemporaryDirectory() }

    private func makeLedger(_ name: String, sessions: Int) throws {
        let ledger = try LedgerStore(at: directory.file(name))
        let arrivals = try (0..<sessions).map { index in
            let record = try LedgerRecord.sample("\(name.first ?? "x")-\(index)", counter: index)
            return LedgerStore.Arrival(space: home, digested: DigestedRecord(record), at: 0)
        }
        _ = try ledger.file(arrivals)
        try ledger.close()
    }

    private func bytes(_ name: String) throws -> Data { try Data(contentsOf: URL(filePath: directory.file(name))) }

    private func count() throws -> Int {
        let ledger = try LedgerStore(at: path)
        let count = try ledger.entries(of: home, from: .distantPast, to: .distantFuture).count
        try ledger.close()
        return count
    }

    @Test func restoreKeepsEveryLedgerThatItReplaces() throws {
        try makeLedger("ledger.sqlite", sessions: 3)
        try makeLedger("backup", sessions: 1)
        let before = try bytes("backup")
        let first = try LedgerRestore(from: directory.file("backup"), to: path)
        #expect(first.spaces == [home])
        #expect(first.formerPath == path + ".before-1")
        #expect(try count() == 1)
        #expect(try LedgerRestore(from: directory.file("backup"), to: path).formerPath == path + ".before-2")
        #expect(try LedgerRestore(from: path + ".before-1", to: path).formerPath == path + ".before-3")
        #expect(try count() == 3)
        #expect(try bytes("backup") == before, "the backup is only read")
        #expect(!FileManager.default.fileExists(atPath: path + ".new"))
    }

    /// The name is so long that no `.before-1` fits behind it.
    @Test func aLedgerThatCannotBeRenamedIsNotReplaced() throws {
        let name = String(repeating: "l", count: 247)
        try makeLedger(name, sessions: 3)
        try makeLedger("backup", sessions: 1)
        let own = try bytes(name)
        #expect(throws: LedgerError.unusable(path: directory.file(name), "File name too long")) {
            try LedgerRestore(from: directory.file("backup"), to: directory.file(name))
        }
        #expect(try bytes(name) == own)
        #expect(!FileManager.default.fileExists(atPath: directory.file(name + ".new")))
    }

    @Test func failedRestoreChangesNothing() throws {
        try makeLedger("ledger.sqlite", sessions: 3)
        try makeLedger("none", sessions: 0)
        let own = try bytes("ledger.sqlite")
        let empty = try directory.write("", to: "empty")
        let text = try directory.write(String(repeating: "no database ", count: 1_000), to: "text")
        let other = try DatabaseQueue(path: directory.file("other"))
        try other.write { try $0.execute(sql: "CREATE TABLE song (name TEXT)") }
        try other.close()
        let foreign = try bytes("other")
        try makeLedger("later", sessions: 1)
        let later = try DatabaseQueue(path: directory.file("later"))
        try later.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('99')") }
        try later.close()
        let (otherPath, laterPath) = (directory.file("other"), directory.file("later"))
        for (file, error) in [
            (empty, LedgerError.foreign(path: empty)), (text, .foreign(path: text)),
            (otherPath, .foreign(path: otherPath)), (laterPath, .newer(path: laterPath)),
            (directory.file("none"), .empty(path: directory.file("none"))),
            (directory.path, .foreign(path: directory.path)),
        ] {
            #expect(throws: error) { try LedgerRestore(from: file, to: path) }
        }
        #expect(try bytes("ledger.sqlite") == own)
        #expect(try bytes("other") == foreign)
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(!names.contains { $0.contains(".before") || $0.contains(".new") })
    }

    @Test(arguments: [
        "CREATE TRIGGER late AFTER INSERT ON record BEGIN DELETE FROM record; END",
        "CREATE VIEW week AS SELECT * FROM record", "CREATE TABLE song (name TEXT)",
        "CREATE INDEX record_digest ON record (digest)", "DROP INDEX record_first", "DROP TABLE calm",
    ])
    func aBackupWithAnotherSchemaIsForeign(change: String) throws {
        try makeLedger("backup", sessions: 1)
        let backup = directory.file("backup")
        let database = try DatabaseQueue(path: backup)
        try database.write { try $0.execute(sql: change) }
        try database.close()
        #expect(throws: LedgerError.foreign(path: backup)) { try LedgerRestore(from: backup, to: path) }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test(arguments: [
        "UPDATE record SET json = zeroblob(1000000)", "UPDATE record SET json = 'text'", "UPDATE record SET rev = 'x'",
        "UPDATE record SET node = 'kitchen'", "UPDATE record SET last = last + 1", "UPDATE record SET space = 'No!'",
        "UPDATE record SET first_received = x'00'",
        "INSERT INTO correction VALUES ('home', 'c', 'b-0', 0, 0, 0, 0, '', NULL, NULL, zeroblob(9), 'desk')",
        "INSERT INTO correction VALUES ('home', 'c', 'b-0', 0, 0, 0, 'no', '', NULL, NULL, '[]', 'desk')",
        "INSERT INTO conflict VALUES ('home', 'b-0', 'desk', 1, 1, 'd', 0, zeroblob(9))",
        "INSERT INTO calm VALUES ('home', 'b-0', 'much', 0, 0)", "INSERT INTO gone VALUES ('home', 'desk', 'never')",
        "INSERT INTO rules VALUES (1, NULL, 420, 'UTC', 1, 0, 'focus', NULL, 0, 0)",
        "INSERT INTO rules VALUES (1, 0, 420, 'UTC', 9, 0, 'focus', NULL, 0, 0)",
        "INSERT INTO rules VALUES (1, 0, 420, 'Nowhere', 1, 0, 'focus', NULL, 0, 0)",
    ])
    func aBackupWithAnUnreadableRowIsDamaged(change: String) throws {
        try makeLedger("ledger.sqlite", sessions: 3)
        try makeLedger("backup", sessions: 1)
        let (backup, own) = (directory.file("backup"), try bytes("ledger.sqlite"))
        let database = try DatabaseQueue(path: backup)
        try database.write { try $0.execute(sql: change) }
        try database.close()
        let error = #expect(throws: LedgerError.self) { try LedgerRestore(from: backup, to: path) }
        let words = "\(try #require(error))"
        #expect(words.contains("the ledger \(backup) is damaged (it holds an unreadable"), "\(words)")
        #expect(try bytes("ledger.sqlite") == own)
    }

    /// An interrupted restore leaves a file of that name.
    @Test func aBackupWhereTheCopyIsMadeIsKept() throws {
        try makeLedger("ledger.sqlite.new", sessions: 2)
        let before = try bytes("ledger.sqlite.new")
        let backup = path + ".new"
        #expect(throws: LedgerError.unusable(path: backup, "it is where the copy is made; rename it first")) {
            try LedgerRestore(from: backup, to: path)
        }
        #expect(try bytes("ledger.sqlite.new") == before)
    }

    @Test func ledgerOfALaterVersionIsNotOpened() throws {
        try makeLedger("ledger.sqlite", sessions: 1)
        let later = try DatabaseQueue(path: path)
        try later.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('99')") }
        try later.close()
        #expect(throws: LedgerError.newer(path: path)) { try LedgerStore(at: path) }
        #expect(throws: LedgerError.newer(path: path)) { try LedgerStore.reading(at: path) }
    }

    @Test func restoringABackupDoesNotChangeIt() throws {
        try makeLedger("backup", sessions: 1)
        let before = try bytes("backup")
        #expect(try LedgerRestore(from: directory.file("backup"), to: path).formerPath == nil)
        #expect(try count() == 1)
        #expect(try bytes("backup") == before)
    }
}
