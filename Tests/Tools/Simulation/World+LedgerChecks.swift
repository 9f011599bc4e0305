// SPDX-License-Identifier: Apache-2.0

import Core
import Ledger
import Session
import Wire

extension World {
    /// Notes the record that the ledger must have after a write.
    mutating func witnessRecord(_ journal: Journal, _ write: Int, of node: Int) {
        guard let own = journal.own, own.owner == machines[node].id else { return }
        let record = LedgerRecord(own, isApproximate: journal.isApproximate)
        witness.nodes[node].meant.append((write, own, record, instant(node).boot))
    }

    /// Notes that the disk holds all writes up to this one.
    mutating func witnessRecords(upTo write: Int, of node: Int) {
        while let first = witness.nodes[node].meant.first, first.write <= write {
            witness.nodes[node].meant.removeFirst()
            if let before = witness.nodes[node].recorded, before.id != first.own.id, before.status.isLive {
                let last = before.advanced(since: first.boot - before.anchor.boot, lateness: Limits.lateness)
                let ran = (last.status.isLive ? last : before).ran(until: first.own.anchor.boot)
                witness.records[before.id]?.ended = Witness.Record.End(
                    version: first.own.version, ran: ran, isCut: first.own.continues != nil,
                    before: LedgerRecord(last, isApproximate: false))
            }
            if let before = witness.nodes[node].recorded?.id, before != first.own.id {
                witness.records[before]?.isReplaced = true
            }
            witness.nodes[node].recorded = first.own
            witness.records[first.own.id] = Witness.Record(record: first.record)
        }
    }

    /// Whether a node holds a record that the ledger has not acknowledged. A refused record waits for its next version.
    private func waitsForTheLedger(_ machine: Machine) -> Bool {
        !witness.nodes[machine.index].isForgetful
            && machine.core.recordsWaiting > service.refused.keys.count { $0.node == machine.id }
    }

    /// Checks that the ledger holds each record as the node's disk had it.
    mutating func checkLedger() {
        guard violation == nil else { return }
        // The record of a phase that has just ended leaves a moment later. The next phase may end within a fixed wait.
        wait { world in world.machines.contains(where: world.waitsForTheLedger) }
        for machine in machines where waitsForTheLedger(machine) {
            fail(.outboxEmpty, "\(machine.core.recordsWaiting) records of \(machine.id) wait")
        }
        for (id, expected) in witness.records.sorted(by: { $0.key < $1.key }) {
            guard let node = place(of: expected.record.node), !witness.nodes[node].isForgetful else { continue }
            let key = service.key(expected.record)
            // A record with the date of a wrong clock is refused, and the one before it stays.
            let isPlausible = expected.record.isPlausible(at: now.date)
            if !isPlausible || expected.ended != nil && service.refused[key] != nil { continue }
            guard let held = service.ledger[key]?.digested.record else {
                return fail(.ledgerHolds, "the ledger has nothing of \(id)")
            }
            if !expected.isMet(by: held) {
                let end = expected.ended.map { ", ended by a start after \($0.ran) ms" } ?? ""
                let (found, wanted) = (EventText.line(held), EventText.line(expected.record))
                return fail(.ledgerHolds, "the ledger has \(found) of \(id), which was \(wanted)\(end)")
            }
            if service.conflicts.contains(key) { return fail(.ledgerHolds, "two records of \(id) under one version") }
        }
        checkForgeries()
    }

    /// Checks that a forged record ends a session only as a takeover, before the ledger knew its end.
    private mutating func checkForgeries() {
        guard let liar else { return }
        let entries = service.ledger.values.sorted { $0.filedPart.part.stamp < $1.filedPart.part.stamp }
        let honest = entries.filter { $0.digested.record.node != liar.node }
        let ends = FiledPart.ends(of: entries.map(\.filedPart))
        let endsWithoutLiar = Mutant.withEveryRule { FiledPart.ends(of: honest.map(\.filedPart)) }
        let cuts = zip(entries, ends).filter { $0.0.digested.record.node != liar.node }.map(\.1)
        for (index, entry) in honest.enumerated() where cuts[index] < endsWithoutLiar[index] {
            let record = entry.digested.record
            let isExplained = entries.contains { later in
                let forged = later.digested.record
                guard forged.node == liar.node, forged.lineage == record.lineage, forged.stamp > record.stamp,
                    forged.continuedAt == cuts[index], forged.continuedFrom ?? record.node == record.node
                else { return false }
                let isInTime = cuts[index] >= (record.continuedAt ?? record.startedAt) - Limits.stampLead
                return isInTime && entry.ended.map { $0 >= later.begun } ?? true
            }
            counters.add(.cutByForgery)
            if !isExplained {
                fail(.minutesTheirOwn, "\(record.id) ends at \(cuts[index]) by a record that does not continue it")
            }
        }
        let present = now.date
        let times = (Limits.earliestStamp - .days(1))...(present + 2 * .days(1))
        for record in entries.map(\.digested.record) {
            let claimed =
                [record.stamp.time, record.startedAt] + [record.continuedAt, record.endsAt].compactMap(\.self)
                + record.runs.flatMap { [$0.from, $0.to].compactMap(\.self) }
            if !claimed.allSatisfy(times.contains) {
                fail(.minutesTheirOwn, "the ledger has \(EventText.line(record))")
            }
        }
    }
}

extension Witness {
    /// The record of a session that was last on disk.
    struct Record {
        var record: LedgerRecord
        /// The end by another start on its node, if there was one.
        var ended: End?
        /// Whether its node has had another session since.
        var isReplaced = false

        struct End {
            var version: Version
            var ran: Milliseconds
            /// Whether the session that continues it may have started earlier.
            var isCut: Bool
            /// The record at that time without the start.
            var before: LedgerRecord
        }

        /// The end of a run that is open. Sums with it do not overflow.
        private static let never = GroupTime(.max / 1_000)

        /// Whether a finished session was only moved in time, as a whole, when the next one began.
        private func isMoved(to held: LedgerRecord) -> Bool {
            held.status == record.status && !held.status.isLive && held.version > record.version
                && held.lengths == record.lengths
        }

        func isMet(by held: LedgerRecord) -> Bool {
            guard let ended else { return held == record || isReplaced && isMoved(to: held) }
            // It ended by itself, under its own version, in the input of the other start. That may also have dated it.
            let endedByItself = held.version < ended.version
            let isDated = held.startedAt != ended.before.startedAt || held.continuedAt != ended.before.continuedAt
            if endedByItself, !ended.before.status.isLive,
                isDated ? held.lengths == ended.before.lengths : held.runs == ended.before.runs
            {
                return held.status == ended.before.status
            }
            let sum = held.runs.reduce(Milliseconds.zero) { $0 + (($1.to ?? Self.never) - $1.from) }
            return (endedByItself ? !held.status.isLive : held.status == .superseded) && held.version > record.version
                && ended.before.runs.map(\.kind).starts(with: held.runs.map(\.kind))
                && (ended.isCut ? sum <= ended.ran + 2 : (sum - ended.ran).magnitude <= 2)
        }
    }
}

extension LedgerRecord {
    /// The lengths of the runs; `nil` for an open one.
    fileprivate var lengths: [Milliseconds?] { runs.map { run in run.to.map { $0 - run.from } } }
}
