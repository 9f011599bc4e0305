// SPDX-License-Identifier: Apache-2.0

import GRDB

/// The tables of the ledger.
enum LedgerSchema {
    /// The length in milliseconds from which the index `record_long` finds a session by its end: two days.
    static let longSession = 172_800_000

    /// The migrations, which create the tables in an empty file.
    static var migrations: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("ledger") { try $0.execute(sql: definitions) }
        return migrator
    }

    /// The tables and their indices. ``isOwn(_:)`` compares this text with a ledger's, so comments stay out of it.
    ///
    /// In `record`, `first` and `last` are a session's first and last instant, by which a week finds it; an open run
    /// ends at its planned end. The few sessions longer than two days have an index by their ends, so that the cost of
    /// a week is independent of the size of the ledger. In `rules`, `starts` is never NULL; the first row has the
    /// smallest integer. `kinds` are separated by commas, `labels` by line feeds; NULL means all labels.
    private static let definitions = """
        CREATE TABLE record (
            space TEXT NOT NULL, id TEXT NOT NULL, lineage TEXT NOT NULL, node TEXT NOT NULL,
            epoch INTEGER NOT NULL, rev INTEGER NOT NULL, digest TEXT NOT NULL,
            stamp INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
            received INTEGER NOT NULL, json BLOB NOT NULL, first_received INTEGER NOT NULL, final_received INTEGER,
            PRIMARY KEY (space, id, node)
        ) WITHOUT ROWID;
        CREATE INDEX record_lineage ON record (space, lineage, first);
        CREATE INDEX record_node ON record (space, node, stamp);
        CREATE INDEX record_first ON record (space, first, last, lineage);
        CREATE INDEX record_long ON record (space, last, first, lineage) WHERE last - first > \(longSession);
        CREATE TABLE correction (
            space TEXT NOT NULL, id TEXT NOT NULL, session TEXT NOT NULL, at INTEGER NOT NULL,
            first INTEGER NOT NULL, last INTEGER NOT NULL, deleted INTEGER NOT NULL,
            title TEXT NOT NULL, label TEXT, colour TEXT, runs BLOB NOT NULL, node TEXT NOT NULL,
            PRIMARY KEY (space, id)
        ) WITHOUT ROWID;
        CREATE INDEX correction_session ON correction (space, session, at);
        CREATE INDEX correction_last ON correction (space, last, first);
        CREATE TABLE conflict (
            space TEXT NOT NULL, id TEXT NOT NULL, node TEXT NOT NULL, epoch INTEGER NOT NULL,
            rev INTEGER NOT NULL, digest TEXT NOT NULL, received INTEGER NOT NULL, json BLOB NOT NULL,
            PRIMARY KEY (space, id, node, epoch, rev, digest)
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
        CREATE TABLE gone (
            space TEXT NOT NULL, node TEXT NOT NULL, since INTEGER NOT NULL, PRIMARY KEY (space, node)
        ) WITHOUT ROWID;
        CREATE TABLE problem (
            kind TEXT PRIMARY KEY, since INTEGER NOT NULL, text TEXT NOT NULL
        ) WITHOUT ROWID;
        """

    /// The tables in PostgreSQL: those of SQLite, with texts that compare by their bytes, and two more.
    /// `server` has the services that have served from this database, `ledger_version` the version of the tables.
    static let definitionsOfPostgres =
        [
            (") WITHOUT ROWID", ")"), (" INTEGER", " BIGINT"), (" BLOB", " BYTEA"), (" TEXT", " TEXT COLLATE \"C\""),
        ].reduce(definitions) { $0.replacing($1.0, with: $1.1) } + """
            CREATE TABLE server (
                space TEXT COLLATE "C" NOT NULL, node TEXT COLLATE "C" NOT NULL, PRIMARY KEY (space, node)
            );
            CREATE TABLE ledger_version (number BIGINT NOT NULL);
            INSERT INTO ledger_version VALUES (\(version));
            """
    static let version: Int64 = 1

    /// The tables that a copy of a ledger has; `problem` is about the running service.
    static let tables = ["record", "correction", "conflict", "calm", "rules", "gone"]

    /// Checks a file. Throws if it has other tables, or triggers and views, which would act at the next write.
    static func check(_ database: Database, named name: String) throws {
        let objects = try Row.fetchAll(database, sql: "SELECT type, name FROM sqlite_master")
        guard !objects.isEmpty else { return }
        let tables = Set(objects.filter { ($0["type"] as String) == "table" }.map { $0["name"] as String })
        guard tables.isSuperset(of: ["grdb_migrations", "record", "correction", "rules"]),
            !objects.contains(where: { ["trigger", "view"].contains($0["type"] as String) })
        else { throw LedgerError.foreign(path: name) }
        if try migrations.hasBeenSuperseded(database) { throw LedgerError.newer(path: name) }
    }

    /// Returns whether a database of this version has our tables and indices only, as we create them.
    static func isOwn(_ database: Database) throws -> Bool {
        let own = try DatabaseQueue()
        try migrations.migrate(own)
        return try objects(of: database) == own.read(objects)
    }

    /// Returns the definitions of all tables and indices but SQLite's own, with uniform white space.
    private static func objects(of database: Database) throws -> Set<String> {
        let definitions = try String.fetchAll(
            database, sql: "SELECT name || ' ' || coalesce(sql, '') FROM sqlite_master WHERE name NOT LIKE 'sqlite%'")
        return Set(definitions.map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") })
    }
}
