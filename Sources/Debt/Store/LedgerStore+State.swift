// SPDX-License-Identifier: Apache-2.0

import GRDB
package import Session
package import Wire

/// The tables beside records and corrections: nodes that are gone, calm, rules and problems.
extension LedgerStore {
    // MARK: Nodes that are gone

    /// Notes nodes as gone or present, in order. While a node is gone, its sessions that count up stop counting.
    /// `absences` are when each node was last seen, or `nil` for a present one; a later record in the ledger wins.
    /// Returns whether anything has changed.
    package func noteAbsences(_ absences: [(node: NodeID, goneSince: GroupTime?)], in space: SpaceID) throws -> Bool {
        try write { connection in
            try absences.reduce(false) { hasChanged, absence in
                let key: LedgerArguments = [space.rawValue, absence.node.rawValue]
                guard let since = absence.goneSince else {
                    return try connection.run("DELETE FROM gone WHERE space = $1 AND node = $2", key) > 0 || hasChanged
                }
                // A record proves that the node was there.
                let heard =
                    try connection.rows(
                        """
                        SELECT received FROM record INDEXED BY record_node WHERE space = $1 AND node = $2
                        ORDER BY stamp DESC LIMIT 1
                        """, key
                    ).first?[0] as GroupTime?
                return try connection.run(
                    "INSERT INTO gone VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
                    key + [max(since, heard ?? since).milliseconds]) > 0 || hasChanged
            }
        }
    }

    /// Returns when each node that is marked as gone was last seen.
    package func gone(of space: SpaceID) throws -> [NodeID: GroupTime] { try read { try Self.gone(of: space, in: $0) } }

    static func gone(of space: SpaceID, in connection: any LedgerConnection) throws -> [NodeID: GroupTime] {
        try connection.rows("SELECT node, since FROM gone WHERE space = $1", [space.rawValue])
            .reduce(into: [:]) { gone, row in
                if let node = NodeID(try row[0]) { gone[node] = try row[1] }
            }
    }

    // MARK: Calm

    package func store(_ calm: CalmFeed, in space: SpaceID) throws {
        try write {
            _ = try $0.run(
                """
                INSERT INTO calm VALUES ($1, $2, $3, $4, $5) ON CONFLICT (space, session) DO UPDATE
                SET percent = excluded.percent, coverage = excluded.coverage, at = excluded.at WHERE excluded.at >= calm.at
                """,
                [
                    space.rawValue, calm.session.rawValue, calm.percent, calm.coverage, calm.at.milliseconds,
                ])
        }
    }

    /// Returns how calm sessions were; sessions without a measurement are missing.
    package func calm(of sessions: [SessionID], in space: SpaceID) throws -> [SessionID: SessionCalm] {
        try read { connection in
            var found: [SessionID: SessionCalm] = [:]
            try connection.run(
                "SELECT session, percent, coverage FROM calm WHERE space = $1 AND session = $2",
                for: sessions.map { [space.rawValue, $0.rawValue] }
            ) { row in
                let session = try row.parsed(0, "calm", SessionID.init)
                found[session] = SessionCalm(percent: try row[1], coverage: try row[2])
            }
            return found
        }
    }

    // MARK: Rules

    /// Returns the history of the rules, each with the instant from which it applies.
    package func rules() throws -> [RulesHistory.Item] { try read { try Self.rules(in: $0) } }

    /// Stores rules that apply from `at` on, unless they equal the last ones, and returns the history with them.
    package func adopt(_ rules: WeekRules, at: GroupTime) throws -> RulesHistory {
        try write { connection in
            guard var history = RulesHistory(try Self.rules(in: connection)) else {
                try Self.insert(rules, from: .distantPast, in: connection)
                return RulesHistory(rules)
            }
            guard history.latest != rules else { return history }
            history.append(rules, from: at)
            try Self.insert(rules, from: history.items[history.items.count - 1].from, in: connection)
            return history
        }
    }

    private static func insert(_ rules: WeekRules, from: GroupTime, in connection: any LedgerConnection) throws {
        try connection.run(
            """
            INSERT INTO rules SELECT coalesce(max(number), 0) + 1, $1, $2, $3, $4, $5, $6, $7, $8, $9 FROM rules
            """,
            [
                from.milliseconds, rules.goal, rules.zone.description, rules.firstWeekday, rules.dayStart,
                rules.counting.kinds.map(\.rawValue).sorted().joined(separator: ","),
                rules.counting.labels.map { $0.sorted().joined(separator: "\n") }, rules.counting.minimum.count,
                rules.carriesOver,
            ])
    }

    private static func rules(in connection: any LedgerConnection) throws -> [RulesHistory.Item] {
        try connection.rows(
            """
            SELECT starts, goal, zone, weekday, dayStart, kinds, labels, minimum, carries FROM rules ORDER BY number
            """
        ).map { row in
            let kinds = try (row[5] as String).split(separator: ",").compactMap { PhaseKind(rawValue: String($0)) }
            let labels = try (row[6] as String?).map { text in
                Set(text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
            }
            return RulesHistory.Item(
                from: try row[0],
                rules: WeekRules(
                    goal: try row[1], zone: try row.parsed(2, "zone \(row[2] as String)") { Zone($0) },
                    firstWeekday: try row[3], dayStart: try row[4],
                    counting: Counting(kinds: Set(kinds), labels: labels, minimum: Milliseconds(try row[7])),
                    carriesOver: try row[8]))
        }
    }

    // MARK: Problems

    /// Stores a problem of the service, to be shown with the ledger; a `text` of `nil` clears it.
    package func set(problem text: String?, _ kind: LedgerProblem.Kind, at: WallTime) throws {
        try write { connection in
            guard let text else {
                return _ = try connection.run("DELETE FROM problem WHERE kind = $1", [kind.rawValue])
            }
            try connection.run(
                "INSERT INTO problem VALUES ($1, $2, $3) ON CONFLICT (kind) DO UPDATE SET text = excluded.text",
                [kind.rawValue, at.milliseconds, text])
        }
    }

    package func problems() throws -> [LedgerProblem] {
        try read {
            try $0.rows("SELECT kind, text FROM problem ORDER BY kind").compactMap { row in
                try LedgerProblem.Kind(rawValue: row[0]).map { LedgerProblem(kind: $0, text: try row[1]) }
            }
        }
    }
}

/// How calm a session was.
package struct SessionCalm: Hashable, Sendable {
    /// Percent of the measured time that was quiet.
    package var percent: Int
    /// Percent of the running time that was measured.
    package var coverage: Int
}
