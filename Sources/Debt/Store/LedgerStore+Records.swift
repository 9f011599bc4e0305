// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GRDB
package import Ledger
package import Session
package import Wire

extension LedgerStore {
    package typealias Arrival = LedgerIntake.Arrival

    /// The change that storing a record has made.
    package struct Change: Hashable, Sendable {
        package var filing: FilingResult
        /// The first instant whose minutes may have changed.
        package var firstTouched: GroupTime
    }

    /// The maximum number of conflicting records kept for a session. A person reads them, so more would only fill the
    /// disk.
    private static let conflictsLimit = 8

    // MARK: Filing records

    /// A record as the ledger holds it, or as it was filed since.
    private struct StoredRecord {
        var version: Version
        var digest: String
        /// When its first run began.
        var first: GroupTime
        /// When the ledger received its first version.
        var firstReceived: GroupTime
        /// When the ledger received its first final version.
        var finalReceived: GroupTime?
    }

    /// The key of a record or, without a node, of a lineage.
    fileprivate struct RecordKey: Hashable {
        var space: SpaceID
        var session: SessionID
        var node: NodeID?
    }

    /// Files records in one transaction; returns when they are durable. `quota` limits the new sessions of each node,
    /// and counts none of them if the transaction fails.
    package func file(_ arrivals: [Arrival], within quota: RecordQuota? = nil) throws -> [Change] {
        let uses = quota?.uses
        do {
            return try write { try Self.file(arrivals, within: quota, in: $0) }
        } catch {
            if let uses { quota?.uses = uses }
            throw error
        }
    }

    /// Files records within a transaction, and writes all rows at its end.
    private static func file(
        _ arrivals: [Arrival], within quota: RecordQuota?, in connection: any LedgerConnection
    ) throws -> [Change] {
        var (held, beginnings) = try Self.held(arrivals, in: connection)
        // Keyed by record, because one INSERT … ON CONFLICT must not change a row twice.
        var rows: [RecordKey: LedgerArguments] = [:]
        let changes = try arrivals.map { arrival in
            let (space, digested) = (arrival.space.rawValue, arrival.digested)
            let (record, at) = (digested.record, arrival.at)
            let lineage = RecordKey(space: arrival.space, session: record.lineage)
            let before = held[arrival.recordKey]
            var (filing, firstTouched) = (Self.filing(of: arrival, over: before), GroupTime.distantFuture)
            if before == nil, let quota {
                let isAdmitted = try quota.admits(record.node, in: arrival.space) {
                    try Self.count(of: record.node, space: arrival.space, in: connection)
                }
                if !isAdmitted { filing = .overQuota }
            }
            if filing == .stored {
                let (first, last) = Self.span(of: record.runs, endsAt: record.endsAt, at: record.startedAt)
                let (firstReceived, finalReceived) = (
                    before?.firstReceived ?? at, record.status.isLive ? nil : before?.finalReceived ?? at
                )
                rows[arrival.recordKey] = [
                    space, record.id.rawValue, record.lineage.rawValue, record.node.rawValue, record.version.epoch,
                    record.version.rev, digested.digest.rawValue, record.stamp.time.milliseconds,
                    first.milliseconds, last.milliseconds, at.milliseconds, Data(digested.json),
                    firstReceived.milliseconds, finalReceived?.milliseconds,
                ]
                held[arrival.recordKey] = StoredRecord(
                    version: record.version, digest: digested.digest.rawValue, first: first,
                    firstReceived: firstReceived, finalReceived: finalReceived)
                firstTouched = min(beginnings[lineage] ?? first, first)
                beginnings[lineage] = firstTouched
                firstTouched = min(firstTouched, before?.first ?? first)
            } else if filing == .conflict {
                try Self.store(conflict: arrival, in: connection)
            }
            return Change(filing: filing, firstTouched: firstTouched)
        }
        try connection.run(
            """
            INSERT INTO record VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
            ON CONFLICT (space, id, node) DO UPDATE SET lineage = excluded.lineage, epoch = excluded.epoch,
                rev = excluded.rev, digest = excluded.digest, stamp = excluded.stamp, first = excluded.first,
                last = excluded.last, received = excluded.received, json = excluded.json, first_received = excluded.first_received,
                final_received = excluded.final_received
            """, for: Array(rows.values)
        ) { _ in }
        return changes
    }

    /// Returns how records would be filed, without changing anything.
    package func filings(of arrivals: [Arrival]) throws -> [FilingResult] {
        try read { connection in
            let held = try Self.held(arrivals, in: connection).records
            return arrivals.map { Self.filing(of: $0, over: held[$0.recordKey]) }
        }
    }

    private static func filing(of arrival: Arrival, over held: StoredRecord?) -> FilingResult {
        FilingResult(
            version: arrival.digested.record.version, digest: arrival.digested.digest.rawValue,
            over: held.map { ($0.version, $0.digest) })
    }

    /// Returns what the ledger holds of arriving records, and when their lineages began. A version with another lineage
    /// than the stored one changes both, so the earlier beginning counts.
    private static func held(
        _ arrivals: [Arrival], in connection: any LedgerConnection
    ) throws -> (records: [RecordKey: StoredRecord], beginnings: [RecordKey: GroupTime]) {
        var (records, beginnings): ([RecordKey: StoredRecord], [RecordKey: GroupTime]) = ([:], [:])
        try connection.run(
            """
            SELECT asked.column1, (
                    SELECT min(first) FROM record INDEXED BY record_lineage
                    WHERE space = asked.column2 AND lineage IN (asked.column3, held.lineage)
                ), held.epoch, held.rev, held.digest, held.first, held.first_received, held.final_received
            FROM (VALUES ($1, $2, $3, $4, $5)) AS asked LEFT JOIN record AS held
                ON held.space = asked.column2 AND held.id = asked.column4 AND held.node = asked.column5
            """,
            for: arrivals.enumerated().map { index, arrival in
                let record = arrival.digested.record
                return [
                    index, arrival.space.rawValue, record.lineage.rawValue, record.id.rawValue, record.node.rawValue,
                ]
            }
        ) { row in
            let arrival = arrivals[try row[0]]
            beginnings[RecordKey(space: arrival.space, session: arrival.digested.record.lineage)] = try row[1]
            guard let epoch = try row[2] as Int? else { return }
            records[arrival.recordKey] = StoredRecord(
                version: Version(epoch: epoch, rev: try row[3]), digest: try row[4], first: try row[5],
                firstReceived: try row[6], finalReceived: try row[7])
        }
        return (records, beginnings)
    }

    private static func store(conflict arrival: Arrival, in connection: any LedgerConnection) throws {
        let record = arrival.digested.record
        let key: LedgerArguments = [arrival.space.rawValue, record.id.rawValue, record.node.rawValue]
        let count =
            try connection.rows(
                "SELECT count(*) FROM conflict WHERE space = $1 AND id = $2 AND node = $3", key)[0][0] as Int
        guard count < conflictsLimit else { return }
        try connection.run(
            "INSERT INTO conflict VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING",
            key + [
                record.version.epoch, record.version.rev, arrival.digested.digest.rawValue, arrival.at.milliseconds,
                Data(arrival.digested.json),
            ])
    }

    static func span(of runs: [LedgerRecord.Run], endsAt: GroupTime?, at start: GroupTime) -> (GroupTime, GroupTime) {
        (runs.map(\.from).min() ?? start, runs.map { $0.to ?? endsAt ?? $0.from }.max() ?? start)
    }

    static func digested(_ row: LedgerRow, _ column: Int) throws -> DigestedRecord {
        let json: Data = try row[column]
        do {
            return try DigestedRecord(json: [UInt8](json))
        } catch {
            throw LedgerError.unreadable("record (\(error))")
        }
    }

    // MARK: Sessions

    /// Returns the sessions that may count between two instants, with all others of their lineages.
    package func entries(of space: SpaceID, from: GroupTime, to: GroupTime) throws -> [Entry] {
        try read { connection in
            var found: [(record: LedgerRecord, firstReceived: GroupTime, finalReceived: GroupTime?)] = []
            var indices: [LedgerRecord.Key: Int] = [:]
            var corrections: [LedgerRecord.Key: Correction] = [:]
            try connection.run(
                """
                SELECT record.json, record.first_received, record.final_received, \(Correction.columns)
                FROM record INDEXED BY record_lineage LEFT JOIN correction INDEXED BY correction_session
                    ON correction.space = record.space AND correction.session = record.id
                    AND correction.node = record.node
                WHERE record.space = $1 AND record.lineage IN (
                    SELECT lineage FROM record INDEXED BY record_first WHERE space = $1
                        AND first > $2 - \(LedgerSchema.longSession) AND first < $3 AND last > $2
                    UNION SELECT lineage FROM record INDEXED BY record_long WHERE space = $1
                        AND last - first > \(LedgerSchema.longSession) AND last > $2 AND first < $3
                    UNION SELECT record.lineage FROM correction JOIN record
                        ON record.space = correction.space AND record.id = correction.session
                        AND record.node = correction.node
                    WHERE correction.space = $1 AND correction.last > $2 AND correction.first < $3)
                """,
                // PostgreSQL refuses an overflow, which the subtraction would be at `.min`.
                for: [[space.rawValue, max(from.milliseconds, .min / 2), to.milliseconds]]
            ) { row in
                let record = try Self.digested(row, 0).record
                if indices.updateValue(found.count, forKey: record.key) == nil {
                    found.append((record, try row[1], try row[2]))
                }
                guard !row.values[3].isNull else { return }
                let correction = try Correction(row, at: 3)
                if correction.replaces(corrections[record.key]) { corrections[record.key] = correction }
            }
            let gone = found.isEmpty ? [:] : try Self.gone(of: space, in: connection)
            return found.map { record, firstReceived, finalReceived in
                Entry(
                    record, corrected: corrections[record.key], lastSignOfLife: gone[record.node],
                    firstReceivedAt: firstReceived, finalReceivedAt: finalReceived)
            }
        }
    }

    /// Returns a session with the last correction that is no deletion.
    package func entryBeforeDeletion(_ key: LedgerRecord.Key, of space: SpaceID) throws -> Entry? {
        try read { connection in
            guard let row = try Self.row(key, space: space, in: connection) else { return nil }
            let corrections = try Self.corrections(of: key, space: space, in: connection)
            return Entry(
                try Self.digested(row, 0).record,
                corrected: corrections.last { $0.content != nil },
                lastSignOfLife: try Self.gone(of: space, in: connection)[key.node],
                firstReceivedAt: try row[1], finalReceivedAt: try row[2])
        }
    }

    package func record(_ key: LedgerRecord.Key, of space: SpaceID) throws -> LedgerRecord? {
        try read { try Self.row(key, space: space, in: $0).map { try Self.digested($0, 0).record } }
    }

    private static func row(
        _ key: LedgerRecord.Key, space: SpaceID, in connection: any LedgerConnection
    ) throws -> LedgerRow? {
        try connection.rows(
            "SELECT json, first_received, final_received FROM record WHERE space = $1 AND id = $2 AND node = $3",
            [space.rawValue, key.session.rawValue, key.node.rawValue]
        ).first
    }

    /// Returns the nodes that have recorded a session with this id. There are several only if nodes use the same id.
    package func nodes(of session: SessionID, in space: SpaceID) throws -> [NodeID] {
        try read {
            try $0.rows(
                "SELECT node FROM record WHERE space = $1 AND id = $2 ORDER BY node",
                [space.rawValue, session.rawValue]
            ).compactMap { NodeID(try $0[0]) }
        }
    }

    // MARK: Sums

    package func count(of node: NodeID, in space: SpaceID) throws -> Int {
        try read { try Self.count(of: node, space: space, in: $0) }
    }

    private static func count(of node: NodeID, space: SpaceID, in connection: any LedgerConnection) throws -> Int {
        try connection.rows(
            "SELECT count(*) FROM record INDEXED BY record_node WHERE space = $1 AND node = $2",
            [space.rawValue, node.rawValue])[0][0]
    }

    package func spaces() throws -> [SpaceID] {
        try read {
            try $0.rows("SELECT DISTINCT space FROM record ORDER BY space").compactMap { SpaceID(try $0[0]) }
        }
    }

    /// Returns digests of a node's records by week of their stamps, the earliest first, limited to the latest weeks.
    package func weeks(of node: NodeID, in space: SpaceID) throws -> [RecordWeek] {
        struct Enough: Error {}
        var weeks: [RecordWeek] = []
        do {
            try read { connection in
                _ = try connection.run(
                    """
                    SELECT stamp, id, epoch, rev, digest FROM record WHERE space = $1 AND node = $2 ORDER BY stamp DESC
                    """, for: [[space.rawValue, node.rawValue]]
                ) { row in
                    guard let id = SessionID(try row[1]), let digest = RecordDigest(try row[4]) else {
                        return
                    }
                    let number = Int(try row[0] as Int64 / RecordWeek.length.count)
                    if weeks.last?.number != number {
                        if weeks.count == LedgerAck.weeksLimit { throw Enough() }
                        weeks.append(RecordWeek(number: number))
                    }
                    weeks[weeks.count - 1].add(
                        RecordName(
                            id: id, version: Version(epoch: try row[2], rev: try row[3]), digest: digest))
                }
            }
        } catch is Enough {}
        return weeks.reversed()
    }

    /// Returns the records whose version the ledger already holds with other content. A conflict is over when a later
    /// version arrives or a person corrects the session.
    package func conflicts() throws -> [Arrival] {
        try read {
            try $0.rows(
                """
                SELECT space, json, received FROM conflict WHERE EXISTS (
                    SELECT 1 FROM record WHERE space = conflict.space AND id = conflict.id AND node = conflict.node
                        AND epoch = conflict.epoch AND rev = conflict.rev
                ) AND NOT EXISTS (
                    SELECT 1 FROM correction WHERE space = conflict.space AND session = conflict.id
                        AND node = conflict.node AND at >= conflict.received
                ) ORDER BY received
                """
            ).compactMap { row in
                guard let space = SpaceID(try row[0]) else { return nil }
                return Arrival(space: space, digested: try Self.digested(row, 1), at: try row[2])
            }
        }
    }
}

extension LedgerIntake.Arrival {
    fileprivate var recordKey: LedgerStore.RecordKey {
        LedgerStore.RecordKey(space: space, session: digested.record.id, node: digested.record.node)
    }
}
