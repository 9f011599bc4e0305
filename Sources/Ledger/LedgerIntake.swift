// SPDX-License-Identifier: Apache-2.0

public import Session
public import Wire

/// The scale of a machine's clock that stands still during a suspend (`CLOCK_MONOTONIC`).
public enum AwakeScale: TimeScale {}
public typealias AwakeTime = Time<AwakeScale>

/// A node of a space.
public struct SpaceNode: Hashable, Sendable {
    public let space: SpaceID
    public let node: NodeID

    public init(space: SpaceID, node: NodeID) { (self.space, self.node) = (space, node) }
}

/// Groups arriving records into transactions of the ledger, and collects their answers. Pure: the caller has the clock,
/// the disk and the connection. It writes each ``nextBatch()`` and passes the result to ``noteFiled(_:at:)``;
/// records that arrive meanwhile are the next batch. It publishes each ``nextAnswer()`` and reports its end to
/// ``noteAnswered()``.
public struct LedgerIntake: Sendable {
    /// A record that has arrived, with its space and time.
    public struct Arrival: Hashable, Sendable {
        public var space: SpaceID
        public var digested: DigestedRecord
        public var at: GroupTime

        public init(space: SpaceID, digested: DigestedRecord, at: GroupTime) {
            (self.space, self.digested, self.at) = (space, digested, at)
        }
    }

    /// The maximum number of records in one transaction.
    public static let batchLimit = 2_048
    /// The maximum number of waiting records; further ones are dropped, and their nodes send them again.
    public static let waitingLimit = 65_536
    /// The wait of a record from which on the delay is reported.
    public static let lagLimit: Milliseconds = .seconds(5)
    /// The maximum number of answers without an acknowledgement of the broker.
    public static let window = 32

    private var waiting: [(arrival: Arrival, since: AwakeTime)] = []
    /// The records that are being written.
    private var filing: [(arrival: Arrival, since: AwakeTime)] = []
    private var dropped = 0
    private var answers: [SpaceNode: [LedgerAck.Item]] = [:]
    /// The keys of ``answers``, in order.
    private var askers: [SpaceNode] = []
    private var answersOut = 0
    private var notes: [IntakeNote] = []

    public init() {}

    public var isIdle: Bool { waiting.isEmpty && filing.isEmpty }

    /// Receives a record. A record ahead of a group time that no kernel vouches for gets no answer, so that its node
    /// sends it again. After a start without NTP every record looks like that.
    public mutating func receive(
        _ digested: DigestedRecord, in space: SpaceID, at time: GroupTime, isVouched: Bool, now: AwakeTime
    ) {
        let node = digested.record.node
        guard digested.record.isPlausible(at: time) else {
            if !isVouched, digested.record.isPlausible(at: Limits.time.upperBound) { return }
            notes.append(.implausible(space, node))
            return answer(node, in: space, LedgerAck.Item(digested.name, .refused))
        }
        guard waiting.count < Self.waitingLimit else {
            dropped += 1
            return report(lag: now - (filing.first ?? waiting[0]).since)
        }
        waiting.append((Arrival(space: space, digested: digested, at: time), now))
        reportLag(at: now)
    }

    /// Refuses a record that cannot be read, so that its node stops sending it.
    public mutating func refuse(_ name: RecordName, of node: NodeID, in space: SpaceID) {
        answer(node, in: space, LedgerAck.Item(name, .refused))
    }

    /// Returns the records to write in one transaction; none while others are being written.
    public mutating func nextBatch() -> [Arrival] {
        guard filing.isEmpty else { return [] }
        filing = Array(waiting.prefix(Self.batchLimit))
        waiting.removeFirst(filing.count)
        return filing.map(\.arrival)
    }

    /// Answers for the batch that was written. `results` is `nil` if nothing was filed: nodes send the records again.
    public mutating func noteFiled(_ results: [FilingResult]?, at now: AwakeTime) {
        reportLag(at: now)
        for ((arrival, _), result) in zip(filing, results ?? []) {
            let record = arrival.digested.record
            let answered: LedgerAck.Outcome
            switch result {
            case .stored, .known, .older: answered = .kept
            case .conflict:
                answered = .conflict
                notes.append(.conflict(arrival.space, record.node, record.id))
            case .overQuota:
                answered = .refused
                notes.append(.overQuota(arrival.space, record.node))
            }
            answer(record.node, in: arrival.space, LedgerAck.Item(arrival.digested.name, answered))
        }
        filing = []
    }

    // MARK: Answers

    private mutating func answer(_ node: NodeID, in space: SpaceID, _ item: LedgerAck.Item) {
        let asker = SpaceNode(space: space, node: node)
        if answers[asker] == nil { askers.append(asker) }
        answers[asker, default: []].append(item)
    }

    /// Returns the next message to publish; `nil` if there is none, or too many are not acknowledged.
    public mutating func nextAnswer() -> (space: SpaceID, ack: LedgerAck)? {
        guard answersOut < Self.window, let asker = askers.first, let items = answers[asker] else { return nil }
        let rest = Array(items.dropFirst(LedgerAck.itemsLimit))
        answers[asker] = rest.isEmpty ? nil : rest
        if rest.isEmpty { askers.removeFirst() }
        answersOut += 1
        return (asker.space, LedgerAck(node: asker.node, items: Array(items.prefix(LedgerAck.itemsLimit))))
    }

    /// Notes that an answer was acknowledged or lost.
    public mutating func noteAnswered() { answersOut = max(0, answersOut - 1) }
    /// Drops the answers after a lost connection: nodes send their records again.
    public mutating func noteDisconnected() { (answers, askers) = ([:], []) }

    // MARK: Notes

    public mutating func removeNotes() -> [IntakeNote] {
        defer { notes = [] }
        return notes
    }

    private mutating func reportLag(at now: AwakeTime) {
        if let oldest = filing.first, now - oldest.since > Self.lagLimit { report(lag: now - oldest.since) }
    }

    private mutating func report(lag: Milliseconds) {
        let note = IntakeNote.behind(waiting: waiting.count + filing.count, lag: lag, dropped: dropped)
        // While the disk takes nothing, each further record would add one.
        if case .behind = notes.last { notes.removeLast() }
        notes.append(note)
    }
}

/// A message for the log about arriving records.
public enum IntakeNote: Hashable, Sendable {
    /// `waiting` records wait, the oldest for `lag`, and `dropped` records were dropped in total.
    case behind(waiting: Int, lag: Milliseconds, dropped: Int)
    /// A record was refused for its dates.
    case implausible(SpaceID, NodeID)
    /// A record was refused because its node has recorded too many sessions.
    case overQuota(SpaceID, NodeID)
    /// The ledger holds another record of the same version.
    case conflict(SpaceID, NodeID, SessionID)
}
