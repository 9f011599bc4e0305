// SPDX-License-Identifier: Apache-2.0

public import Session

/// What counts of a session: its latest record, with a person's latest word on it.
public struct Entry: Hashable, Sendable {
    /// The record, its title, label and runs those of ``correction`` where there is one.
    public var record: LedgerRecord
    /// What a person has said of it last.
    public var correction: Correction?
    /// Of a session that counts up, whose node is gone: when that was last heard of, in milliseconds of group time. An
    /// open run counts no further.
    public var lastSignOfLife: Int64?
    /// When the ledger received the session's first record, in milliseconds of group time.
    public var begun: Int64
    /// When the ledger received the session's first final record; `nil` while it has none.
    public var ended: Int64?

    /// Puts these together. Of what a person has deleted no run is left; what it took over stays so.
    public init(
        _ record: LedgerRecord, corrected correction: Correction? = nil, lastSignOfLife: Int64? = nil,
        begun: Int64 = 0, ended: Int64? = nil
    ) {
        self.record = record
        self.begun = begun
        self.ended = ended
        self.correction = correction
        self.lastSignOfLife = record.mode == .countup ? lastSignOfLife : nil
        guard let correction else { return }
        self.record.runs = correction.content?.runs ?? []
        self.record.endsAt = nil
        guard let content = correction.content else { return }
        self.record.title = content.title
        self.record.label = content.label
    }

    /// Where a run of it ends, if nobody presses anything; `nil` where nobody knows.
    public func end(of run: LedgerRecord.Run) -> Int64? {
        if let to = run.to { return to }
        guard let lastSignOfLife else { return record.endsAt }
        return max(run.from, min(record.endsAt ?? lastSignOfLife, lastSignOfLife))
    }

    /// The session in its chain of takeovers.
    var filedLink: FiledLink { FiledLink(record.link, begun: begun, ended: ended) }

    /// Whether a person has deleted it.
    public var isDeleted: Bool { correction.map { $0.content == nil } ?? false }
}

/// A person's word on a session. It is kept beside the record, which stays as it came; the latest one holds.
public struct Correction: Hashable, Sendable {
    /// What a person says a session was.
    public struct Content: Hashable, Sendable {
        /// What the person did; may be empty.
        public var title: String
        /// What the time is booked on.
        public var label: Label?
        /// When which kind of phase ran, oldest first; none is open.
        public var runs: [LedgerRecord.Run]

        /// Makes a content.
        public init(title: String, label: Label?, runs: [LedgerRecord.Run]) {
            self.title = title
            self.label = label
            self.runs = runs
        }
    }

    /// Names this word, however often it is told.
    public var id: CorrectionID
    /// The session that it is about, of the node that recorded it.
    public var key: LedgerRecord.Key
    /// When it was said, in milliseconds of group time.
    public var at: Int64
    /// What the session was; `nil` to delete it.
    public var content: Content?

    /// Makes a correction.
    public init(id: CorrectionID, key: LedgerRecord.Key, at: Int64, content: Content?) {
        self.id = id
        self.key = key
        self.at = at
        self.content = content
    }

    /// Whether it holds against another one of the same session.
    public func holds(against other: Correction?) -> Bool {
        guard let other else { return true }
        return (at, id) > (other.at, other.id)
    }
}

/// What a ``CorrectionID`` names.
public enum CorrectionKind {}
/// Names one word of a person.
public typealias CorrectionID = Token<CorrectionKind>
