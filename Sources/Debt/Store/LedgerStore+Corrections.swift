// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GRDB
package import Session
import Wire

extension LedgerStore {
    /// Stores a correction, and returns whether it is new. The latest correction of a session applies.
    @discardableResult
    package func correct(_ correction: Correction, in space: SpaceID) throws -> Bool {
        let content = correction.content
        let (first, last) = Self.span(of: content?.runs ?? [], endsAt: nil, at: correction.at)
        return try write { connection in
            try connection.run(
                """
                INSERT INTO correction VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT DO NOTHING
                """,
                [
                    space.rawValue, correction.id.rawValue, correction.key.session.rawValue,
                    correction.at.milliseconds, first.milliseconds, last.milliseconds, content == nil,
                    content?.title ?? "", content?.label?.name, content?.label?.colour.description,
                    Data((content?.runs ?? []).json()), correction.key.node.rawValue,
                ]) > 0
        }
    }

    /// Corrects or, without content, deletes a session, even if the clock is behind that of an earlier correction.
    package func correct(
        _ key: LedgerRecord.Key, to content: Correction.Content?, id: CorrectionID, at now: GroupTime, in space: SpaceID
    ) throws {
        let last = try corrections(of: key, in: space).last?.at ?? 0
        try correct(Correction(id: id, key: key, at: max(now, last + 1), content: content), in: space)
    }

    package func corrections(of key: LedgerRecord.Key, in space: SpaceID) throws -> [Correction] {
        try read { try Self.corrections(of: key, space: space, in: $0) }
    }

    static func corrections(
        of key: LedgerRecord.Key, space: SpaceID, in connection: any LedgerConnection
    ) throws -> [Correction] {
        try connection.rows(
            """
            SELECT \(Correction.columns) FROM correction WHERE space = $1 AND session = $2 AND node = $3 ORDER BY at, id
            """, [space.rawValue, key.session.rawValue, key.node.rawValue]
        ).map { try Correction($0) }
    }

    /// Returns when the first run of a space started; `nil` without runs. Corrections are applied: deleted sessions are
    /// ignored, and moved ones count from their new start.
    package func beginning(of space: SpaceID) throws -> GroupTime? {
        try read {
            try $0.rows(
                """
                SELECT min(first) FROM (
                    SELECT first FROM (
                        SELECT first FROM record INDEXED BY record_first WHERE space = $1 AND NOT EXISTS (
                            SELECT 1 FROM correction WHERE space = record.space AND session = record.id
                                AND node = record.node
                        ) ORDER BY first LIMIT 1) AS uncorrected
                    UNION ALL
                    SELECT first FROM correction AS own WHERE space = $1 AND deleted = 0 AND NOT EXISTS (
                        SELECT 1 FROM correction WHERE space = own.space AND session = own.session
                            AND node = own.node AND (at, id) > (own.at, own.id)
                    )) AS corrected
                """, [space.rawValue]
            )[0][0] as GroupTime?
        }
    }
}

extension Correction {
    static let columns = ["id", "session", "node", "at", "deleted", "title", "label", "colour", "runs"]
        .map { "correction.\($0)" }.joined(separator: ", ")

    /// Reads ``columns`` from the column `start` on.
    init(_ row: LedgerRow, at start: Int = 0) throws {
        let colour: String? = try row[start + 7]
        let label = try (row[start + 6] as String?).map { name in
            Label(name: name, colour: colour.flatMap(Colour.init(hex:)) ?? .grey)
        }
        guard let runs = try? [LedgerRecord.Run](json: [UInt8](row[start + 8] as Data)) else {
            throw LedgerError.unreadable("correction")
        }
        self.init(
            id: try row.parsed(start, "correction", CorrectionID.init),
            key: LedgerRecord.Key(
                node: try row.parsed(start + 2, "correction", NodeID.init),
                session: try row.parsed(start + 1, "correction", SessionID.init)),
            at: try row[start + 3],
            content: try row[start + 4] ? nil : Content(title: try row[start + 5], label: label, runs: runs))
    }
}
