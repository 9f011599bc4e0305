// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GRDB
package import Ledger
package import Session
package import Wire

extension Ledger {
    package struct Arrival: Hashable, Sendable {
        package var space: SpaceID
        package var digested: DigestedRecord
        /// When it arrived, in milliseconds of group time.
        package var at: Int64

        package init(space: SpaceID, digested: DigestedRecord, at: Int64) {
            self.space = space
            self.digested = digested
            self.at = at
        }
    }

    package struct Outcome: Hashable, Sendable {
        package var filing: FilingResult
        /// The first instant whose minutes may have changed, in milliseconds of group time.
        package var touches: Int64
    }

    /// The most conflicting records of a session. A judgement: a person reads them; more would only fill the disk.
    private static let conflictsOfASession = 8

    // MARK: Filing records

    /// Files records in one transaction; returns when they are durable. `quota` limits the new sessions of each node.
    package func file(_ arrivals: [Arrival], within quota: RecordQuota? = nil) throws -> [Outcome] {
        try write { database in try arrivals.map { try Self.file($0, within: quota, in: database) } }
    }

    /// Returns how records would be filed, without changing anything.
    package func filings(of arrivals: [Arrival]) throws -> [FilingResult] {
        try read { database in try arrivals.map { try Self.classify($0, in: database).filing } }
    }

    private static func file(_ arrival: Arrival, within quota: RecordQuota?, in database: Database) throws -> Outcome {
        let (space, digested) = (arrival.space.rawValue, arrival.digested)
        let (record, at) = (digested.record, arrival.at)
        var (filing, row) = try classify(arrival, in: database)
        if row == nil, let quota {
            let isAdmitted = try quota.admits(record.node, in: arrival.space) {
                try count(of: record.node, space: arrival.space, in: database)
            }
            if !isAdmitted { filing = .refused }
        }
        let isFinal = !record.status.isLive
        var touches = Int64.max
        switch filing {
        case .kept:
            let (first, last) = span(of: record.runs, endsAt: record.endsAt, at: record.startedAt)
            try database.cachedStatement(
                sql: "INSERT OR REPLACE INTO record VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
            ).execute(arguments: [
                space, record.id.rawValue, record.lineage.rawValue, record.node.rawValue, record.version.epoch,
                record.version.rev, digested.digest.rawValue, record.stamp.time.milliseconds, first, last,
                at, Data(digested.json), row.map { $0[4] as Int64 } ?? at,
                isFinal ? row.flatMap { $0[5] as Int64? } ?? at : nil,
            ])
            let lineage = try Int64.fetchOne(
                database.cachedStatement(
                    sql: "SELECT min(first) FROM record INDEXED BY record_lineage WHERE space = ? AND lineage = ?"),
                arguments: [space, record.lineage.rawValue])
            touches = min(lineage ?? first, row.map { $0[3] as Int64 } ?? first)
        case .conflict:
            let stored = try Int.fetchOne(
                database.cachedStatement(
                    sql: "SELECT count(*) FROM conflict WHERE space = ? AND id = ? AND node = ?"),
                arguments: [space, record.id.rawValue, record.node.rawValue])
            guard stored ?? 0 < conflictsOfASession else { break }
            try database.cachedStatement(sql: "INSERT OR IGNORE INTO conflict VALUES (?, ?, ?, ?, ?, ?, ?, ?)").execute(
                arguments: [
                    space, record.id.rawValue, record.node.rawValue, record.version.epoch, record.version.rev,
                    digested.digest.rawValue, at, Data(digested.json),
                ])
        case .known, .older, .refused: break
        }
        return Outcome(filing: filing, touches: touches)
    }

    private static func classify(_ arrival: Arrival, in database: Database) throws -> (filing: FilingResult, row: Row?)
    {
        let digested = arrival.digested
        let row = try Row.fetchOne(
            database.cachedStatement(
                sql: """
                    SELECT epoch, rev, digest, first, begun, ended FROM record WHERE space = ? AND id = ? AND node = ?
                    """),
            arguments: [arrival.space.rawValue, digested.record.id.rawValue, digested.record.node.rawValue])
        let present = row.map { row in
            (version: Version(epoch: row[0] as Int, rev: row[1] as Int), digest: row[2] as String)
        }
        return (FilingResult(version: digested.record.version, digest: digested.digest.rawValue, over: present), row)
    }

    static func span(of runs: [LedgerRecord.Run], endsAt: GroupTime?, at start: GroupTime) -> (Int64, Int64) {
        (
            (runs.map(\.from).min() ?? start).milliseconds,
            (runs.map { $0.to ?? endsAt ?? $0.from }.max() ?? start).milliseconds
        )
    }

    static func digested(_ json: Data) throws -> DigestedRecord {
        do {
            return try DigestedRecord(json: [UInt8](json))
        } catch {
            throw LedgerError.unreadable("record (\(error))")
        }
    }

    // MARK: Sessions

    /// Returns the sessions that may count between two instants, with all others of their lineages. It names the
    /// indices, since without statistics SQLite would scan the whole space.
    package func entries(of space: SpaceID, from: Int64, to: Int64) throws -> [Entry] {
        try read { database in
            let rows = try Row.fetchAll(
                database.cachedStatement(
                    sql: """
                        SELECT json, begun, ended FROM record INDEXED BY record_lineage WHERE space = :space AND lineage IN (
                            SELECT lineage FROM record INDEXED BY record_first WHERE space = :space
                                AND first > :from - 172800000 AND first < :to AND last > :from
                            UNION SELECT lineage FROM record INDEXED BY record_long WHERE space = :space
                                AND last - first > 172800000 AND last > :from AND first < :to
                            UNION SELECT record.lineage FROM correction JOIN record
                                ON record.space = correction.space AND record.id = correction.session
                                AND record.node = correction.node
                            WHERE correction.space = :space AND correction.last > :from AND correction.first < :to)
                        """), arguments: ["space": space.rawValue, "from": from, "to": to])
            let records = try rows.map { try Self.digested($0[0]).record }
            guard !records.isEmpty else { return [] }
            let corrections = try Self.latestCorrections(of: records.map(\.id), space: space, in: database)
            let gone = try Self.gone(of: space, in: database)
            return zip(records, rows).map { record, row in
                Entry(
                    record, corrected: corrections[record.key], lastSignOfLife: gone[record.node], begun: row[1],
                    ended: row[2])
            }
        }
    }

    /// Returns a session with its correction applied; `skippingDeletions` applies the last one that is no deletion.
    package func entry(
        _ key: LedgerRecord.Key, of space: SpaceID, skippingDeletions: Bool = false
    ) throws -> Entry? {
        try read { database in
            guard let row = try Self.row(key, space: space, in: database) else { return nil }
            let corrections = try Self.corrections(of: key, space: space, in: database)
            return Entry(
                try Self.digested(row[0]).record,
                corrected: corrections.last { !skippingDeletions || $0.content != nil },
                lastSignOfLife: try Self.gone(of: space, in: database)[key.node], begun: row[1], ended: row[2])
        }
    }

    package func record(_ key: LedgerRecord.Key, of space: SpaceID) throws -> LedgerRecord? {
        try read { try Self.row(key, space: space, in: $0).map { try Self.digested($0[0]).record } }
    }

    private static func row(_ key: LedgerRecord.Key, space: SpaceID, in database: Database) throws -> Row? {
        try Row.fetchOne(
            database.cachedStatement(
                sql: "SELECT json, begun, ended FROM record WHERE space = ? AND id = ? AND node = ?"),
            arguments: [space.rawValue, key.session.rawValue, key.node.rawValue])
    }

    /// Returns the nodes that have recorded a session with this ID. There are several only if nodes use the same ID.
    package func nodes(of session: SessionID, in space: SpaceID) throws -> [NodeID] {
        try read {
            try String.fetchAll(
                $0, sql: "SELECT node FROM record WHERE space = ? AND id = ? ORDER BY node",
                arguments: [space.rawValue, session.rawValue]
            ).compactMap(NodeID.init)
        }
    }

    // MARK: Sums

    package func count(of node: NodeID, in space: SpaceID) throws -> Int {
        try read { try Self.count(of: node, space: space, in: $0) }
    }

    private static func count(of node: NodeID, space: SpaceID, in database: Database) throws -> Int {
        try Int.fetchOne(
            database, sql: "SELECT count(*) FROM record INDEXED BY record_node WHERE space = ? AND node = ?",
            arguments: [space.rawValue, node.rawValue]) ?? 0
    }

    package func spaces() throws -> [SpaceID] {
        try read {
            try String.fetchAll($0, sql: "SELECT DISTINCT space FROM record ORDER BY space").compactMap(SpaceID.init)
        }
    }

    /// Returns digests of a node's records by week of their stamps, the earliest first, limited to the latest weeks.
    package func weeks(of node: NodeID, in space: SpaceID) throws -> [RecordWeek] {
        try read { database in
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT stamp, id, epoch, rev, digest FROM record WHERE space = ? AND node = ? ORDER BY stamp DESC
                    """, arguments: [space.rawValue, node.rawValue])
            var weeks: [RecordWeek] = []
            while let row = try rows.next() {
                guard let id = SessionID(row[1] as String), let digest = RecordDigest(row[4] as String) else {
                    continue
                }
                let number = Int((row[0] as Int64) / RecordWeek.length.count)
                if weeks.last?.number != number {
                    if weeks.count == LedgerAck.weeksLimit { break }
                    weeks.append(RecordWeek(number: number))
                }
                weeks[weeks.count - 1].add(
                    RecordName(id: id, version: Version(epoch: row[2] as Int, rev: row[3] as Int), digest: digest))
            }
            return weeks.reversed()
        }
    }

    /// Returns the records whose version the ledger already holds with other content. A conflict is over when a later
    /// version arrives or a person corrects the session.
    package func conflicts() throws -> [Arrival] {
        let rows = try read {
            try Row.fetchAll(
                $0,
                sql: """
                    SELECT space, json, received FROM conflict WHERE EXISTS (
                        SELECT 1 FROM record WHERE space = conflict.space AND id = conflict.id AND node = conflict.node
                            AND epoch = conflict.epoch AND rev = conflict.rev
                    ) AND NOT EXISTS (
                        SELECT 1 FROM correction WHERE space = conflict.space AND session = conflict.id
                            AND node = conflict.node AND at >= conflict.received
                    ) ORDER BY received
                    """)
        }
        return try rows.compactMap { row in
            guard let space = SpaceID(row[0] as String) else { return nil }
            return Arrival(space: space, digested: try Self.digested(row[1]), at: row[2])
        }
    }
}
