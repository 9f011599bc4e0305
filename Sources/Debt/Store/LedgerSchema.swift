// SPDX-License-Identifier: Apache-2.0

import GRDB

/// The tables of the ledger's file, and how a file of an earlier version is brought up to date.
enum LedgerSchema {
    static var migrations: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { database in
            // A record's first and last instant are beside it, so that a week finds what may count in it; what is open
            // ends where it ends by itself.
            try database.execute(
                sql: """
                    CREATE TABLE record (
                        space TEXT NOT NULL, id TEXT NOT NULL, lineage TEXT NOT NULL, node TEXT NOT NULL,
                        epoch INTEGER NOT NULL, rev INTEGER NOT NULL, digest TEXT NOT NULL,
                        stamp INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
                        received INTEGER NOT NULL, json BLOB NOT NULL,
                        PRIMARY KEY (space, id)
                    ) WITHOUT ROWID;
                    CREATE INDEX record_last ON record (space, last, first);
                    CREATE INDEX record_lineage ON record (space, lineage, first);
                    CREATE INDEX record_node ON record (space, node, stamp);
                    CREATE TABLE correction (
                        space TEXT NOT NULL, id TEXT NOT NULL, session TEXT NOT NULL, at INTEGER NOT NULL,
                        first INTEGER NOT NULL, last INTEGER NOT NULL, deleted INTEGER NOT NULL,
                        title TEXT NOT NULL, label TEXT, colour TEXT, runs BLOB NOT NULL,
                        PRIMARY KEY (space, id)
                    ) WITHOUT ROWID;
                    CREATE INDEX correction_session ON correction (space, session, at);
                    CREATE INDEX correction_last ON correction (space, last, first);
                    CREATE TABLE conflict (
                        space TEXT NOT NULL, id TEXT NOT NULL, epoch INTEGER NOT NULL, rev INTEGER NOT NULL,
                        digest TEXT NOT NULL, received INTEGER NOT NULL, json BLOB NOT NULL,
                        PRIMARY KEY (space, id, epoch, rev, digest)
                    ) WITHOUT ROWID;
                    CREATE TABLE calm (
                        space TEXT NOT NULL, session TEXT NOT NULL, percent INTEGER NOT NULL,
                        coverage INTEGER NOT NULL, at INTEGER NOT NULL,
                        PRIMARY KEY (space, session)
                    ) WITHOUT ROWID;
                    CREATE TABLE rules (
                        number INTEGER PRIMARY KEY, starts INTEGER, goal INTEGER NOT NULL, zone TEXT NOT NULL,
                        weekday INTEGER NOT NULL, dayStart INTEGER NOT NULL, kinds TEXT NOT NULL, labels TEXT,
                        minimum INTEGER NOT NULL, carries INTEGER NOT NULL
                    );
                    """)
        }
        migrator.registerMigration("2") { database in
            try database.execute(
                sql: """
                    CREATE TABLE gone (
                        space TEXT NOT NULL, node TEXT NOT NULL, since INTEGER NOT NULL, PRIMARY KEY (space, node)
                    ) WITHOUT ROWID
                    """)
        }
        migrator.registerMigration("3") { database in
            // A week is found by its sessions' beginnings, so that it costs the same however long the ledger is. The
            // few that last longer than anybody works are looked for by their ends.
            try database.execute(
                sql: """
                    DROP INDEX record_last;
                    CREATE INDEX record_first ON record (space, first, last, lineage);
                    CREATE INDEX record_long ON record (space, last, first, lineage) WHERE last - first > 172800000;
                    """)
        }
        migrator.registerMigration("4", migrate: addNodeToKeys)
        return migrator
    }

    /// Makes the node part of each key, so that no node replaces what another one has recorded.
    ///
    /// Of each record `begun` is when its first version arrived, `ended` when its first final one did. Of records from
    /// before, the order of arrival is not known: they count as begun before everything, so that their takeovers hold.
    private static func addNodeToKeys(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE record4 (
                    space TEXT NOT NULL, id TEXT NOT NULL, lineage TEXT NOT NULL, node TEXT NOT NULL,
                    epoch INTEGER NOT NULL, rev INTEGER NOT NULL, digest TEXT NOT NULL,
                    stamp INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
                    received INTEGER NOT NULL, json BLOB NOT NULL, begun INTEGER NOT NULL, ended INTEGER,
                    PRIMARY KEY (space, id, node)
                ) WITHOUT ROWID;
                INSERT INTO record4 SELECT *, 0,
                    CASE WHEN json_extract(CAST(json AS TEXT), '$.status') IN ('completed', 'stopped', 'superseded')
                    THEN received END FROM record;
                CREATE TABLE correction4 (
                    space TEXT NOT NULL, id TEXT NOT NULL, session TEXT NOT NULL, at INTEGER NOT NULL,
                    first INTEGER NOT NULL, last INTEGER NOT NULL, deleted INTEGER NOT NULL,
                    title TEXT NOT NULL, label TEXT, colour TEXT, runs BLOB NOT NULL, node TEXT NOT NULL,
                    PRIMARY KEY (space, id)
                ) WITHOUT ROWID;
                INSERT INTO correction4 SELECT correction.*, record.node FROM correction JOIN record
                    ON record.space = correction.space AND record.id = correction.session;
                CREATE TABLE conflict4 (
                    space TEXT NOT NULL, id TEXT NOT NULL, node TEXT NOT NULL, epoch INTEGER NOT NULL,
                    rev INTEGER NOT NULL, digest TEXT NOT NULL, received INTEGER NOT NULL, json BLOB NOT NULL,
                    PRIMARY KEY (space, id, node, epoch, rev, digest)
                ) WITHOUT ROWID;
                INSERT INTO conflict4 SELECT space, id, json_extract(CAST(json AS TEXT), '$.node'), epoch, rev, digest,
                    received, json FROM conflict;
                DROP TABLE record;
                DROP TABLE correction;
                DROP TABLE conflict;
                ALTER TABLE record4 RENAME TO record;
                ALTER TABLE correction4 RENAME TO correction;
                ALTER TABLE conflict4 RENAME TO conflict;
                CREATE INDEX record_lineage ON record (space, lineage, first);
                CREATE INDEX record_node ON record (space, node, stamp);
                CREATE INDEX record_first ON record (space, first, last, lineage);
                CREATE INDEX record_long ON record (space, last, first, lineage) WHERE last - first > 172800000;
                CREATE INDEX correction_session ON correction (space, session, at);
                CREATE INDEX correction_last ON correction (space, last, first);
                CREATE TABLE problem (
                    kind TEXT PRIMARY KEY, since INTEGER NOT NULL, text TEXT NOT NULL
                ) WITHOUT ROWID;
                """)
    }

    /// Says whether a file's tables are those of a ledger that this program knows.
    static func kind(of database: Database) throws -> Kind {
        let tables = try Set(String.fetchAll(database, sql: "SELECT name FROM sqlite_master WHERE type = 'table'"))
        guard !tables.isEmpty else { return .empty }
        guard tables.isSuperset(of: ["grdb_migrations", "record", "correction", "rules"]) else { return .foreign }
        return try migrations.hasBeenSuperseded(database) ? .newer : .known
    }

    /// What a file is.
    enum Kind {
        /// It has no tables.
        case empty
        /// It is a ledger of this version or of an earlier one.
        case known
        /// It is a ledger of a later version.
        case newer
        /// It is a database of something else.
        case foreign
    }
}
