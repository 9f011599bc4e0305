// SPDX-License-Identifier: Apache-2.0

import GRDB
import Session
import Wire

extension LedgerStore {
    /// Reads every row, since a database does not check their contents. The error names the first row that is wrong.
    package func readAll() throws {
        try sqlite?.checkTypes()
        try read { connection in
            let bad = try connection.rows(
                """
                SELECT 1 FROM rules WHERE starts IS NULL OR goal NOT BETWEEN $1 AND $2 OR weekday NOT BETWEEN 1 AND 7
                    OR dayStart NOT BETWEEN 0 AND 86399999 OR minimum < 0
                """, [WeekRules.goals.lowerBound, WeekRules.goals.upperBound])
            guard bad.isEmpty else { throw LedgerError.unreadable("rule of the week") }
            try connection.run(
                """
                SELECT json, space, id, lineage, node, epoch, rev, digest, stamp, first, last FROM record
                """, for: [[]]
            ) { row in try Self.check(record: row) }
            try connection.run("SELECT space, json FROM conflict", for: [[]]) { row in
                _ = try row.parsed(0, "space of a record", SpaceID.init)
                _ = try Self.digested(row, 1)
            }
            try connection.run("SELECT \(Correction.columns), space, first, last FROM correction", for: [[]]) { row in
                let correction = try Correction(row)
                let span = Self.span(of: correction.content?.runs ?? [], endsAt: nil, at: correction.at)
                guard SpaceID(try row[9]) != nil, span == (try row[10] as GroupTime, try row[11] as GroupTime) else {
                    throw LedgerError.unreadable("correction \(correction.id)")
                }
            }
        }
        _ = try rules()
    }

    private static func check(record row: LedgerRow) throws {
        let digested = try digested(row, 0)
        let record = digested.record
        let (first, last) = span(of: record.runs, endsAt: record.endsAt, at: record.startedAt)
        let expected: [any DatabaseValueConvertible] = [
            record.id.rawValue, record.lineage.rawValue, record.node.rawValue, record.version.epoch, record.version.rev,
            digested.digest.rawValue, record.stamp.time.milliseconds, first.milliseconds, last.milliseconds,
        ]
        guard SpaceID(try row[1]) != nil, row.values.dropFirst(2).elementsEqual(expected.map(\.databaseValue)) else {
            throw LedgerError.unreadable("record (session \(record.id) of \(record.node))")
        }
    }
}
