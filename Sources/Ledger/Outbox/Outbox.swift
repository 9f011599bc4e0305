// SPDX-License-Identifier: Apache-2.0

public import Session
package import Wire

/// The ledger records of a node that wait, or were acknowledged and belong to its latest 14 weeks with records.
///
/// A restored ledger is filled again from the acknowledged ones. A record is held until its journal is on disk, so
/// that nothing is sent that a crash can undo. It gets a file of its own when the journal is about to drop its
/// session. Until then the journal restores it after a crash, and a press costs no further write.
package struct Outbox: Sendable {
    private var unwritten = UnwrittenRecords()
    package var waiting = WaitingRecords()
    private var acknowledged = AcknowledgedRecords()
    /// Sessions whose record waits or is acknowledged and has no file: mostly only the session in the journal.
    private var unfiled: Set<SessionID> = []
    private var work = Work()

    /// The work that the outbox leaves to its caller.
    package struct Work: Sendable {
        package var outgoing: [DigestedRecord] = []
        package var changes: [RecordChange] = []
        /// Acknowledged records to read for ``Outbox/addRead(_:at:)``.
        package var wanted: [SessionID] = []
        package var refused: [(SessionID, LedgerAck.Outcome)] = []
    }

    package init() {}

    package mutating func removeWork() -> Work {
        defer { work = Work() }
        swap(&work.outgoing, &waiting.outgoing)
        return work
    }

    /// Adopts the files of an earlier process.
    package mutating func restore(waiting: [DigestedRecord], acknowledged: [DigestedRecord]) {
        for digested in waiting { self.waiting.records[digested.record.id] = .init(digested: digested, place: .file) }
        for digested in acknowledged { self.acknowledged.records[digested.record.id] = .init(digested, isFiled: true) }
    }

    // MARK: The engine

    /// Holds the record of a register whose journal is written next.
    package mutating func hold(_ register: Register, isApproximate: Bool) {
        unwritten.add(register, isApproximate: isApproximate)
    }

    /// Returns the records that a journal no longer contains, which must be on disk before it. A record is returned for
    /// each write until one of these writes is on disk, so a failed write needs no report.
    /// - Parameter write: The number of the write, which rises.
    package mutating func file(except own: SessionID?, write: Int) -> (
        waiting: [DigestedRecord], acknowledged: [DigestedRecord]
    ) {
        var files = (waiting: unwritten.file(except: own, write: write), acknowledged: [DigestedRecord]())
        // An unwritten record of the same session is later, and replaces it.
        for id in unfiled.sorted() where id != own && !unwritten.contains(id) {
            if let entry = waiting.records[id] {
                files.waiting.append(entry.digested)
                waiting.records[id]?.place.beginWriting(write)
            } else if let digested = acknowledged.records[id]?.digested {
                files.acknowledged.append(digested)
                acknowledged.records[id]?.place.beginWriting(write)
            }
        }
        return files
    }

    /// Adds the record of a journal that is on disk.
    package mutating func restore(_ record: LedgerRecord, at boot: BootTime) {
        add(DigestedRecord(record), isFiled: false, boot: boot)
    }

    /// Releases the records that were held for a write, which is on disk like all before it.
    package mutating func noteWritten(_ write: Int, at boot: BootTime) {
        // The order does not matter: each session is handled by itself.
        for id in unfiled {
            if waiting.records[id]?.place.isWritten(by: write) == true {
                waiting.records[id]?.place = .file
            } else if waiting.records[id] == nil, acknowledged.records[id]?.place.isWritten(by: write) == true {
                acknowledged.records[id]?.place = .file
            } else {
                continue
            }
            unfiled.remove(id)
        }
        for (digested, isFiled) in unwritten.removeWritten(by: write) { add(digested, isFiled: isFiled, boot: boot) }
    }

    /// Adds the record of a session that a person adds. It is in no journal, and has a file of its own.
    package mutating func addFiled(_ digested: DigestedRecord, at boot: BootTime) {
        add(digested, isFiled: true, boot: boot)
    }

    private mutating func add(_ digested: DigestedRecord, isFiled: Bool, boot: BootTime) {
        let id = digested.record.id
        guard waiting.records[id]?.digested != digested else { return }
        if acknowledged.records[id]?.name == digested.name {
            // The waiting record was filed before its journal was written, and a crash came between.
            if waiting.records.removeValue(forKey: id) != nil { work.changes.append(.removeWaiting(id)) }
            return
        }
        waiting.records[id] = .init(digested: digested, place: isFiled ? .file : .journal)
        if isFiled { unfiled.remove(id) } else { unfiled.insert(id) }
        waiting.send(id, at: boot)
    }

    // MARK: The service

    package mutating func receive(_ ack: LedgerAck, at boot: BootTime) {
        waiting.isServicePresent = true
        for item in ack.items { receive(item) }
        if let weeks = ack.weeks {  // rule: weeksCompared
            compare(weeks)
            // The service has just started, and may have missed what was sent before.
            waiting.enqueueAll(at: boot)
        }
        waiting.drain(at: boot)
    }

    private mutating func receive(_ item: LedgerAck.Item) {
        let id = item.name.id
        guard let entry = waiting.records[id], entry.digested.name == item.name else { return }
        switch item.outcome {
        case .kept:
            waiting.records[id] = nil
            acknowledged.records[id] = .init(entry.digested, isFiled: entry.place.isFile)
            if entry.place.isFile { work.changes.append(.keep(id)) }
        case .conflict, .refused:
            guard !entry.isSetAside else { return }
            waiting.records[id]?.isSetAside = true
            work.refused.append((id, item.outcome))
        }
    }

    /// Sends acknowledged records again that the ledger has lost, and forgets those before the latest weeks.
    private mutating func compare(_ weeks: [RecordWeek]) {
        let (earlier, different) = acknowledged.compare(with: weeks)
        for id in earlier {
            acknowledged.records[id] = nil
            work.changes.append(.removeAcknowledged(id))
        }
        for id in different where waiting.records[id] == nil {
            if let digested = acknowledged.records[id]?.digested {
                acknowledged.records[id] = nil
                waiting.records[id] = .init(digested: digested, place: .journal)
            } else {
                work.wanted.append(id)
            }
        }
    }

    /// Sends acknowledged records again that were read from disk.
    package mutating func addRead(_ records: [DigestedRecord], at boot: BootTime) {
        var requeued: [SessionID] = []
        for digested in records {
            let id = digested.record.id
            guard waiting.records[id] == nil, acknowledged.records[id]?.name == digested.name else { continue }
            acknowledged.records[id] = nil
            waiting.records[id] = .init(digested: digested, place: .file)
            work.changes.append(.requeue(id))
            requeued.append(id)
        }
        waiting.enqueue(requeued, at: boot)
    }
}

/// A change of the files of ledger records, one file for each session.
public enum RecordChange: Hashable, Sendable {
    /// A waiting record was acknowledged.
    case keep(SessionID)
    /// An acknowledged record waits again, because the ledger has lost it.
    case requeue(SessionID)
    /// A waiting record was undone by a crash.
    case removeWaiting(SessionID)
    /// An acknowledged record is older than the weeks that the ledger compares.
    case removeAcknowledged(SessionID)
}
