// SPDX-License-Identifier: Apache-2.0

import GRDB
public import Session
public import Wire

/// The ledger on disk: what nodes have recorded, what persons have said of it, and the rules of the week.
///
/// One file of SQLite, which the debt service and its commands write. Every call is a transaction of its own, and on disk when it returns.
/// What is asked of the file is in ``LedgerSQL``, all of it.
public final class Ledger: Sendable {
    /// The file's path.
    public let path: String
    private let database: DatabasePool

    /// Opens the file, or makes it, and looks whether it is whole.
    /// - Throws: ``LedgerError`` when it is not, or cannot be used.
    public init(path: String) throws {
        self.path = path
        var configuration = Configuration()
        configuration.prepareDatabase { database in
            // In WAL mode a commit is on disk at each flush only so.
            try database.execute(sql: "PRAGMA synchronous = FULL")
        }
        configuration.busyMode = .timeout(5)
        do {
            database = try DatabasePool(path: path, configuration: configuration)
            try LedgerSQL.migrations.migrate(database)
            let found = try database.read { try String.fetchAll($0, sql: "PRAGMA quick_check(10)") }
            guard found == ["ok"] else { throw LedgerError.damaged(path: path, found.joined(separator: "; ")) }
        } catch let error as DatabaseError {
            throw LedgerError.unusable(path: path, error.description)
        }
    }

    /// Ends the use of the file: nothing is left in its log.
    public func close() throws {
        try database.writeWithoutTransaction { database in
            _ = try database.checkpoint(.truncate)
        }
        try database.close()
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

    /// Files records, all of them or none.
    /// - Returns: What became of each, once that is on disk.
    public func file(_ arrivals: [Arrival]) throws -> [Outcome] {
        try database.write { database in
            try arrivals.map { try LedgerSQL.file($0, in: database) }
        }
    }

    /// What would become of records that come now; nothing is changed.
    public func filings(of arrivals: [Arrival]) throws -> [Filing] {
        try database.read { database in
            try arrivals.map { try LedgerSQL.look(for: $0, in: database).filing }
        }
    }

    /// Takes down a person's word on a session.
    /// - Returns: Whether it is new; the latest one holds.
    @discardableResult
    public func correct(_ correction: Correction, in space: SpaceID) throws -> Bool {
        try database.write { try LedgerSQL.insert(correction, space: space, in: $0) }
    }

    /// Takes down how calm it was in a session.
    public func note(_ calm: CalmFeed, in space: SpaceID) throws {
        try database.write { try LedgerSQL.upsert(calm, space: space, in: $0) }
    }

    /// Takes down that a node is gone: what counts up there counts no further until it is back.
    /// - Parameter since: When it was last heard of, in milliseconds of group time; what the ledger holds of it may be later.
    /// - Returns: Whether that is new.
    public func takeDown(gone node: NodeID, since: Int64, in space: SpaceID) throws -> Bool {
        try database.write { try LedgerSQL.setGone(node, space: space, since: since, in: $0) }
    }

    /// Takes down that a node is there.
    /// - Returns: Whether that is new.
    public func takeDown(back node: NodeID, in space: SpaceID) throws -> Bool {
        try database.write { try LedgerSQL.setBack(node, space: space, in: $0) }
    }

    /// The nodes that are gone.
    public func gone(of space: SpaceID) throws -> Set<NodeID> {
        try database.read { Set(try LedgerSQL.gone(of: space, in: $0).keys) }
    }

    // MARK: What is asked

    /// The sessions that may count between two instants, with all others of their lineages.
    public func entries(of space: SpaceID, from: Int64, to: Int64) throws -> [Entry] {
        try database.read { try LedgerSQL.entries(of: space, from: from, to: to, in: $0) }
    }

    /// One session; `nil` where there is none.
    public func entry(_ session: SessionID, of space: SpaceID) throws -> Entry? {
        try database.read { try LedgerSQL.entry(session, space: space, in: $0) }
    }

    /// What the node has recorded of one session, whatever a person has said of it; `nil` where there is none.
    public func record(_ session: SessionID, of space: SpaceID) throws -> LedgerRecord? {
        try database.read { try LedgerSQL.record(session, space: space, in: $0) }
    }

    /// The colours of the labels that were booked on, each as it was last.
    public func colours(of space: SpaceID) throws -> [String: Colour] {
        try database.read { try LedgerSQL.colours(of: space, in: $0) }
    }

    /// One session as it was before a person has deleted it; the same as ``entry(_:of:)`` where nobody has.
    public func entryBeforeDeletion(_ session: SessionID, of space: SpaceID) throws -> Entry? {
        try database.read { try LedgerSQL.entry(session, space: space, skippingDeletions: true, in: $0) }
    }

    /// Everything that a person has said of a session, the earliest first.
    public func corrections(of session: SessionID, in space: SpaceID) throws -> [Correction] {
        try database.read { try LedgerSQL.corrections(of: session, space: space, in: $0) }
    }

    /// What is held of a node's records, by week of their stamps, the earliest first: the latest weeks that there are
    /// any of, as many as are told.
    public func weeks(of node: NodeID, in space: SpaceID) throws -> [RecordWeek] {
        try database.read { try LedgerSQL.weeks(of: node, space: space, in: $0) }
    }

    /// The spaces that there are records of.
    public func spaces() throws -> [SpaceID] { try database.read { try LedgerSQL.spaces(in: $0) } }

    /// When the first run of a space began; `nil` where there is none.
    public func beginning(of space: SpaceID) throws -> Int64? {
        try database.read { try LedgerSQL.beginning(of: space, in: $0) }
    }

    /// How calm the sessions were that were heard, by session.
    public func calm(of sessions: [SessionID], in space: SpaceID) throws -> [SessionID: SessionCalm] {
        try database.read { try LedgerSQL.calm(of: sessions, space: space, in: $0) }
    }

    /// The records that came under a version that the ledger held already, with another content; until a later version
    /// has come, or a person has said what the session was.
    public func conflicts() throws -> [Arrival] { try database.read { try LedgerSQL.conflicts(in: $0) } }

    // MARK: Rules

    /// The rules of the week as they were and are, each with the instant from which it holds; empty before the first.
    public func rules() throws -> [RulesHistory.Item] { try database.read { try LedgerSQL.rules(in: $0) } }

    /// Takes down rules that hold from now on, where they are others than the last.
    public func take(_ rules: WeekRules, at: Int64) throws -> RulesHistory {
        try database.write { database in
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

    // MARK: Backup

    /// Copies the ledger into a file, while others go on to read and write.
    public func backUp(to path: String) throws {
        let copy = try DatabaseQueue(path: path)
        try database.backup(to: copy)
        try copy.close()
    }
}

/// How calm a session was.
public struct SessionCalm: Hashable, Sendable {
    /// Percent of the time heard that was quiet.
    public var percent: Int
    /// Percent of the running time that was heard.
    public var coverage: Int
}

/// Why a ledger cannot be used.
public enum LedgerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file's content is not whole.
    case damaged(path: String, String)
    /// The file cannot be opened or written.
    case unusable(path: String, String)
    /// Something in it is nothing that this program has written.
    case unreadable(String)

    /// Names the file, the reason and the way out.
    public var description: String {
        switch self {
        case .damaged(let path, let reason):
            "the ledger \(path) is damaged (\(reason)): put a backup in its place with lockstep debt restore"
        case .unusable(let path, let reason): "the ledger \(path) cannot be used: \(reason)"
        case .unreadable(let what): "the ledger holds a \(what) that cannot be read"
        }
    }
}
