// SPDX-License-Identifier: Apache-2.0

import GRDB

/// A ledger in one SQLite file in WAL mode.
final class SQLiteDatabase: LedgerDatabase {
    private let name: String
    private let pool: DatabasePool

    /// Opens or creates the file, and checks its integrity. Errors name `name`.
    init(path: String, named name: String) throws {
        self.name = name
        var configuration = Configuration()
        configuration.prepareDatabase { database in
            // In WAL mode a commit is durable only with FULL.
            try database.execute(sql: "PRAGMA synchronous = FULL")
        }
        configuration.busyMode = .timeout(5)
        pool = try LedgerError.translating(name) {
            // Opening a pool changes the journal mode, so other databases are rejected before.
            if try LedgerCopy.size(of: path) > 0 {
                var reading = Configuration()
                reading.readonly = true
                reading.busyMode = .timeout(5)
                let queue = try DatabaseQueue(path: path, configuration: reading)
                try queue.read { try LedgerSchema.check($0, named: name) }
                try queue.close()
            }
            let pool = try DatabasePool(path: path, configuration: configuration)
            try LedgerSchema.migrations.migrate(pool)
            let found = try pool.read { try String.fetchAll($0, sql: "PRAGMA quick_check(10)") }
            guard found == ["ok"] else { throw LedgerError.damaged(path: name, found.joined(separator: "; ")) }
            return pool
        }
    }

    func write<Value>(_ body: (any LedgerConnection) throws -> Value) throws -> Value {
        try LedgerError.translating(name) { try pool.write { try body(SQLiteConnection(database: $0)) } }
    }

    func read<Value>(_ body: (any LedgerConnection) throws -> Value) throws -> Value {
        try LedgerError.translating(name) { try pool.read { try body(SQLiteConnection(database: $0)) } }
    }

    func hasOwnSchema() throws -> Bool { try LedgerError.translating(name) { try pool.read(LedgerSchema.isOwn) } }

    /// Checks that each value has the type of its column, which SQLite does not enforce.
    func checkTypes() throws {
        for table in LedgerSchema.tables + ["problem"] {
            for column in try pool.read({ try $0.columns(in: table) }) {
                let types =
                    "'\(column.type.lowercased())'" + (column.isNotNull || column.primaryKeyIndex > 0 ? "" : ", 'null'")
                let wrong = try read {
                    try $0.rows("SELECT 1 FROM \(table) WHERE typeof(\(column.name)) NOT IN (\(types)) LIMIT 1")
                }
                guard wrong.isEmpty else { throw LedgerError.unreadable("\(column.name) in the table \(table)") }
            }
        }
    }

    /// Closes the file after a checkpoint that empties its log, if it can be written.
    func close() throws {
        try LedgerError.translating(name) {
            _ = try pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
            try pool.close()
        }
    }

    /// Copies the ledger into a new file, while others may read and write. A failed copy is removed.
    func backUp(to file: String) throws {
        do {
            try LedgerError.translating(file) {
                let copy = try DatabaseQueue(path: file)
                try pool.backup(to: copy)
                try copy.close()
            }
        } catch {
            LedgerCopy.remove(file)
            throw error
        }
    }
}

/// A transaction on SQLite.
private struct SQLiteConnection: LedgerConnection {
    var database: Database

    func run(_ sql: String, for lists: [LedgerArguments], each: (LedgerRow) throws -> Void) throws -> Int {
        let statement = try database.cachedStatement(sql: sql)
        var changes = 0
        for list in lists {
            let rows = try Row.fetchCursor(statement, arguments: StatementArguments(list))
            while let row = try rows.next() { try each(LedgerRow(values: Array(row.databaseValues))) }
            changes += database.changesCount
        }
        return changes
    }
}
