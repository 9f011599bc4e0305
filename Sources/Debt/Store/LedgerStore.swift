// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The ledger: the records of nodes, the corrections of people, and the rules of the week. It is one file of SQLite, or
/// a database of PostgreSQL. The service writes it, and so do the commands `add`, `correct`, `delete` and `import`,
/// also while the service runs. Every call is one transaction, and durable when it returns.
///
/// A call that cannot read or write the ledger throws a ``LedgerError`` and changes nothing. The error names the cause:
/// the disk (`full`, `readOnly`), the content (`damaged`, `unreadable`), or a database that cannot be reached (`lost`).
/// Any other cause, such as the lock of another process, is `unusable`.
package final class LedgerStore: Sendable {
    /// The path of the file, or the URL of the database.
    package let place: String
    /// Why a copy of the file is used; `nil` if the ledger itself is. Writing to a copy throws this error.
    package let unwritable: LedgerError?
    private let copy: LedgerCopy?
    private let database: any LedgerDatabase

    /// Opens or creates a ledger, and checks the integrity of a file.
    /// - Throws: ``LedgerError`` if it is damaged, no ledger, of a later version, or unusable. It is unchanged then.
    package convenience init(at place: String) throws {
        let database: any LedgerDatabase =
            Self.isShared(place) ? try PostgresDatabase(place) : try SQLiteDatabase(path: place, named: place)
        self.init(at: place, database)
    }

    private init(
        at place: String, _ database: any LedgerDatabase, copy: LedgerCopy? = nil, because reason: LedgerError? = nil
    ) {
        (self.place, self.database, self.copy, unwritable) = (place, database, copy, reason)
    }

    /// Opens a copy of a file. Errors name the original.
    convenience init(copy: String, named original: String) throws {
        self.init(at: original, try SQLiteDatabase(path: copy, named: original))
    }

    /// Returns whether a ledger is on PostgreSQL, where services and commands of several machines can use it.
    package static func isShared(_ place: String) -> Bool {
        place.hasPrefix("postgresql://") || place.hasPrefix("postgres://")
    }

    /// Opens a ledger for reading. If its file cannot be written, as on a full disk, a copy in memory is opened.
    package static func reading(at place: String) throws -> LedgerStore {
        guard !isShared(place) else { return try LedgerStore(at: place) }
        do {
            // If the log exists, SQLite opens a read-only file without an error.
            guard access(place, F_OK) != 0 || access(place, W_OK) == 0 else { throw LedgerError.readOnly(path: place) }
            return try LedgerStore(at: place)
        } catch let error as LedgerError {
            switch error {
            case .readOnly, .full, .unusable: break
            default: throw error
            }
            guard let copy = try? LedgerCopy(of: place) else { throw error }
            return LedgerStore(
                at: place, try SQLiteDatabase(path: copy.path, named: place), copy: copy, because: error)
        }
    }

    func write<Value>(_ body: (any LedgerConnection) throws -> Value) throws -> Value {
        if let unwritable { throw unwritable }
        return try database.write(body)
    }

    func read<Value>(_ body: (any LedgerConnection) throws -> Value) throws -> Value { try database.read(body) }

    /// The file's own functions; `nil` on PostgreSQL.
    var sqlite: SQLiteDatabase? { database as? SQLiteDatabase }
    /// The functions of a database that several services use; `nil` for a file.
    package var shared: PostgresDatabase? { database as? PostgresDatabase }

    /// Closes the database; no call may follow.
    package func close() throws { try database.close() }

    /// Copies a file into a new one, while others may read and write. A failed copy is removed.
    package func backUp(to path: String) throws {
        guard let sqlite else { throw LedgerError.shared(path: place) }
        try sqlite.backUp(to: path)
    }
}
