// SPDX-License-Identifier: Apache-2.0

import CPostgres
import FoundationEssentials
import GRDB
import Glibc

/// A connection to PostgreSQL, used by one thread at a time. Errors name the URL, which holds no password.
final class PostgresConnection: LedgerConnection, @unchecked Sendable {
    /// The number of statements that are sent before the first result is read, and of rows in `VALUES`.
    private static let (pipelined, rows) = (1_024, 128)
    /// The keepalives let PostgreSQL free the lock of a machine that is gone. Scans and joins that a planner without
    /// statistics would wrongly choose are off. A commit is flushed even where the database's default is not to.
    private static let settings = """
        SET client_min_messages = error; SET lock_timeout = 10000; SET plan_cache_mode = force_generic_plan;
        SET tcp_keepalives_idle = 3; SET tcp_keepalives_interval = 1; SET tcp_keepalives_count = 3;
        SET tcp_user_timeout = 6000; SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off;
        SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';
        """

    private let url: String
    private let connection: OpaquePointer
    /// The names of prepared statements, by their text.
    private var statements: [String: String] = [:]
    /// Whether another process has notified this one.
    var isNotified = false
    /// The number of rows that this connection has changed.
    private var changed = 0
    /// The value of ``changed`` at which the statistics are updated next.
    private var nextStatistics = 200

    /// Connects. A parameter of the URL overrides one that is given here.
    init(_ url: String) throws {
        self.url = url
        if let problem = cpostgres_load() {
            throw LedgerError.unusable(
                path: url, "\(String(cString: problem)); install libpq: sudo apt install libpq5")
        }
        let parameters = [
            "connect_timeout": "5", "keepalives_idle": "3", "keepalives_interval": "1", "keepalives_count": "3",
            "tcp_user_timeout": "6000", "client_encoding": "UTF8", "fallback_application_name": "lockstep-debt",
        ]
        let names = (Array(parameters.keys) + ["dbname"]).map { strdup($0) }
        let values = (Array(parameters.values) + [url]).map { strdup($0) }
        defer { for text in names + values { free(text) } }
        let opened = cpostgres_PQconnectdbParams(
            names.map { UnsafePointer($0) } + [nil], values.map { UnsafePointer($0) } + [nil], 1)
        guard let opened else { throw LedgerError.lost(path: url, "no memory") }
        connection = opened
        guard isAlive else { throw failure(nil) }
        try command(Self.settings)
    }

    deinit { cpostgres_PQfinish(connection) }

    private var isAlive: Bool { cpostgres_PQstatus(connection) == CPOSTGRES_OK }

    /// Runs statements that have no arguments and no result.
    func command(_ sql: String) throws {
        let result = cpostgres_PQexec(connection, sql)
        defer { cpostgres_PQclear(result) }
        guard [CPOSTGRES_COMMAND_OK, CPOSTGRES_TUPLES_OK].contains(Int(cpostgres_PQresultStatus(result))) else {
            throw failure(result)
        }
    }

    func transaction<Value>(_ begin: String, _ body: (any LedgerConnection) throws -> Value) throws -> Value {
        try command(begin)
        do {
            let value = try body(self)
            try command("COMMIT")
            return value
        } catch {
            try? command("ROLLBACK")
            throw error
        }
    }

    /// Updates the statistics whenever the number of changed rows has doubled. Without them PostgreSQL reads wrong
    /// indices until its autovacuum updates them, minutes after a ledger was filled.
    func updateStatistics() {
        guard changed >= nextStatistics else { return }
        nextStatistics = 2 * changed
        try? command("ANALYZE (SKIP_LOCKED) record, correction")
    }

    /// Reads what has arrived, without waiting.
    /// - Throws: ``LedgerError`` if the connection has ended.
    func check() throws {
        guard cpostgres_PQconsumeInput(connection) == 1, isAlive else { throw failure(nil) }
        while let notice = cpostgres_PQnotifies(connection) {
            cpostgres_PQfreemem(notice)
            isNotified = true
        }
    }

    /// Returns the error of a result or, without a result, of the connection.
    private func failure(_ result: OpaquePointer?) -> LedgerError {
        let message = result.map(cpostgres_PQresultErrorMessage) ?? cpostgres_PQerrorMessage(connection)
        let words = message.map { String(cString: $0).split(whereSeparator: \.isWhitespace) } ?? []
        let text = words.joined(separator: " ")
        return isAlive ? .unusable(path: url, text) : .lost(path: url, text)
    }

    // MARK: Statements

    func run(_ sql: String, for lists: [LedgerArguments], each: (LedgerRow) throws -> Void) throws -> Int {
        var (groups, size): ([ArraySlice<LedgerArguments>], Int) = ([], sql.contains("VALUES ($1") ? Self.rows : 1)
        while case let start = groups.last?.endIndex ?? 0, start < lists.count {
            // Powers of two, so that few statements are prepared.
            while size > lists.count - start { size /= 2 }
            groups.append(lists[start..<start + size])
        }
        var (changes, error): (Int, (any Error)?) = (0, nil)
        for start in stride(from: 0, to: groups.count, by: Self.pipelined) where error == nil {
            let part = groups[start..<min(start + Self.pipelined, groups.count)]
            let names = try part.map { try prepare(sql, $0) }
            guard cpostgres_PQenterPipelineMode(connection) == 1 else { throw failure(nil) }
            for (name, group) in zip(names, part) where isAlive { send(name, Array(group.joined())) }
            cpostgres_PQpipelineSync(connection)
            for _ in part {
                cpostgres_PQsetSingleRowMode(connection)
                while let result = cpostgres_PQgetResult(connection) {
                    defer { cpostgres_PQclear(result) }
                    // The results that follow an error are read, too: only then the connection can be used again.
                    guard error == nil else { continue }
                    switch Int(cpostgres_PQresultStatus(result)) {
                    case CPOSTGRES_SINGLE_TUPLE:
                        do { try each(try row(result)) } catch let thrown { error = thrown }
                    case CPOSTGRES_TUPLES_OK: break
                    case CPOSTGRES_COMMAND_OK:
                        changes += cpostgres_PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0
                    default: error = failure(result)
                    }
                }
            }
            // The result that marks the end of the pipeline.
            cpostgres_PQclear(cpostgres_PQgetResult(connection))
            if cpostgres_PQexitPipelineMode(connection) != 1, error == nil { error = failure(nil) }
        }
        if let error { throw error }
        changed += changes
        return changes
    }

    /// Prepares a statement for a group of lists of arguments, and returns its name.
    private func prepare(_ sql: String, _ group: ArraySlice<LedgerArguments>) throws -> String {
        let key = "\(group.count) \(sql)"
        if let name = statements[key] { return name }
        let (name, width) = ("s\(statements.count)", group.first?.count ?? 0)
        // The OIDs of the types; 0 lets PostgreSQL infer one.
        let types: [UInt32] = group.joined().map { argument in
            switch (argument?.databaseValue ?? .null).storage {
            case .int64: Self.integers[0]
            case .string: Self.texts[0]
            case .blob: Self.bytes
            case .null, .double: 0
            }
        }
        var text = sql.replacing(#/INDEXED BY \w+/#, with: "")
        if group.count > 1 {
            let rows = group.indices.enumerated().map { row, _ in
                "(" + (1...width).map { "$\(row * width + $0)" }.joined(separator: ", ") + ")"
            }
            text = text.replacing(#/VALUES \([^)]*\)/#, with: "VALUES " + rows.joined(separator: ", "))
        }
        let result = cpostgres_PQprepare(connection, name, text, Int32(types.count), types)
        defer { cpostgres_PQclear(result) }
        guard Int(cpostgres_PQresultStatus(result)) == CPOSTGRES_COMMAND_OK else { throw failure(result) }
        statements[key] = name
        return name
    }

    /// Sends the arguments of a statement in PostgreSQL's binary form.
    private func send(_ name: String, _ arguments: LedgerArguments) {
        var bytes: [UInt8] = []
        var ranges: [Range<Int>?] = []
        for value in arguments.map({ $0?.databaseValue ?? .null }) {
            let start = bytes.count
            switch value.storage {
            case .int64(let number): withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
            case .string(let text): bytes += text.utf8
            case .blob(let data): bytes += data
            case .null, .double: break
            }
            ranges.append(value.isNull ? nil : start..<bytes.count)
        }
        // An empty text has an address as well.
        bytes.append(0)
        bytes.withUnsafeBytes { buffer in
            let start = buffer.assumingMemoryBound(to: CChar.self).baseAddress
            _ = cpostgres_PQsendQueryPrepared(
                connection, name, Int32(ranges.count),
                ranges.map { range in range.flatMap { start?.advanced(by: $0.lowerBound) } },
                ranges.map { Int32($0?.count ?? 0) }, ranges.map { _ in 1 }, 1)
        }
    }

    private func row(_ result: OpaquePointer) throws -> LedgerRow {
        LedgerRow(
            values: try (0..<cpostgres_PQnfields(result)).map { column in
                guard cpostgres_PQgetisnull(result, 0, column) == 0 else { return .null }
                let value = UnsafeRawBufferPointer(
                    start: cpostgres_PQgetvalue(result, 0, column),
                    count: Int(cpostgres_PQgetlength(result, 0, column)))
                let type = cpostgres_PQftype(result, column)
                if Self.integers.contains(type) { return value.reduce(Int64(0)) { $0 << 8 | Int64($1) }.databaseValue }
                if Self.texts.contains(type) { return String(decoding: value, as: UTF8.self).databaseValue }
                guard type == Self.bytes else { throw LedgerError.unreadable("type of a column") }
                return Data(value).databaseValue
            })
    }

    // The OIDs of PostgreSQL's types int8 and int4, text and name, and bytea.
    private static let integers: [UInt32] = [20, 23]
    private static let texts: [UInt32] = [25, 19]
    private static let bytes: UInt32 = 17
}
