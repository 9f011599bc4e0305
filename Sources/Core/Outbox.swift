// SPDX-License-Identifier: Apache-2.0

import Session
import Wire

/// The ledger records of a node that wait, or were acknowledged in the latest 14 weeks.
///
/// A restored ledger is filled again from the acknowledged ones. A record is held until its journal is on disk, so
/// that nothing is sent that a crash can undo. It gets a file of its own when the journal is about to drop its
/// session. Until then the journal restores it after a crash, and a press costs no further write.
struct Outbox: Sendable {
    /// Records that are sent and not acknowledged at one time. A judgement, stated by the protocol: a service that writes
    /// in bulk is busy with them, and one that is away loses no more.
    private static let window = 32
    /// Milliseconds until an unanswered record is sent again; the interval doubles. A judgement, stated by the protocol.
    private static let firstPatience: Int64 = 10_000
    /// The longest interval in milliseconds. A judgement, stated by the protocol.
    private static let longestPatience: Int64 = 600_000

    private var held: [Held] = []
    private var pending: [SessionID: Pending] = [:]
    private var kept: [SessionID: Kept] = [:]
    /// Sessions whose record has no file: mostly only the session in the journal.
    private var unfiled: Set<SessionID> = []
    private var isUp = false
    /// Whether the service has sent something on this connection.
    private var isServicePresent = false
    /// The sessions whose records are to be sent as the window allows, the first one last.
    private var queue: [SessionID] = []
    private var requests = Requests()

    /// The tasks of the core.
    struct Requests: Sendable {
        /// Records to send; empty without a connection.
        var outgoing: [DigestedRecord] = []
        var changes: [NodeCore.RecordChange] = []
        /// Acknowledged records to read for ``Outbox/found(_:at:)``.
        var wanted: [SessionID] = []
        var notes: [NodeCore.Note] = []
    }

    /// Removes the tasks since the last call.
    mutating func removeRequests() -> Requests {
        defer { requests = Requests() }
        return requests
    }

    /// The number of records that are not acknowledged.
    var waiting: Int { pending.count }

    /// Adopts the files of an earlier process.
    mutating func restore(waiting: [DigestedRecord], acknowledged: [DigestedRecord]) {
        for digested in waiting { pending[digested.record.id] = Pending(digested: digested, place: .file) }
        for digested in acknowledged {
            kept[digested.record.id] = Kept(name: digested.name, stamp: digested.record.stamp, place: .file)
        }
    }

    // MARK: The engine

    /// Holds the record of a register whose journal is written next.
    mutating func hold(_ register: Register, isApproximate: Bool) {
        held.append(Held(register: register, isApproximate: isApproximate))
    }

    /// Returns the records that a journal no longer contains, which must be on disk before it.
    ///
    /// A record is part of each write until one of those is on disk, so that no failure needs a report.
    /// - Parameters:
    ///   - own: The session in the journal.
    ///   - write: The number of the write, which rises.
    mutating func file(except own: SessionID?, write: Int) -> (
        waiting: [DigestedRecord], acknowledged: [DigestedRecord]
    ) {
        var waiting: [DigestedRecord] = []
        var acknowledged: [DigestedRecord] = []
        for index in held.indices {
            if held[index].write == nil { held[index].write = write }
            guard !held[index].place.isFile, held[index].register.id != own else { continue }
            waiting.append(held[index].digest())
            held[index].place.beginWriting(write)
        }
        for id in unfiled.sorted() where id != own {
            // A held record of the same session is later, and replaces it.
            if held.contains(where: { $0.register.id == id }) { continue }
            if let entry = pending[id] {
                waiting.append(entry.digested)
                pending[id]?.place.beginWriting(write)
            } else if let entry = kept[id], let digested = entry.digested {
                acknowledged.append(digested)
                kept[id]?.place.beginWriting(write)
            }
        }
        return (waiting, acknowledged)
    }

    /// Adds the record of a journal that is on disk.
    mutating func restored(_ record: LedgerRecord, at boot: Int64) {
        add(DigestedRecord(record), at: .journal, boot: boot)
    }

    /// Releases the records that were held for a write, which is on disk like all before it.
    mutating func persisted(_ write: Int, at boot: Int64) {
        // The order does not matter: each session is handled by itself.
        for id in unfiled {
            if pending[id]?.place.isWritten(by: write) == true {
                pending[id]?.place = .file
                unfiled.remove(id)
            } else if pending[id] == nil, kept[id]?.place.isWritten(by: write) == true {
                kept[id]?.place = .file
                kept[id]?.digested = nil
                unfiled.remove(id)
            }
        }
        for index in held.indices where held[index].place.isWritten(by: write) { held[index].place = .file }
        while var first = held.first, let its = first.write, its <= write {
            held.removeFirst()
            // Of several versions that one write contains, only the last is sent.
            if held.first?.register.id == first.register.id, held.first?.write.map({ $0 <= write }) == true { continue }
            add(first.digest(), at: first.place, boot: boot)
        }
    }

    private mutating func add(_ digested: DigestedRecord, at place: Place, boot: Int64) {
        let id = digested.record.id
        guard pending[id]?.digested != digested else { return }
        if kept[id]?.name == digested.name {
            // The waiting record was filed before its journal was written, and a crash came between.
            if pending.removeValue(forKey: id) != nil { requests.changes.append(.removeWaiting(id)) }
            return
        }
        pending[id] = Pending(digested: digested, place: place.isFile ? .file : .journal)
        if place.isFile { unfiled.remove(id) } else { unfiled.insert(id) }
        if isUp { send(id, at: boot) }
    }

    // MARK: The service

    /// Records whether there is a connection.
    mutating func link(isUp: Bool, at boot: Int64) {
        self.isUp = isUp
        // The service may have sent something since this connection was subscribed.
        isServicePresent = isServicePresent && isUp
        if isUp { enqueueAll(at: boot) }
    }

    /// Receives a message of the service to this node.
    mutating func receive(_ ack: LedgerAck, at boot: Int64) {
        isServicePresent = true
        for item in ack.items { receive(item) }
        if let weeks = ack.weeks {  // rule: weeksCompared
            compare(weeks)
            // The service has just started, and may have missed what was sent before.
            enqueueAll(at: boot)
        }
        drain(at: boot)
    }

    private mutating func receive(_ item: LedgerAck.Item) {
        let id = item.name.id
        guard let entry = pending[id], entry.digested.name == item.name else { return }
        switch item.outcome {
        case .kept:
            pending[id] = nil
            let stamp = entry.digested.record.stamp
            if entry.place.isFile {
                kept[id] = Kept(name: item.name, stamp: stamp, place: .file)
                requests.changes.append(.keep(id))
            } else {
                kept[id] = Kept(name: item.name, stamp: stamp, digested: entry.digested, place: .journal)
            }
        case .conflict, .refused:
            guard !entry.isSetAside else { return }
            pending[id]?.isSetAside = true
            requests.notes.append(.recordNotTaken(id, item.outcome))
        }
    }

    /// Sends acknowledged records again that the ledger has lost, and forgets those before the latest weeks.
    ///
    /// The latest weeks are those with records. The present time has no influence: a clock that is years ahead would make
    /// the node forget everything.
    private mutating func compare(_ weeks: [RecordWeek]) {
        let theirs = Dictionary(weeks.map { ($0.number, $0) }, uniquingKeysWith: { $1 })
        var mine: [Int: RecordWeek] = [:]
        // The order does not matter: a week is a sum.
        for entry in kept.values { mine[entry.week, default: RecordWeek(number: entry.week)].add(entry.name) }
        let latest = Set(mine.keys.sorted().suffix(LedgerAck.weeksLimit))
        let inOrder = kept.sorted { $0.key < $1.key }
        for (id, entry) in inOrder where !latest.contains(entry.week) {
            kept[id] = nil
            requests.changes.append(.removeKept(id))
        }
        // The service lists no more weeks than the limit, so earlier ones cannot be compared.
        let first = theirs.count < LedgerAck.weeksLimit ? .min : theirs.keys.min() ?? .min
        let missing = latest.filter { $0 >= first && theirs[$0] != mine[$0] }
        for (id, entry) in inOrder where missing.contains(entry.week) && pending[id] == nil {
            if let digested = entry.digested {
                kept[id] = nil
                pending[id] = Pending(digested: digested)
            } else {
                requests.wanted.append(id)
            }
        }
    }

    /// Sends acknowledged records again that were read from disk.
    mutating func found(_ records: [DigestedRecord], at boot: Int64) {
        for digested in records {
            let id = digested.record.id
            guard pending[id] == nil, kept[id]?.name == digested.name else { continue }
            kept[id] = nil
            pending[id] = Pending(digested: digested, place: .file)
            requests.changes.append(.requeue(id))
            queue.append(id)
        }
        queue.sort(by: >)
        drain(at: boot)
    }

    // MARK: Sending

    /// Sends all records from the first one, whatever was sent before.
    private mutating func enqueueAll(at boot: Int64) {
        pending = pending.mapValues { entry in
            var entry = entry
            (entry.sentAt, entry.tries) = (nil, 0)
            return entry
        }
        queue = pending.filter { !$0.value.isSetAside }.keys.sorted(by: >)
        drain(at: boot)
    }

    private mutating func drain(at boot: Int64) {
        guard isUp else { return }
        var out = pending.values.count { $0.sentAt != nil && !$0.isSetAside }
        while out < Self.window, let id = queue.popLast() {
            guard let entry = pending[id], entry.sentAt == nil else { continue }
            send(id, at: boot)
            out += 1
        }
    }

    private mutating func send(_ id: SessionID, at boot: Int64) {
        guard let entry = pending[id], !entry.isSetAside else { return }
        pending[id]?.sentAt = boot
        pending[id]?.tries += 1
        requests.outgoing.append(entry.digested)
    }

    /// Sends unanswered records again while the service is present.
    mutating func retry(at boot: Int64) {
        guard isUp, isServicePresent else { return }
        for (id, entry) in pending.sorted(by: { $0.key < $1.key }) {
            if let sentAt = entry.sentAt, boot >= sentAt + Self.patience(entry.tries) { send(id, at: boot) }
        }
        drain(at: boot)
    }

    /// When to call ``retry(at:)``, on the boot clock: up to 5 s after a record is due.
    ///
    /// The delay is random, so that the nodes of a service that was busy do not all return at once.
    func nextRetry(using random: inout SplitMix64) -> Int64? {
        guard isUp, isServicePresent else { return nil }
        let due = pending.values.filter { !$0.isSetAside }.compactMap { entry in
            entry.sentAt.map { $0 + Self.patience(entry.tries) }
        }
        return due.min().map { $0 + Int64.random(in: 0...Self.firstPatience / 2, using: &random) }
    }

    private static func patience(_ tries: Int) -> Int64 {
        min(firstPatience << Int64(min(max(tries - 1, 0), 10)), longestPatience)
    }

    /// Where a record is on disk.
    private enum Place: Sendable {
        /// Nowhere, or in the journal alone.
        case journal
        /// In the journal, and in a file of its own once this write or a later one succeeds.
        case writing(Int)
        /// In a file of its own.
        case file

        var isFile: Bool { if case .file = self { true } else { false } }

        func isWritten(by write: Int) -> Bool { if case .writing(let first) = self { first <= write } else { false } }

        mutating func beginWriting(_ write: Int) { if case .journal = self { self = .writing(write) } }
    }

    /// A record that waits for its journal.
    private struct Held {
        var register: Register
        var isApproximate: Bool
        /// The write of the journal that contains it; `nil` until that is asked for.
        var write: Int?
        var place = Place.journal
        private var digested: DigestedRecord?

        /// Returns the record, which is written once.
        mutating func digest() -> DigestedRecord {
            let digested = digested ?? DigestedRecord(LedgerRecord(register, isApproximate: isApproximate))
            self.digested = digested
            return digested
        }

        init(register: Register, isApproximate: Bool) {
            self.register = register
            self.isApproximate = isApproximate
        }
    }

    /// A record that waits for its acknowledgement.
    private struct Pending {
        var digested: DigestedRecord
        /// When it was last sent on this connection, on the boot clock.
        var sentAt: Int64?
        /// How often it was sent on this connection.
        var tries = 0
        /// Whether the service has refused it.
        var isSetAside = false
        var place = Place.journal
    }

    /// A record that was acknowledged.
    private struct Kept {
        var name: RecordName
        var stamp: Stamp
        /// The record itself, as long as it has no file.
        var digested: DigestedRecord?
        var place: Place

        var week: Int { RecordWeek.number(of: stamp) }
    }
}
