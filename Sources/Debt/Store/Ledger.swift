// SPDX-License-Identifier: Apache-2.0

import GRDB
import Glibc
public import Session
public import Wire

/// The ledger on disk: what nodes have recorded, what persons have said of it, and the rules of the week.
///
/// One file of SQLite in WAL mode. The service writes it, and so do the commands `correct`, `delete` and `import`, also while
/// the service runs. Every call is a transaction of its own, and on disk when it returns. ``LedgerSQL`` holds all queries.
public final class Ledger: Sendable {
    /// The file's path.
    public let path: String
    /// Why the file is read from a copy; `nil` where it is used itself. Nothing can be written to a copy.
    public let unwritable: LedgerError?
    private let copy: LedgerCopy?
    private let database: DatabasePool

    /// Opens the file, or makes it, brings it up to date and checks that it is whole.
    /// - Throws: ``LedgerError`` when it is damaged, not a ledger, of a later version, or cannot be used. The file is
    ///   unchanged then.
    public convenience init(path: String) throws { try self.init(path: path, copy: nil, because: nil) }

    private init(path: String, copy: LedgerCopy?, because reason: LedgerError?) throws {
        self.path = path
        self.copy = copy
        unwritable = reason
        database = try Self.open(copy?.path ?? path, named: path)
    }

    /// Opens a copy of a ledger; errors name the original.
    init(copy: String, named original: String) throws {
        path = original
        self.copy = nil
        unwritable = nil
        database = try Self.open(copy, named: original)
    }

    /// Opens the file to read it, also where its disk is full or read-only: then from a copy in memory.
    public static func reading(path: String) throws -> Ledger {
        do {
            // With its log beside it, SQLite opens such a file without a word.
            guard access(path, F_OK) != 0 || access(path, W_OK) == 0 else { throw LedgerError.readOnly(path: path) }
            return try Ledger(path: path)
        } catch let error as LedgerError {
            switch error {
            case .readOnly, .full, .unusable: break
            case .damaged, .foreign, .newer, .empty, .unreadable: throw error
            }
            guard let copy = try? LedgerCopy(of: path) else { throw error }
            return try Ledger(path: path, copy: copy, because: error)
        }
    }

    private static func open(_ path: String, named name: String) throws -> DatabasePool {
        var configuration = Configuration()
        configuration.prepareDatabase { database in
            // In WAL mode a commit is on disk at each flush only so.
            try database.execute(sql: "PRAGMA synchronous = FULL")
        }
        configuration.busyMode = .timeout(5)
        return try LedgerError.translating(name) {
            // A pool changes the file's mode, so a file of something else is recognized before.
            if try LedgerCopy.size(of: path) > 0 {
                var reading = Configuration()
                reading.readonly = true
                reading.busyMode = .timeout(5)
                let queue = try DatabaseQueue(path: path, configuration: reading)
                let kind = try queue.read { try LedgerSchema.kind(of: $0) }
                try queue.close()
                if kind == .foreign { throw LedgerError.foreign(path: name) }
                if kind == .newer { throw LedgerError.newer(path: name) }
            }
            let database = try DatabasePool(path: path, configuration: configuration)
            try LedgerSchema.migrations.migrate(database)
            let found = try database.read { try String.fetchAll($0, sql: "PRAGMA quick_check(10)") }
            guard found == ["ok"] else { throw LedgerError.damaged(path: name, found.joined(separator: "; ")) }
            return database
        }
    }

    private func write<Value>(_ body: (Database) throws -> Value) throws -> Value {
        if let unwritable { throw unwritable }
        return try LedgerError.translating(path) { try database.write(body) }
    }

    private func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try LedgerError.translating(path) { try database.read(body) }
    }

    /// Ends the use of the file: nothing is left in its log.
    public func close() throws {
        try LedgerError.translating(path) {
            if unwritable == nil { _ = try database.writeWithoutTransaction { try $0.checkpoint(.truncate) } }
            try database.close()
        }
    }

    // MARK: What arrives

    /// A record of a space, as it arrived.
    public struct Arrival: Hashable, Sendable {
        /// The space.
        public var space: SpaceID
        /// The record.
        public var filed: FiledRecord
        /// When it arrived, in milliseconds of group time.
        public var at: Int64

        /// Makes an arrival.
        public init(space: SpaceID, filed: FiledRecord, at: Int64) {
            self.space = space
            self.filed = filed
            self.at = at
        }
    }

    /// What became of a record.
    public struct Outcome: Hashable, Sendable {
        /// Whether it is in the ledger now.
        public var filing: Filing
        /// The first instant whose minutes may be others than before.
        public var touches: Int64
    }

    /// Files records in one transaction.
    /// - Parameter quota: How many new sessions each node may add; no limit where it is `nil`.
    /// - Returns: What became of each, once that is on disk.
    public func file(_ arrivals: [Arrival], within quota: RecordQuota? = nil) throws -> [Outcome] {
        try write { database in
            try arrivals.map { try LedgerSQL.file($0, within: quota, in: database) }
        }
    }

    /// What would become of records that come now; nothing is changed.
    public func filings(of arrivals: [Arrival]) throws -> [Filing] {
        try read { database in
            try arrivals.map { try LedgerSQL.look(for: $0, in: database).filing }
        }
    }

    /// Takes down a person's word on a session.
    /// - Returns: Whether it is new; the latest one holds.
    @discardableResult
    public func correct(_ correction: Correction, in space: SpaceID) throws -> Bool {
        try write { try LedgerSQL.insert(correction, space: space, in: $0) }
    }

    /// Takes down how calm it was in a session.
    public func note(_ calm: CalmFeed, in space: SpaceID) throws {
        try write { try LedgerSQL.upsert(calm, space: space, in: $0) }
    }

    /// Takes down that a node is gone: what counts up there counts no further until it is back.
    /// - Parameter since: When it was last heard of, in milliseconds of group time; what the ledger holds of it may be later.
    /// - Returns: Whether that is new.
    public func takeDown(gone node: NodeID, since: Int64, in space: SpaceID) throws -> Bool {
        try write { try LedgerSQL.setGone(node, space: space, since: since, in: $0) }
    }

    /// Takes down that a node is there.
    /// - Returns: Whether that is new.
    public func takeDown(back node: NodeID, in space: SpaceID) throws -> Bool {
        try write { try LedgerSQL.setBack(node, space: space, in: $0) }
    }

    /// The nodes that are gone.
    public func gone(of space: SpaceID) throws -> Set<NodeID> {
        try read { Set(try LedgerSQL.gone(of: space, in: $0).keys) }
    }

    // MARK: What is asked

    /// The sessions that may count between two instants, with all others of their lineages.
    public func entries(of space: SpaceID, from: Int64, to: Int64) throws -> [Entry] {
        try read { try LedgerSQL.entries(of: space, from: from, to: to, in: $0) }
    }

    /// The nodes that have recorded a session of this id.
    public func nodes(of session: SessionID, in space: SpaceID) throws -> [NodeID] {
        try read { try LedgerSQL.nodes(of: session, space: space, in: $0) }
    }

    /// How many sessions of a node there are.
    public func count(of node: NodeID, in space: SpaceID) throws -> Int {
        try read { try LedgerSQL.count(of: node, space: space, in: $0) }
    }

    /// One session; `nil` where there is none.
    public func entry(_ key: LedgerRecord.Key, of space: SpaceID) throws -> Entry? {
        try read { try LedgerSQL.entry(key, space: space, in: $0) }
    }

    /// What the node has recorded of one session, whatever a person has said of it; `nil` where there is none.
    public func record(_ key: LedgerRecord.Key, of space: SpaceID) throws -> LedgerRecord? {
        try read { try LedgerSQL.record(key, space: space, in: $0) }
    }

    /// The colours of the labels that were booked on, each as it was last.
    public func colours(of space: SpaceID) throws -> [String: Colour] {
        try read { try LedgerSQL.colours(of: space, in: $0) }
    }

    /// One session as it was before a person has deleted it; the same as ``entry(_:of:)`` where nobody has.
    public func entryBeforeDeletion(_ key: LedgerRecord.Key, of space: SpaceID) throws -> Entry? {
        try read { try LedgerSQL.entry(key, space: space, skippingDeletions: true, in: $0) }
    }

    /// Everything that a person has said of a session, the earliest first.
    public func corrections(of key: LedgerRecord.Key, in space: SpaceID) throws -> [Correction] {
        try read { try LedgerSQL.corrections(of: key, space: space, in: $0) }
    }

    /// What is held of a node's records, by week of their stamps, the earliest first: the latest weeks that there are
    /// any of, as many as are told.
    public func weeks(of node: NodeID, in space: SpaceID) throws -> [RecordWeek] {
        try read { try LedgerSQL.weeks(of: node, space: space, in: $0) }
    }

    /// The spaces that there are records of.
    public func spaces() throws -> [SpaceID] { try read { try LedgerSQL.spaces(in: $0) } }

    /// When the first run of a space began, as persons have corrected it; `nil` where there is none.
    public func beginning(of space: SpaceID) throws -> Int64? {
        try read { try LedgerSQL.beginning(of: space, in: $0) }
    }

    /// How calm the sessions were that were heard, by session.
    public func calm(of sessions: [SessionID], in space: SpaceID) throws -> [SessionID: SessionCalm] {
        try read { try LedgerSQL.calm(of: sessions, space: space, in: $0) }
    }

    /// The records that came under a version that the ledger held already, with another content; until a later version
    /// has come, or a person has said what the session was.
    public func conflicts() throws -> [Arrival] { try read { try LedgerSQL.conflicts(in: $0) } }

    // MARK: Rules

    /// The rules of the week as they were and are, each with the instant from which it holds; empty before the first.
    public func rules() throws -> [RulesHistory.Item] { try read { try LedgerSQL.rules(in: $0) } }

    /// Takes down rules that hold from now on, where they are others than the last.
    public func take(_ rules: WeekRules, at: Int64) throws -> RulesHistory {
        try write { database in
            let items = try LedgerSQL.rules(in: database)
            if var history = RulesHistory(items) {
                guard history.latest != rules else { return history }
                history.append(rules, from: at)
                try LedgerSQL.insert(rules, from: history.items[history.items.count - 1].from, in: database)
                return history
            }
            try LedgerSQL.insert(rules, from: .min, in: database)
            return RulesHistory(rules)
        }
    }

    // MARK: Problems

    /// Takes down what hinders the service, for whoever examines the ledger; `nil` when it is over.
    public func note(problem text: String?, _ kind: LedgerProblem.Kind, at: Int64) throws {
        try write { try LedgerSQL.set(problem: text, kind, at: at, in: $0) }
    }

    /// What hinders the service at present.
    public func problems() throws -> [LedgerProblem] { try read { try LedgerSQL.problems(in: $0) } }

    // MARK: Backup

    /// Copies the ledger into a file that is not there yet, while others go on to read and write.
    public func backUp(to file: String) throws {
        do {
            try LedgerError.translating(file) {
                let copy = try DatabaseQueue(path: file)
                try database.backup(to: copy)
                try copy.close()
            }
        } catch {
            for suffix in ["", "-wal", "-shm", "-journal"] { unlink(file + suffix) }
            throw error
        }
    }
}

/// How calm a session was.
public struct SessionCalm: Hashable, Sendable {
    /// Percent of the time heard that was quiet.
    public var percent: Int
    /// Percent of the running time that was heard.
    public var coverage: Int
}
