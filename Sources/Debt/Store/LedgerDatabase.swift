// SPDX-License-Identifier: Apache-2.0

import GRDB
import Session

/// A database that keeps a ledger: SQLite or PostgreSQL. It knows no rule of the ledger; ``LedgerStore`` has all of
/// them. Both run the same statements, with values of GRDB. Their own errors are ``LedgerError``; others of `body` pass
/// unchanged.
protocol LedgerDatabase: Sendable {
    /// Runs a transaction that writes, while no other writer runs. It is durable when this returns.
    func write<Value>(_ body: (any LedgerConnection) throws -> Value) throws -> Value
    /// Runs a transaction that reads one state of the database.
    func read<Value>(_ body: (any LedgerConnection) throws -> Value) throws -> Value
    func close() throws
}

typealias LedgerArguments = [(any DatabaseValueConvertible)?]

/// A transaction of a ledger's database.
protocol LedgerConnection {
    /// Runs a statement for each list of arguments, and passes all rows. The statement names its arguments `$1`, `$2`
    /// and so on, and first mentions them in this order; if all are in `VALUES ($1, …)`, PostgreSQL gets many lists at
    /// once. `INDEXED BY` names an index where SQLite would scan a table. `each` must not run another statement.
    /// - Returns: The number of rows that were changed.
    @discardableResult
    func run(_ sql: String, for lists: [LedgerArguments], each: (LedgerRow) throws -> Void) throws -> Int
}

extension LedgerConnection {
    /// Runs a statement without a result, and returns the number of rows that it changed.
    @discardableResult
    func run(_ sql: String, _ arguments: LedgerArguments = []) throws -> Int {
        try run(sql, for: [arguments]) { _ in }
    }

    func rows(_ sql: String, _ arguments: LedgerArguments = []) throws -> [LedgerRow] {
        var rows: [LedgerRow] = []
        try run(sql, for: [arguments]) { rows.append($0) }
        return rows
    }
}

/// A row of a query's result.
struct LedgerRow {
    var values: [DatabaseValue]

    subscript<Value: DatabaseValueConvertible>(column: Int) -> Value {
        get throws {
            guard let value = Value.fromDatabaseValue(values[column]) else { throw LedgerError.unreadable("value") }
            return value
        }
    }

    /// Reads a time, which is stored in milliseconds.
    subscript<Scale>(column: Int) -> Time<Scale> { get throws { Time(try self[column]) } }
    subscript<Scale>(column: Int) -> Time<Scale>? { get throws { try (self[column] as Int64?).map { Time($0) } } }

    /// Reads an id or another value that has a text form.
    func parsed<Value>(_ column: Int, _ name: String, _ parse: (String) -> Value?) throws -> Value {
        guard let value = parse(try self[column]) else { throw LedgerError.unreadable(name) }
        return value
    }
}
