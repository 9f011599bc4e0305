// SPDX-License-Identifier: Apache-2.0

import GRDB
package import Session
import Synchronization

/// A ledger in a database of PostgreSQL. One connection writes and another one reads, so that the service reads while
/// it writes. They are not opened again: a process that has lost its database opens the ledger again.
///
/// The connection that writes has the lock by which a service serves. A service that has lost the lock has lost that
/// connection, and can therefore write nothing.
package final class PostgresDatabase: LedgerDatabase {
    private static let everySpace = 0
    private static let writing = 1

    /// The first key of this ledger's advisory locks. The second is ``everySpace``, ``writing``, or that of a space.
    private let locks: Int64
    private let url: String
    private let writer: Mutex<PostgresConnection>
    private let reader: Mutex<PostgresConnection?>

    /// Opens the database, and creates the tables in an empty one.
    init(_ url: String) throws {
        self.url = url
        let connection = try PostgresConnection(url)
        locks = try connection.rows("SELECT hashtext('lockstep ' || current_schema()) & 2147483647")[0][0]
        writer = Mutex(connection)
        reader = Mutex(nil)
        guard try read(isEmpty) else { return }
        try write { connection in
            // Another process may have been faster.
            guard try isEmpty(connection) else { return }
            for statement in LedgerSchema.definitionsOfPostgres.split(separator: ";") {
                try connection.run(String(statement))
            }
        }
    }

    /// Returns whether the database has no tables of a ledger. Throws if it has others, or those of another version.
    private func isEmpty(_ connection: any LedgerConnection) throws -> Bool {
        let tables = try connection.rows(
            "SELECT relname FROM pg_class WHERE oid IN (to_regclass('record'), to_regclass('ledger_version'))")
        if tables.count == 1 { throw LedgerError.foreign(path: url) }
        guard tables.count == 2 else { return true }
        let version: Int64 = try connection.rows("SELECT number FROM ledger_version")[0][0]
        guard version == LedgerSchema.version else { throw LedgerError.newer(path: url) }
        return false
    }

    // MARK: Transactions

    func write<Value>(_ body: (any LedgerConnection) throws -> Value) throws -> Value {
        try with(writer) { connection in
            defer { connection.updateStatistics() }
            return try connection.transaction(
                "BEGIN; SELECT pg_advisory_xact_lock(\(locks), \(Self.writing))", body)
        }
    }

    func read<Value>(_ body: (any LedgerConnection) throws -> Value) throws -> Value {
        // A service that has lost its lock no longer reads, either, and so publishes nothing.
        try writer.withLockIfAvailable { try $0.check() }
        return try with(reader) { connection in
            let open = try connection ?? PostgresConnection(url)
            connection = open
            return try open.transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", body)
        }
    }

    /// Runs `body` with the state of a mutex, whose own `withLock` returns only values that are sendable.
    private func with<State: Sendable, Value>(
        _ mutex: borrowing Mutex<State>, _ body: (inout State) throws -> Value
    ) throws -> Value {
        var result: Result<Value, any Error>?
        mutex.withLock { state in result = Result { try body(&state) } }
        guard let result else { preconditionFailure("a mutex runs its body") }
        return try result.get()
    }

    func close() {}

    // MARK: Services

    /// Takes the lock of a space, or of every space, for a service. Returns the service that has it already; `nil`
    /// if the lock was taken.
    func claim(_ space: SpaceID?, for service: String, as node: NodeID?) throws -> String? {
        try with(writer) { connection in
            let key = space.map(Self.lock) ?? Self.everySpace
            _ = try connection.rows("SELECT set_config('application_name', $1, false)", [service])
            let others = space == nil ? "" : "pg_try_advisory_lock_shared(\(locks), \(Self.everySpace)) AND "
            let taken = try connection.rows("SELECT 1 WHERE \(others)pg_try_advisory_lock(\(locks), \(key))")
            guard taken.isEmpty else {
                if let node {
                    try connection.run(
                        "INSERT INTO server VALUES ($1, $2) ON CONFLICT DO NOTHING",
                        [space?.rawValue ?? SpaceID.every, node.rawValue])
                }
                try connection.command("LISTEN lockstep_ledger")
                return nil
            }
            try connection.command("SELECT pg_advisory_unlock_all()")
            return try holder(of: key, in: connection) ?? "another one"
        }
    }

    /// Returns the key of a space's lock: a number above ``everySpace`` and ``writing``.
    private static func lock(of space: SpaceID) -> Int {
        2 + Int(FNV.hash(Array(space.rawValue.utf8).span) % 0x7FFF_FFF0)
    }

    private func holder(of key: Int, in connection: any LedgerConnection) throws -> String? {
        try connection.rows(
            """
            SELECT max(application_name) FROM pg_locks JOIN pg_stat_activity USING (pid)
            WHERE locktype = 'advisory' AND classid = \(locks)::oid AND granted AND mode = 'ExclusiveLock'
                AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())
                AND objid <> \(Self.writing)::oid
                AND (objid IN (\(Self.everySpace)::oid, \(key)::oid) OR \(key) = \(Self.everySpace))
            """
        )[0][0] as String?
    }

    /// Returns a service that serves a space, or any space for `nil`; `nil` if none does.
    package func server(of space: SpaceID?) throws -> String? {
        try read { try holder(of: space.map(Self.lock) ?? Self.everySpace, in: $0) }
    }

    /// Returns the services that have served a space from this database: only the one with the lock serves now.
    func servers(of space: SpaceID) throws -> Set<NodeID> {
        try read {
            Set(
                try $0.rows("SELECT node FROM server WHERE space IN ($1, '+')", [space.rawValue]).map {
                    try $0.parsed(0, "name of a service", NodeID.init)
                })
        }
    }

    /// Tells the services that the ledger was changed.
    package func notifyServices() throws { try with(writer) { try $0.command("NOTIFY lockstep_ledger") } }

    /// Returns whether another process has changed the ledger since the last call.
    /// - Throws: ``LedgerError`` if the connection, and with it the lock, is lost.
    func poll() throws -> Bool {
        // If the connection is in use, the statement that runs on it finds out whether it is lost.
        try writer.withLockIfAvailable { connection in
            try connection.check()
            defer { connection.isNotified = false }
            return connection.isNotified
        } ?? false
    }
}
