// SPDX-License-Identifier: Apache-2.0

public import Session

/// The ledger records of a node that the debt service has not acknowledged, and those of the latest 14 weeks that it
/// has: from these a restored ledger is filled again.
///
/// A record is held until the journal that goes with it is on disk, so that nothing is ever told that a crash can undo.
/// It is put on the shelf when the journal is about to forget its session; until then the journal is where it comes from
/// after a crash, and a press costs the disk nothing more.
public struct Outbox<Shelf: RecordShelf> {
    /// Records on their way at one time, when many wait.
    private static var window: Int { 32 }
    private static var firstPatience: Int64 { 10_000 }
    private static var longestPatience: Int64 { 600_000 }

    private var held: [Held] = []
    private var pending: [SessionID: Pending] = [:]
    private var kept: [SessionID: Kept] = [:]
    /// What of the two is not on the shelf: mostly the session in the journal, and nothing else.
    private var unshelved: Set<SessionID> = []
    private var isUp = false
    /// Whether the service was heard on this connection.
    private var isHeard = false
    /// What is to be sent as the window allows, the latest first in.
    private var queue: [SessionID] = []
    private var outgoing: [FiledRecord] = []
    private var notes: [OutboxNote] = []
    /// Where the records are.
    public private(set) var shelf: Shelf

    /// Reads back what an earlier process has left.
    public init(_ shelf: Shelf) {
        self.shelf = shelf
        let found = shelf.load()
        for filed in found.waiting { pending[filed.record.id] = Pending(filed: filed, isOnShelf: true) }
        for filed in found.kept { kept[filed.record.id] = Kept(name: filed.name, stamp: filed.record.stamp) }
    }

    /// What is to be sent since the last call; empty without a connection.
    public mutating func takeOutgoing() -> [FiledRecord] {
        defer { outgoing = [] }
        return outgoing
    }

    /// What is to be said since the last call.
    public mutating func takeNotes() -> [OutboxNote] {
        defer { notes = [] }
        return notes
    }

    /// How many records wait for their acknowledgement.
    public var waiting: Int { pending.count }

    // MARK: What the engine says

    /// Takes the record of a register whose journal is written next. It is made when it is wanted: what can wait until a
    /// press is on its way does.
    public mutating func hold(_ register: Register, isApproximate: Bool) {
        held.append(Held(register: register, isApproximate: isApproximate))
    }

    /// A journal with this session is about to be written: what it says no more of is put on the shelf.
    /// - Parameter write: The number of the write, which rises.
    /// - Throws: What the shelf throws; then the journal must not be written.
    public mutating func secure(except own: SessionID?, write: Int) throws(Shelf.Failure) {
        for index in held.indices where !held[index].isOnShelf && held[index].register.id != own {
            try shelf.write(waiting: held[index].filed)
            held[index].isOnShelf = true
        }
        for id in unshelved where id != own { try putAway(id) }
        for index in held.indices where held[index].write == nil { held[index].write = write }
    }

    private mutating func putAway(_ id: SessionID) throws(Shelf.Failure) {
        // What is held of the same session is later, and takes its place.
        for later in held where later.register.id == id { return }
        if let entry = pending[id], !entry.isOnShelf {
            try shelf.write(waiting: entry.filed)
            pending[id]?.isOnShelf = true
        } else if pending[id] == nil, let filed = kept[id]?.filed {
            try shelf.write(waiting: filed)
            try shelf.keep(id)
            kept[id]?.filed = nil
        }
        unshelved.remove(id)
    }

    /// Takes the record of a journal that was read back, before anything else: it is on disk, and holds against what was
    /// put on the shelf for a later one that never came to be. What is changed from here on has to be written first.
    public mutating func restored(_ record: LedgerRecord, at boot: Int64) {
        take(FiledRecord(record), isOnShelf: false, at: boot)
    }

    /// The journal is on disk up to a write: what was held for it may be told.
    public mutating func release(upTo write: Int, at boot: Int64) {
        while let first = held.first, let its = first.write, its <= write {
            held.removeFirst()
            // Of the presses that one look at the disk was enough for, only the last is told.
            if held.first?.register.id == first.register.id, held.first?.write.map({ $0 <= write }) == true { continue }
            take(first.filed, isOnShelf: first.isOnShelf, at: boot)
        }
    }

    private mutating func take(_ filed: FiledRecord, isOnShelf: Bool, at boot: Int64) {
        let id = filed.record.id
        guard pending[id]?.filed != filed else { return }
        if kept[id]?.name == filed.name {
            // What waits was on the shelf before its journal was written, and a crash has come between.
            if pending.removeValue(forKey: id) != nil { shelf.remove(waiting: id) }
            return
        }
        pending[id] = Pending(filed: filed, isOnShelf: isOnShelf)
        if !isOnShelf { unshelved.insert(id) }
        if isUp { send(id, at: boot) }
    }

    // MARK: The service

    /// There is a connection, or there is none any more.
    public mutating func link(isUp: Bool, at boot: Int64) {
        self.isUp = isUp
        // It may have said something since this connection was subscribed.
        isHeard = isHeard && isUp
        outgoing = []
        if isUp { enqueueAll(at: boot) }
    }

    /// What the service says to this node.
    public mutating func hear(_ ack: LedgerAck, at boot: Int64) {
        isHeard = true
        for item in ack.items { take(item) }
        if let weeks = ack.weeks {
            compare(weeks)
            // It has come: what was sent before that, it may never have got.
            enqueueAll(at: boot)
        }
        drain(at: boot)
    }

    private mutating func take(_ item: LedgerAck.Item) {
        let id = item.name.id
        guard let entry = pending[id], entry.filed.name == item.name else { return }
        switch item.outcome {
        case .kept:
            pending[id] = nil
            kept[id] = Kept(
                name: item.name, stamp: entry.filed.record.stamp, filed: entry.isOnShelf ? nil : entry.filed)
            guard entry.isOnShelf else { return }
            do throws(Shelf.Failure) {
                try shelf.keep(id)
            } catch {
                notes.append(.notPutAway(error))
            }
        case .conflict, .refused:
            guard !entry.isSetAside else { return }
            pending[id]?.isSetAside = true
            notes.append(.notTaken(id, item.outcome))
        }
    }

    /// Sends again what the ledger has acknowledged and lost, and forgets what lies before the latest weeks.
    ///
    /// These are the latest that there are records of: the present time would be that of a clock, and one that is years
    /// ahead, with nobody there to correct it, would have everything forgotten.
    private mutating func compare(_ weeks: [RecordWeek]) {
        let theirs = Dictionary(weeks.map { ($0.number, $0) }, uniquingKeysWith: { $1 })
        var mine: [Int: RecordWeek] = [:]
        for entry in kept.values { mine[entry.week, default: RecordWeek(number: entry.week)].add(entry.name) }
        let latest = Set(mine.keys.sorted().suffix(LedgerAck.weeksLimit))
        for (id, entry) in kept where !latest.contains(entry.week) {
            kept[id] = nil
            shelf.remove(kept: id)
        }
        // Of what lies before as many weeks as are ever told there is nothing to compare.
        let first = theirs.count < LedgerAck.weeksLimit ? .min : theirs.keys.min() ?? .min
        let missing = latest.filter { $0 >= first && theirs[$0] != mine[$0] }
        for (id, entry) in kept where missing.contains(entry.week) {
            guard pending[id] == nil, let filed = entry.filed ?? shelf.readKept(id) else { continue }
            kept[id] = nil
            pending[id] = Pending(filed: filed, isOnShelf: entry.filed == nil)
            if entry.filed == nil { shelf.unkeep(id) }
        }
    }

    // MARK: Sending

    /// Sends everything from the beginning, whatever was sent before.
    private mutating func enqueueAll(at boot: Int64) {
        outgoing = []
        for id in pending.keys {
            pending[id]?.sentAt = nil
            pending[id]?.tries = 0
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
        outgoing.append(entry.filed)
    }

    /// Sends again what was not answered, while the service is there.
    public mutating func retry(at boot: Int64) {
        guard isUp, isHeard else { return }
        for (id, entry) in pending.sorted(by: { $0.key < $1.key }) {
            if let sentAt = entry.sentAt, boot >= sentAt + Self.patience(entry.tries) { send(id, at: boot) }
        }
        drain(at: boot)
    }

    /// When ``retry(at:)`` has something to do, on the boot clock: up to five seconds later than is due, so that the
    /// nodes of a service that was busy do not come back all at once.
    public func nextRetry(using random: inout some RandomNumberGenerator) -> Int64? {
        guard isUp, isHeard else { return nil }
        let due = pending.values.filter { !$0.isSetAside }.compactMap { entry in
            entry.sentAt.map { $0 + Self.patience(entry.tries) }
        }
        return due.min().map { $0 + Int64.random(in: 0...Self.firstPatience / 2, using: &random) }
    }

    private static func patience(_ tries: Int) -> Int64 {
        min(firstPatience << Int64(min(max(tries - 1, 0), 10)), longestPatience)
    }
}

// Not inside of the outbox, where they would be generic, and each press would go through the runtime to them.

private struct Held {
    var register: Register
    var isApproximate: Bool
    /// The write of the journal that it goes with; `nil` until that is asked for.
    var write: Int?
    var isOnShelf = false

    var filed: FiledRecord { FiledRecord(LedgerRecord(register, isApproximate: isApproximate)) }
}

private struct Pending {
    var filed: FiledRecord
    /// When it was sent on this connection, since the service has come, on the boot clock, and how often.
    var sentAt: Int64?
    var tries = 0
    /// Whether there is no use in sending it again.
    var isSetAside = false
    var isOnShelf = false
}

private struct Kept {
    var name: RecordName
    var stamp: Stamp
    /// The record itself, as long as it is not on the shelf.
    var filed: FiledRecord?

    var week: Int { RecordWeek.number(of: stamp) }
}
