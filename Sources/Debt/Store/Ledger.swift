// SPDX-License-Identifier: Apache-2.0

import GRDB
import Glibc

/// The ledger on disk: the records of nodes, the corrections of persons, and the rules of the week. It is one SQLite
/// file in WAL mode. The service writes it, and so do the commands `correct`, `delete` and `import`, also while the
/// service runs. Every call is one transaction, and durable when it returns. All calls throw ``LedgerError``.
package final class Ledger: Sendable {
    package let path: String
    /// Why a copy of the file is used; `nil` if the file itself is. Writing to a copy throws this error.
    package let unwritable: LedgerError?
    private let copy: LedgerCopy?
    private let database: DatabasePool

    /// Opens or creates the file, and checks its integrity.
    /// - Throws: ``LedgerError`` if it is damaged, no ledger, of a later version, or unusable. It is unchanged then.
    package convenience init(path: String) throws { try self.init(path: path, copy: nil, because: nil) }

    private init(path: String, copy: LedgerCopy?, because reason: LedgerError?) throws {
        self.path = path
        self.copy = copy
        unwritable = reason
        database = try Self.open(copy?.path ?? path, named: path)
    }

    /// Opens a copy of a ledger. Errors name the original.
    init(copy: String, named original: String) throws {
        path = original
        self.copy = nil
        unwritable = nil
        database = try Self.open(copy, named: original)
    }

    /// Opens the file for reading. If it cannot be written, for example on a full disk, a copy in memory is opened.
    package static func reading(path: String) throws -> Ledger {
        do {
            // If the log exists, SQLite opens a read-only file without an error.
            guard access(path, F_OK) != 0 || access(path, W_OK) == 0 else { throw LedgerError.readOnly(path: path) }
            return try Ledger(path: path)
        } catch let error as LedgerError {
            switch error {
            case .readOnly, .full, .unusable: break
            case .damaged, .foreign, .newer, .empty, .unreadable: throw error
            }
            guard let copy = try? LedgerCopy(of: path) else { throw error }
            return try Ledger(path: path, copy: copy, because: error)
        }
    }

    private static func open(_ path: String, named name: String) throws -> DatabasePool {
        var configuration = Configuration()
        configuration.prepareDatabase { database in
            // In WAL mode a commit is durable only with FULL.
            try database.execute(sql: "PRAGMA synchronous = FULL")
        }
        configuration.busyMode = .timeout(5)
        return try LedgerError.translating(name) {
            // Opening a pool changes the journal mode, so other databases are rejected before.
            if try LedgerCopy.size(of: path) > 0 {
                var reading = Configuration()
                reading.readonly = true
                reading.busyMode = .timeout(5)
                let queue = try DatabaseQueue(path: path, configuration: reading)
                let kind = try queue.read { try LedgerSchema.kind(of: $0) }
                try queue.close()
                if kind == .foreign { throw LedgerError.foreign(path: name) }
                if kind == .newer { throw LedgerError.newer(path: name) }
            }
            let database = try DatabasePool(path: path, configuration: configuration)
            try LedgerSchema.migrations.migrate(database)
            let found = try database.read { try String.fetchAll($0, sql: "PRAGMA quick_check(10)") }
            guard found == ["ok"] else { throw LedgerError.damaged(path: name, found.joined(separator: "; ")) }
            return database
        }
    }

    func write<Value>(_ body: (Database) throws -> Value) throws -> Value {
        if let unwritable { throw unwritable }
        return try LedgerError.translating(path) { try database.write(body) }
    }

    func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try LedgerError.translating(path) { try database.read(body) }
    }

    /// Closes the file after a checkpoint that empties its log. No call may follow.
    package func close() throws {
        try LedgerError.translating(path) {
            if unwritable == nil { _ = try database.writeWithoutTransaction { try $0.checkpoint(.truncate) } }
            try database.close()
        }
    }

    /// Copies the ledger into a new file, while others may read and write. A failed copy is removed.
    package func backUp(to file: String) throws {
        do {
            try LedgerError.translating(file) {
                let copy = try DatabaseQueue(path: file)
                try database.backup(to: copy)
                try copy.close()
            }
        } catch {
            LedgerCopy.remove(file)
            throw error
        }
    }
}
