// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Session
import Wire

/// All that is asked of the ledger's file.
enum LedgerSQL {
    // MARK: Records

    static func file(
        _ arrival: Ledger.Arrival, within quota: RecordQuota? = nil, in database: Database
    ) throws -> Ledger.Outcome {
        let (space, filed) = (arrival.space.rawValue, arrival.filed)
        let record = filed.record
        var (filing, row) = try look(for: arrival, in: database)
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
                record.version.rev, filed.digest.rawValue, record.stamp.time, first, last, arrival.at, json(filed),
                row.map { $0[4] as Int64 } ?? arrival.at,
                isFinal ? row.flatMap { $0[5] as Int64? } ?? arrival.at : nil,
            ])
            let lineage = try Int64.fetchOne(
                database.cachedStatement(
                    sql: "SELECT min(first) FROM record INDEXED BY record_lineage WHERE space = ? AND lineage = ?"),
                arguments: [space, record.lineage.rawValue])
            touches = min(lineage ?? first, row.map { $0[3] as Int64 } ?? first)
        case .conflict:
            try database.cachedStatement(sql: "INSERT OR IGNORE INTO conflict VALUES (?, ?, ?, ?, ?, ?, ?, ?)").execute(
                arguments: [
                    space, record.id.rawValue, record.node.rawValue, record.version.epoch, record.version.rev,
                    filed.digest.rawValue, arrival.at, json(filed),
                ])
        case .known, .older, .refused: break
        }
        return Ledger.Outcome(filing: filing, touches: touches)
    }

    /// What would become of a record, and what is there of its session.
    static func look(for arrival: Ledger.Arrival, in database: Database) throws -> (filing: Filing, row: Row?) {
        let filed = arrival.filed
        let row = try Row.fetchOne(
            database.cachedStatement(
                sql: """
                    SELECT epoch, rev, digest, first, begun, ended FROM record WHERE space = ? AND id = ? AND node = ?
                    """),
            arguments: [arrival.space.rawValue, filed.record.id.rawValue, filed.record.node.rawValue])
        let present = row.map { row in
            (version: Version(epoch: row[0] as Int, rev: row[1] as Int), digest: row[2] as String)
        }
        return (Filing(version: filed.record.version, digest: filed.digest.rawValue, over: present), row)
    }

    private static func json(_ filed: FiledRecord) -> Data { Data(filed.json()) }

    private static func span(of runs: [LedgerRecord.Run], endsAt: Int64?, at start: Int64) -> (Int64, Int64) {
        (
            runs.map(\.from).min() ?? start,
            runs.map { $0.to ?? endsAt ?? $0.from }.max() ?? start
        )
    }

    private static func filed(_ json: Data) throws -> FiledRecord {
        do {
            return try FiledRecord(json: [UInt8](json))
        } catch {
            throw LedgerError.unreadable("record (\(error))")
        }
    }

    /// The indices are named: left alone SQLite reads all of a space, which it takes for few rows until it has counted.
    static func entries(of space: SpaceID, from: Int64, to: Int64, in database: Database) throws -> [Entry] {
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
        let records = try rows.map { try filed($0[0]).record }
        guard !records.isEmpty else { return [] }
        let words = try Correction.latest(
            Row.fetchAll(
                database.cachedStatement(
                    sql: """
                        SELECT correction.* FROM json_each(?) CROSS JOIN correction INDEXED BY correction_session
                            ON space = ? AND session = value
                        """), arguments: [ids(of: records), space.rawValue]
            ).map(Correction.init(row:)))
        let gone = try gone(of: space, in: database)
        return zip(records, rows).map { record, row in
            Entry(
                record, corrected: words[record.key], lastSignOfLife: gone[record.node], begun: row[1], ended: row[2])
        }
    }

    private static func ids(of records: [LedgerRecord]) -> String {
        "[" + records.map { "\"\($0.id)\"" }.joined(separator: ",") + "]"
    }

    /// The nodes that have recorded a session of this id; one, unless a node uses the id of another node's session.
    static func nodes(of session: SessionID, space: SpaceID, in database: Database) throws -> [NodeID] {
        try String.fetchAll(
            database, sql: "SELECT node FROM record WHERE space = ? AND id = ? ORDER BY node",
            arguments: [space.rawValue, session.rawValue]
        ).compactMap(NodeID.init)
    }

    private static func row(_ key: LedgerRecord.Key, space: SpaceID, in database: Database) throws -> Row? {
        try Row.fetchOne(
            database.cachedStatement(
                sql: "SELECT json, begun, ended FROM record WHERE space = ? AND id = ? AND node = ?"),
            arguments: [space.rawValue, key.session.rawValue, key.node.rawValue])
    }

    static func record(_ key: LedgerRecord.Key, space: SpaceID, in database: Database) throws -> LedgerRecord? {
        try row(key, space: space, in: database).map { try filed($0[0]).record }
    }

    static func entry(
        _ key: LedgerRecord.Key, space: SpaceID, skippingDeletions: Bool = false, in database: Database
    ) throws -> Entry? {
        guard let row = try row(key, space: space, in: database) else { return nil }
        let words = try corrections(of: key, space: space, in: database)
        return Entry(
            try filed(row[0]).record, corrected: words.last { !skippingDeletions || $0.content != nil },
            lastSignOfLife: try gone(of: space, in: database)[key.node], begun: row[1], ended: row[2])
    }

    static func weeks(of node: NodeID, space: SpaceID, in database: Database) throws -> [RecordWeek] {
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT stamp, id, epoch, rev, digest FROM record WHERE space = ? AND node = ? ORDER BY stamp DESC
                """, arguments: [space.rawValue, node.rawValue])
        var weeks: [RecordWeek] = []
        while let row = try rows.next() {
            guard let id = SessionID(row[1] as String), let digest = RecordDigest(row[4] as String) else { continue }
            let number = Int((row[0] as Int64) / RecordWeek.length)
            if weeks.last?.number != number {
                if weeks.count == LedgerAck.weeksLimit { break }
                weeks.append(RecordWeek(number: number))
            }
            weeks[weeks.count - 1].add(
                RecordName(id: id, version: Version(epoch: row[2] as Int, rev: row[3] as Int), digest: digest))
        }
        return weeks.reversed()
    }

    static func spaces(in database: Database) throws -> [SpaceID] {
        try String.fetchAll(database, sql: "SELECT DISTINCT space FROM record ORDER BY space").compactMap(SpaceID.init)
    }

    /// Sessions that a person has deleted or moved count as that person says.
    static func beginning(of space: SpaceID, in database: Database) throws -> Int64? {
        try Int64.fetchOne(
            database,
            sql: """
                SELECT min(first) FROM (
                    SELECT first FROM (
                        SELECT first FROM record INDEXED BY record_first WHERE space = :space AND NOT EXISTS (
                            SELECT 1 FROM correction WHERE space = record.space AND session = record.id
                                AND node = record.node
                        ) ORDER BY first LIMIT 1)
                    UNION ALL
                    SELECT first FROM correction AS word WHERE space = :space AND NOT deleted AND NOT EXISTS (
                        SELECT 1 FROM correction WHERE space = word.space AND session = word.session
                            AND node = word.node AND (at, id) > (word.at, word.id)
                    ))
                """, arguments: ["space": space.rawValue])
    }

    static func count(of node: NodeID, space: SpaceID, in database: Database) throws -> Int {
        try Int.fetchOne(
            database, sql: "SELECT count(*) FROM record INDEXED BY record_node WHERE space = ? AND node = ?",
            arguments: [space.rawValue, node.rawValue]) ?? 0
    }

    static func conflicts(in database: Database) throws -> [Ledger.Arrival] {
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT space, json, received FROM conflict WHERE EXISTS (
                    SELECT 1 FROM record WHERE space = conflict.space AND id = conflict.id AND node = conflict.node
                        AND epoch = conflict.epoch AND rev = conflict.rev
                ) AND NOT EXISTS (
                    SELECT 1 FROM correction WHERE space = conflict.space AND session = conflict.id
                        AND node = conflict.node AND at >= conflict.received
                ) ORDER BY received
                """)
        return try rows.compactMap { row in
            guard let space = SpaceID(row[0] as String) else { return nil }
            return Ledger.Arrival(space: space, filed: try filed(row[1]), at: row[2])
        }
    }

    // MARK: Corrections

    static func insert(_ correction: Correction, space: SpaceID, in database: Database) throws -> Bool {
        let content = correction.content
        let (first, last) = span(of: content?.runs ?? [], endsAt: nil, at: correction.at)
        try database.execute(
            sql: "INSERT OR IGNORE INTO correction VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            arguments: [
                space.rawValue, correction.id.rawValue, correction.key.session.rawValue, correction.at, first, last,
                content == nil, content?.title ?? "", content?.label?.name, content?.label?.colour.description,
                Data((content?.runs ?? []).json()), correction.key.node.rawValue,
            ])
        return database.changesCount > 0
    }

    static func corrections(
        of key: LedgerRecord.Key, space: SpaceID, in database: Database
    ) throws -> [Correction] {
        try Row.fetchAll(
            database, sql: "SELECT * FROM correction WHERE space = ? AND session = ? AND node = ? ORDER BY at, id",
            arguments: [space.rawValue, key.session.rawValue, key.node.rawValue]
        ).map(Correction.init(row:))
    }

    // MARK: Labels

    static func colours(of space: SpaceID, in database: Database) throws -> [String: Colour] {
        // Of the columns beside max() SQLite gives those of the row that holds it.
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT json_extract(CAST(json AS TEXT), '$.label.name') AS name,
                    json_extract(CAST(json AS TEXT), '$.label.colour'), max(stamp)
                FROM record WHERE space = ? GROUP BY name HAVING name IS NOT NULL
                """, arguments: [space.rawValue])
        return Dictionary(
            rows.map { ($0[0] as String, ($0[1] as String?).flatMap(Colour.init(hex:)) ?? .grey) },
            uniquingKeysWith: { first, _ in first })
    }

    // MARK: Signs of life

    static func gone(of space: SpaceID, in database: Database) throws -> [NodeID: Int64] {
        let rows = try Row.fetchAll(
            database.cachedStatement(sql: "SELECT node, since FROM gone WHERE space = ?"), arguments: [space.rawValue])
        return rows.reduce(into: [:]) { gone, row in
            if let node = NodeID(row[0] as String) { gone[node] = row[1] }
        }
    }

    static func setGone(_ node: NodeID, space: SpaceID, since: Int64, in database: Database) throws -> Bool {
        // Whatever it has recorded it was there to record.
        let heard = try Int64.fetchOne(
            database,
            sql: """
                SELECT received FROM record INDEXED BY record_node WHERE space = ? AND node = ?
                ORDER BY stamp DESC LIMIT 1
                """, arguments: [space.rawValue, node.rawValue])
        try database.execute(
            sql: "INSERT OR IGNORE INTO gone VALUES (?, ?, ?)",
            arguments: [space.rawValue, node.rawValue, max(since, heard ?? since)])
        return database.changesCount > 0
    }

    static func setBack(_ node: NodeID, space: SpaceID, in database: Database) throws -> Bool {
        try database.execute(
            sql: "DELETE FROM gone WHERE space = ? AND node = ?", arguments: [space.rawValue, node.rawValue])
        return database.changesCount > 0
    }

    // MARK: Problems

    static func set(problem text: String?, _ kind: LedgerProblem.Kind, at: Int64, in database: Database) throws {
        guard let text else {
            return try database.execute(sql: "DELETE FROM problem WHERE kind = ?", arguments: [kind.rawValue])
        }
        try database.execute(
            sql: "INSERT INTO problem VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET text = excluded.text",
            arguments: [kind.rawValue, at, text])
    }

    static func problems(in database: Database) throws -> [LedgerProblem] {
        try Row.fetchAll(database, sql: "SELECT kind, since, text FROM problem ORDER BY kind").compactMap { row in
            LedgerProblem.Kind(rawValue: row[0]).map { LedgerProblem(kind: $0, since: row[1], text: row[2]) }
        }
    }

    // MARK: Calm

    static func upsert(_ calm: CalmFeed, space: SpaceID, in database: Database) throws {
        try database.cachedStatement(
            sql: """
                INSERT INTO calm VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE
                SET percent = excluded.percent, coverage = excluded.coverage, at = excluded.at WHERE excluded.at >= at
                """
        ).execute(arguments: [space.rawValue, calm.session.rawValue, calm.percent, calm.coverage, calm.at])
    }

    static func calm(
        of sessions: [SessionID], space: SpaceID, in database: Database
    ) throws -> [SessionID: SessionCalm] {
        var found: [SessionID: SessionCalm] = [:]
        let statement = try database.cachedStatement(
            sql: "SELECT percent, coverage FROM calm WHERE space = ? AND session = ?")
        for session in sessions {
            guard let row = try Row.fetchOne(statement, arguments: [space.rawValue, session.rawValue]) else { continue }
            found[session] = SessionCalm(percent: row[0], coverage: row[1])
        }
        return found
    }

    // MARK: Rules

    static func insert(_ rules: WeekRules, from: Int64, in database: Database) throws {
        try database.execute(
            sql: """
                INSERT INTO rules (starts, goal, zone, weekday, dayStart, kinds, labels, minimum, carries)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                from, rules.goal, rules.zone.description, rules.firstWeekday, rules.dayStart,
                rules.counting.kinds.map(\.rawValue).sorted().joined(separator: ","),
                rules.counting.labels.map { $0.sorted().joined(separator: "\n") }, rules.counting.minimum,
                rules.carriesOver,
            ])
    }

    static func rules(in database: Database) throws -> [RulesHistory.Item] {
        try Row.fetchAll(database, sql: "SELECT * FROM rules ORDER BY number").map { row in
            guard let zone = Zone(row["zone"] as String) else {
                throw LedgerError.unreadable("zone \(row["zone"] as String)")
            }
            let kinds = (row["kinds"] as String).split(separator: ",").compactMap { PhaseKind(rawValue: String($0)) }
            let labels = (row["labels"] as String?).map { text in
                Set(text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
            }
            return RulesHistory.Item(
                from: row["starts"],
                rules: WeekRules(
                    goal: row["goal"], zone: zone, firstWeekday: row["weekday"], dayStart: row["dayStart"],
                    counting: Counting(kinds: Set(kinds), labels: labels, minimum: row["minimum"]),
                    carriesOver: row["carries"]))
        }
    }
}

extension Correction {
    fileprivate init(row: Row) throws {
        guard let id = CorrectionID(row["id"] as String), let session = SessionID(row["session"] as String),
            let node = NodeID(row["node"] as String),
            let runs = try? [LedgerRecord.Run](json: [UInt8](row["runs"] as Data))
        else { throw LedgerError.unreadable("correction") }
        let label = (row["label"] as String?).map { name in
            Label(name: name, colour: (row["colour"] as String?).flatMap(Colour.init(hex:)) ?? .grey)
        }
        let isDeleted: Bool = row["deleted"]
        self.init(
            id: id, key: LedgerRecord.Key(node: node, session: session), at: row["at"],
            content: isDeleted ? nil : Content(title: row["title"], label: label, runs: runs))
    }

    fileprivate static func latest(_ all: [Correction]) -> [LedgerRecord.Key: Correction] {
        all.reduce(into: [:]) { latest, word in
            if word.holds(against: latest[word.key]) { latest[word.key] = word }
        }
    }
}
