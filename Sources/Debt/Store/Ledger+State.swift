// SPDX-License-Identifier: Apache-2.0

import GRDB
package import Session
package import Wire

/// The tables beside records and corrections: nodes that are gone, calm, rules and problems.
extension Ledger {
    // MARK: Nodes that are gone

    /// Marks nodes as gone or present, in order. While a node is gone, its sessions that count up stop counting.
    /// `marks` are when each node was last seen, in milliseconds of group time, or `nil` for a present one; a later
    /// record in the ledger wins. Returns whether anything has changed.
    package func mark(_ marks: [(node: NodeID, goneSince: Int64?)], in space: SpaceID) throws -> Bool {
        try write { database in
            try marks.reduce(false) { hasChanged, mark in
                if let since = mark.goneSince {
                    try Self.setGone(mark.node, space: space, since: since, in: database)
                } else {
                    try database.execute(
                        sql: "DELETE FROM gone WHERE space = ? AND node = ?",
                        arguments: [space.rawValue, mark.node.rawValue])
                }
                return database.changesCount > 0 || hasChanged
            }
        }
    }

    private static func setGone(_ node: NodeID, space: SpaceID, since: Int64, in database: Database) throws {
        // A record proves that the node was there.
        let heard = try Int64.fetchOne(
            database,
            sql: """
                SELECT received FROM record INDEXED BY record_node WHERE space = ? AND node = ?
                ORDER BY stamp DESC LIMIT 1
                """, arguments: [space.rawValue, node.rawValue])
        try database.execute(
            sql: "INSERT OR IGNORE INTO gone VALUES (?, ?, ?)",
            arguments: [space.rawValue, node.rawValue, max(since, heard ?? since)])
    }

    /// Returns since when each node is gone that is marked so, in milliseconds of group time.
    package func gone(of space: SpaceID) throws -> [NodeID: Int64] { try read { try Self.gone(of: space, in: $0) } }

    static func gone(of space: SpaceID, in database: Database) throws -> [NodeID: Int64] {
        let rows = try Row.fetchAll(
            database.cachedStatement(sql: "SELECT node, since FROM gone WHERE space = ?"), arguments: [space.rawValue])
        return rows.reduce(into: [:]) { gone, row in
            if let node = NodeID(row[0] as String) { gone[node] = row[1] }
        }
    }

    // MARK: Calm

    package func store(_ calm: CalmFeed, in space: SpaceID) throws {
        try write {
            try $0.cachedStatement(
                sql: """
                    INSERT INTO calm VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET percent = excluded.percent,
                    coverage = excluded.coverage, at = excluded.at WHERE excluded.at >= at
                    """
            ).execute(arguments: [
                space.rawValue, calm.session.rawValue, calm.percent, calm.coverage, calm.at.milliseconds,
            ])
        }
    }

    /// Returns how calm sessions were; sessions without a measurement are missing.
    package func calm(of sessions: [SessionID], in space: SpaceID) throws -> [SessionID: SessionCalm] {
        try read { database in
            var found: [SessionID: SessionCalm] = [:]
            let statement = try database.cachedStatement(
                sql: "SELECT percent, coverage FROM calm WHERE space = ? AND session = ?")
            for session in sessions {
                let row = try Row.fetchOne(statement, arguments: [space.rawValue, session.rawValue])
                if let row { found[session] = SessionCalm(percent: row[0], coverage: row[1]) }
            }
            return found
        }
    }

    // MARK: Rules

    /// The history of the rules, each with the instant from which it applies.
    package func rules() throws -> [RulesHistory.Item] { try read { try Self.rules(in: $0) } }

    /// Stores rules that apply from `at` on, unless they equal the last ones, and returns the history with them.
    package func adopt(_ rules: WeekRules, at: Int64) throws -> RulesHistory {
        try write { database in
            guard var history = RulesHistory(try Self.rules(in: database)) else {
                try Self.insert(rules, from: .min, in: database)
                return RulesHistory(rules)
            }
            guard history.latest != rules else { return history }
            history.append(rules, from: at)
            try Self.insert(rules, from: history.items[history.items.count - 1].from, in: database)
            return history
        }
    }

    private static func insert(_ rules: WeekRules, from: Int64, in database: Database) throws {
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

    private static func rules(in database: Database) throws -> [RulesHistory.Item] {
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

    // MARK: Problems

    /// Stores a problem of the service, to be shown with the ledger; a `text` of `nil` clears it.
    package func set(problem text: String?, _ kind: LedgerProblem.Kind, at: Int64) throws {
        try write { database in
            guard let text else {
                return try database.execute(sql: "DELETE FROM problem WHERE kind = ?", arguments: [kind.rawValue])
            }
            try database.execute(
                sql: "INSERT INTO problem VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET text = excluded.text",
                arguments: [kind.rawValue, at, text])
        }
    }

    package func problems() throws -> [LedgerProblem] {
        try read {
            try Row.fetchAll($0, sql: "SELECT kind, since, text FROM problem ORDER BY kind").compactMap { row in
                LedgerProblem.Kind(rawValue: row[0]).map { LedgerProblem(kind: $0, since: row[1], text: row[2]) }
            }
        }
    }
}

/// How calm a session was, in percent.
package struct SessionCalm: Hashable, Sendable {
    /// Percent of the measured time that was quiet.
    package var percent: Int
    /// Percent of the running time that was measured.
    package var coverage: Int
}
