// SPDX-License-Identifier: Apache-2.0

import Logging
import Session
import Wire

/// The ledger records of this node that the debt service has not acknowledged, one file for each session, and those of
/// the last 90 days that it has: from these a restored ledger is filled again.
///
/// A record is held until the journal that goes with it is on disk, so that nothing is ever told that a crash can undo;
/// and it is on disk itself before a journal forgets its session. What else happens to it waits for nobody.
final class Outbox {
    /// How long an acknowledged record is kept, in milliseconds.
    static let keptFor: Int64 = 90 * 86_400_000
    /// Records on their way at one time, when many wait.
    private static let window = 32
    private static let firstPatience: Int64 = 10_000
    private static let longestPatience: Int64 = 600_000

    private struct Pending {
        var filed: FiledRecord
        /// When it was sent on this connection, since the service has come, on the boot clock, and how often.
        var sentAt: Int64?
        var tries = 0
        /// Whether there is no use in sending it again.
        var isSetAside = false
        var isOnDisk = false
    }

    private let files: OutboxFiles
    private let log: Logger
    /// Of which the journal is not on disk yet, and whether they themselves are.
    private var held: [(filed: FiledRecord, isOnDisk: Bool)] = []
    private var pending: [SessionID: Pending] = [:]
    private var kept: [SessionID: (name: RecordName, stamp: Stamp)] = [:]
    private var isUp = false
    /// Whether the service was heard on this connection.
    private var isHeard = false
    /// What is to be sent as the window allows, the latest first in.
    private var queue: [SessionID] = []
    /// Whether files have to be written.
    private(set) var needsSaving = false
    /// What is to be sent now.
    private var outgoing: [FiledRecord] = []

    init(directory: StateDirectory, log: Logger) {
        files = OutboxFiles(directory: directory)
        self.log = log
    }

    /// What is to be sent since the last call; empty without a connection.
    func takeOutgoing() -> [FiledRecord] {
        defer { outgoing = [] }
        return outgoing
    }

    /// Records that wait for their acknowledgement.
    var waiting: Int { pending.count }

    /// Reads back what an earlier process has left.
    func load() {
        let found = files.load()
        for file in found.damaged { log.error("a ledger record cannot be read", metadata: ["file": "\(file)"]) }
        for filed in found.waiting { pending[filed.record.id] = Pending(filed: filed, isOnDisk: true) }
        for filed in found.kept { kept[filed.record.id] = (filed.name, filed.record.stamp) }
    }

    /// Only with contact: a clock of before may be years ahead.
    private func purge(at groupTime: Int64) {
        for (id, entry) in kept where entry.stamp.time < groupTime - Self.keptFor {
            kept[id] = nil
            files.remove(kept: id)
        }
    }

    // MARK: What the engine says

    /// Takes a record whose journal is written next.
    func hold(_ filed: FiledRecord) { held.append((filed, false)) }

    /// A journal with this session is about to be written: what it says no more of is put on disk.
    func secure(except own: SessionID?) throws(FileError) {
        for index in held.indices where held[index].filed.record.id != own && !held[index].isOnDisk {
            try files.write(waiting: held[index].filed)
            held[index].isOnDisk = true
        }
        for (id, entry) in pending where id != own && !entry.isOnDisk { try save(id) }
    }

    /// The journal is on disk: what was held may be told.
    func release(at boot: Int64) {
        for entry in held { take(entry.filed, isOnDisk: entry.isOnDisk, at: boot) }
        held = []
    }

    private func take(_ filed: FiledRecord, isOnDisk: Bool, at boot: Int64) {
        let id = filed.record.id
        guard pending[id]?.filed != filed else { return }
        if kept[id]?.name == filed.name {
            // What waits was on disk before its journal, and a crash has come between.
            if pending.removeValue(forKey: id) != nil { files.remove(waiting: id) }
            return
        }
        pending[id] = Pending(filed: filed, isOnDisk: isOnDisk)
        needsSaving = needsSaving || !isOnDisk
        if isUp { send(id, at: boot) }
    }

    /// Writes what is not on disk yet.
    func save() {
        needsSaving = false
        for (id, entry) in pending where !entry.isOnDisk {
            do throws(FileError) {
                try save(id)
            } catch {
                // The journal still holds it; the next change tries again, and so does the next process.
                needsSaving = true
                log.error("a ledger record cannot be written", metadata: ["reason": "\(error)"])
            }
        }
    }

    private func save(_ id: SessionID) throws(FileError) {
        guard let filed = pending[id]?.filed else { return }
        try files.write(waiting: filed)
        pending[id]?.isOnDisk = true
    }

    // MARK: The service

    /// There is a connection, or there is none any more.
    func link(isUp: Bool, at boot: Int64) {
        self.isUp = isUp
        // It may have said something since this connection was subscribed.
        isHeard = isHeard && isUp
        outgoing = []
        if isUp { enqueueAll(at: boot) }
    }

    /// What the service says to this node.
    func hear(_ ack: LedgerAck, at boot: Int64, groupTime: Int64) {
        isHeard = true
        for item in ack.items { take(item) }
        if let weeks = ack.weeks {
            purge(at: groupTime)
            fill(weeks, at: groupTime)
            // It has come: what was sent before that, it may never have got.
            enqueueAll(at: boot)
        }
        drain(at: boot)
    }

    private func take(_ item: LedgerAck.Item) {
        let id = item.name.id
        guard let entry = pending[id], entry.filed.name == item.name else { return }
        switch item.outcome {
        case .kept:
            pending[id] = nil
            kept[id] = (item.name, entry.filed.record.stamp)
            do throws(FileError) {
                if !entry.isOnDisk { try files.write(waiting: entry.filed) }
                try files.keep(id)
            } catch {
                log.error("a ledger record cannot be put away", metadata: ["reason": "\(error)"])
            }
        case .conflict, .refused:
            guard !entry.isSetAside else { return }
            pending[id]?.isSetAside = true
            log.warning(
                "the ledger does not take a record", metadata: ["session": "\(id)", "outcome": "\(item.outcome)"])
        }
    }

    /// Sends again what the ledger has acknowledged and lost.
    private func fill(_ weeks: [RecordWeek], at groupTime: Int64) {
        let theirs = Dictionary(weeks.map { ($0.number, $0) }, uniquingKeysWith: { $1 })
        var mine: [Int: RecordWeek] = [:]
        for entry in kept.values {
            let number = RecordWeek.number(of: entry.stamp)
            mine[number, default: RecordWeek(number: number)].add(entry.name)
        }
        // Of the week that is being forgotten here there is nothing to compare.
        let oldest = groupTime - Self.keptFor
        let missing = Set(
            mine.values.filter { Int64($0.number) * RecordWeek.length >= oldest && theirs[$0.number] != $0 }
                .map(\.number))
        for (id, entry) in kept where missing.contains(RecordWeek.number(of: entry.stamp)) {
            // A later one is on its way.
            guard pending[id] == nil, let filed = files.readKept(id) else { continue }
            kept[id] = nil
            pending[id] = Pending(filed: filed, isOnDisk: true)
            files.unkeep(id)
        }
    }

    // MARK: Sending

    /// Sends everything from the beginning, whatever was sent before.
    private func enqueueAll(at boot: Int64) {
        outgoing = []
        for id in pending.keys {
            pending[id]?.sentAt = nil
            pending[id]?.tries = 0
        }
        queue = pending.filter { !$0.value.isSetAside }.keys.sorted(by: >)
        drain(at: boot)
    }

    private func drain(at boot: Int64) {
        guard isUp else { return }
        var out = pending.values.count { $0.sentAt != nil && !$0.isSetAside }
        while out < Self.window, let id = queue.popLast() {
            guard pending[id]?.sentAt == nil else { continue }
            send(id, at: boot)
            out += 1
        }
    }

    private func send(_ id: SessionID, at boot: Int64) {
        guard let entry = pending[id], !entry.isSetAside else { return }
        pending[id]?.sentAt = boot
        pending[id]?.tries += 1
        outgoing.append(entry.filed)
    }

    /// Sends again what was not answered, while the service is there.
    func retry(at boot: Int64) {
        guard isUp, isHeard else { return }
        for (id, entry) in pending {
            if let sentAt = entry.sentAt, boot >= sentAt + Self.patience(entry.tries) { send(id, at: boot) }
        }
        drain(at: boot)
    }

    /// When ``retry(at:)`` has something to do, on the boot clock: up to half as late again, so that the nodes of a
    /// service that was busy do not come back all at once.
    func nextRetry() -> Int64? {
        guard isUp, isHeard else { return nil }
        let due = pending.values.filter { !$0.isSetAside }.compactMap { entry in
            entry.sentAt.map { $0 + Self.patience(entry.tries) }
        }
        return due.min().map { $0 + Int64.random(in: 0...Self.firstPatience / 2) }
    }

    private static func patience(_ tries: Int) -> Int64 {
        min(firstPatience << Int64(min(max(tries - 1, 0), 10)), longestPatience)
    }
}
