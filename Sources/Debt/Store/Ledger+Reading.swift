// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GRDB
import Session
import Wire

extension Ledger {
    /// Reads every row, since SQLite does not check their contents. The error names the first row that is wrong.
    package func readAll() throws {
        try read { database in
            for table in ["record", "correction", "conflict", "calm", "rules", "gone", "problem"] {
                try Self.checkTypes(of: table, in: database)
            }
            let isOutOfBounds = try Bool.fetchOne(
                database,
                sql: """
                    SELECT EXISTS (
                        SELECT 1 FROM rules WHERE starts IS NULL OR goal NOT BETWEEN ? AND ? OR weekday NOT BETWEEN 1 AND 7
                            OR dayStart NOT BETWEEN 0 AND 86399999 OR minimum < 0)
                    """, arguments: [WeekRules.goals.lowerBound, WeekRules.goals.upperBound])
            guard isOutOfBounds == false else { throw LedgerError.unreadable("rule of the week") }
            let records = try Row.fetchCursor(database, sql: "SELECT * FROM record")
            while let row = try records.next() { try Self.check(record: row) }
            let conflicts = try Row.fetchCursor(database, sql: "SELECT space, json FROM conflict")
            while let row = try conflicts.next() {
                guard SpaceID(row[0] as String) != nil else { throw LedgerError.unreadable("space of a record") }
                _ = try Self.digested(row[1])
            }
            let corrections = try Row.fetchCursor(database, sql: "SELECT * FROM correction")
            while let row = try corrections.next() {
                let correction = try Correction(row: row)
                let span = Self.span(of: correction.content?.runs ?? [], endsAt: nil, at: GroupTime(correction.at))
                guard SpaceID(row["space"] as String) != nil, span == (row["first"] as Int64, row["last"] as Int64)
                else {
                    throw LedgerError.unreadable("correction \(correction.id)")
                }
            }
        }
        _ = try rules()
    }

    /// Checks that each value has the type of its column, which SQLite does not enforce.
    private static func checkTypes(of table: String, in database: Database) throws {
        for column in try database.columns(in: table) {
            let types =
                "'\(column.type.lowercased())'" + (column.isNotNull || column.primaryKeyIndex > 0 ? "" : ", 'null'")
            let isWrong = try Bool.fetchOne(
                database,
                sql: "SELECT EXISTS (SELECT 1 FROM \(table) WHERE typeof(\(column.name)) NOT IN (\(types)))")
            guard isWrong == false else { throw LedgerError.unreadable("\(column.name) in the table \(table)") }
        }
    }

    private static func check(record row: Row) throws {
        let digested = try digested(row["json"])
        let record = digested.record
        let span = span(of: record.runs, endsAt: record.endsAt, at: record.startedAt)
        let isRight =
            SpaceID(row["space"] as String) != nil && row["id"] == record.id.rawValue
            && row["lineage"] == record.lineage.rawValue && row["node"] == record.node.rawValue
            && row["epoch"] == record.version.epoch && row["rev"] == record.version.rev
            && row["digest"] == digested.digest.rawValue && row["stamp"] == record.stamp.time.milliseconds
            && span == (row["first"] as Int64, row["last"] as Int64)
        guard isRight else { throw LedgerError.unreadable("record (session \(record.id) of \(record.node))") }
    }
}
