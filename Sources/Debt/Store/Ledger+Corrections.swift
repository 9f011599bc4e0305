// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GRDB
package import Session
import Wire

extension Ledger {
    /// Stores a correction, of which the latest applies, and returns whether it is new.
    @discardableResult
    package func correct(_ correction: Correction, in space: SpaceID) throws -> Bool {
        let content = correction.content
        let (first, last) = Self.span(of: content?.runs ?? [], endsAt: nil, at: GroupTime(correction.at))
        return try write { database in
            try database.execute(
                sql: "INSERT OR IGNORE INTO correction VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                arguments: [
                    space.rawValue, correction.id.rawValue, correction.key.session.rawValue, correction.at, first, last,
                    content == nil, content?.title ?? "", content?.label?.name, content?.label?.colour.description,
                    Data((content?.runs ?? []).json()), correction.key.node.rawValue,
                ])
            return database.changesCount > 0
        }
    }

    /// Corrects or, without content, deletes a session, even if the clock is behind that of an earlier correction.
    package func correct(
        _ key: LedgerRecord.Key, to content: Correction.Content?, id: CorrectionID, at now: Int64, in space: SpaceID
    ) throws {
        let last = try corrections(of: key, in: space).last?.at ?? 0
        try correct(Correction(id: id, key: key, at: max(now, last + 1), content: content), in: space)
    }

    package func corrections(of key: LedgerRecord.Key, in space: SpaceID) throws -> [Correction] {
        try read { try Self.corrections(of: key, space: space, in: $0) }
    }

    static func corrections(of key: LedgerRecord.Key, space: SpaceID, in database: Database) throws -> [Correction] {
        try Row.fetchAll(
            database, sql: "SELECT * FROM correction WHERE space = ? AND session = ? AND node = ? ORDER BY at, id",
            arguments: [space.rawValue, key.session.rawValue, key.node.rawValue]
        ).map(Correction.init(row:))
    }

    static func latestCorrections(
        of sessions: [SessionID], space: SpaceID, in database: Database
    ) throws -> [LedgerRecord.Key: Correction] {
        let ids = "[" + sessions.map { "\"\($0)\"" }.joined(separator: ",") + "]"
        let rows = try Row.fetchAll(
            database.cachedStatement(
                sql: """
                    SELECT correction.* FROM json_each(?) CROSS JOIN correction INDEXED BY correction_session
                        ON space = ? AND session = value
                    """), arguments: [ids, space.rawValue])
        return try rows.map(Correction.init(row:)).reduce(into: [:]) { latest, correction in
            if correction.holds(against: latest[correction.key]) { latest[correction.key] = correction }
        }
    }

    /// Returns when the first run of a space started; `nil` without runs. Corrections are applied: deleted sessions are
    /// ignored, and moved ones count from their new start.
    package func beginning(of space: SpaceID) throws -> Int64? {
        try read {
            try Int64.fetchOne(
                $0,
                sql: """
                    SELECT min(first) FROM (
                        SELECT first FROM (
                            SELECT first FROM record INDEXED BY record_first WHERE space = :space AND NOT EXISTS (
                                SELECT 1 FROM correction WHERE space = record.space AND session = record.id
                                    AND node = record.node
                            ) ORDER BY first LIMIT 1)
                        UNION ALL
                        SELECT first FROM correction AS own WHERE space = :space AND NOT deleted AND NOT EXISTS (
                            SELECT 1 FROM correction WHERE space = own.space AND session = own.session
                                AND node = own.node AND (at, id) > (own.at, own.id)
                        ))
                    """, arguments: ["space": space.rawValue])
        }
    }
}

extension Correction {
    init(row: Row) throws {
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
}
