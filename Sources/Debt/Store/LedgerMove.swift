// SPDX-License-Identifier: Apache-2.0

import GRDB

/// The result of copying a ledger into an empty one, from and to SQLite or PostgreSQL.
package struct LedgerMove: Hashable, Sendable {
    package private(set) var rows = 0
    /// The sum of the hashes of all rows, which does not depend on their order.
    private var hash = 0

    /// The maximum number of rows that are inserted at once.
    private static let batch = 1_000

    /// Copies in one transaction, and then compares both. It takes the lock of each ledger on PostgreSQL, so
    /// that no service runs meanwhile; a ledger in a file has no such lock.
    /// - Throws: ``LedgerError`` if a service runs, if the target is not empty, or is not equal to the source.
    package init(from source: LedgerStore, to target: LedgerStore) throws {
        for ledger in [source, target] {
            let service = try ledger.shared?.claim(nil, for: "lockstep debt move", as: nil)
            if let service { throw LedgerError.unusable(path: ledger.place, "stop the service \(service) first") }
        }
        var copied = LedgerMove()
        try source.read { from in
            try target.write { to in
                guard try Self.contents(of: to).rows == 0 else { throw LedgerError.notEmpty(path: target.place) }
                for table in LedgerSchema.tables {
                    var waiting: [LedgerArguments] = []
                    func insert() throws {
                        guard let first = waiting.first else { return }
                        let placeholders = first.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
                        try to.run("INSERT INTO \(table) VALUES (\(placeholders))", for: waiting) { _ in }
                        waiting = []
                    }
                    try from.run("SELECT * FROM \(table)", for: [[]]) { row in
                        copied.add(row, of: table)
                        waiting.append(row.values)
                        if waiting.count == Self.batch { try insert() }
                    }
                    try insert()
                }
            }
        }
        if !LedgerStore.isShared(target.place) { LedgerCopy.giveToService(target.place) }
        self = try target.read(Self.contents)
        guard self == copied else {
            throw LedgerError.damaged(path: target.place, "it differs from \(source.place) after the copy")
        }
    }

    private init() {}

    private static func contents(of connection: any LedgerConnection) throws -> LedgerMove {
        try LedgerSchema.tables.reduce(into: LedgerMove()) { found, table in
            try connection.run("SELECT * FROM \(table)", for: [[]]) { found.add($0, of: table) }
        }
    }

    private mutating func add(_ row: LedgerRow, of table: String) {
        rows += 1
        hash &+= ([table.databaseValue] + row.values).hashValue
    }
}
