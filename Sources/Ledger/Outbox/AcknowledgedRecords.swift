// SPDX-License-Identifier: Apache-2.0

import Session
import Wire

/// The records that the service has acknowledged in the latest weeks, to fill a restored ledger again.
struct AcknowledgedRecords: Sendable {
    var records: [SessionID: Acknowledged] = [:]

    /// A record that the ledger has.
    struct Acknowledged {
        let name: RecordName
        /// The record itself, as long as it has no file.
        private(set) var digested: DigestedRecord?
        var place: RecordPlace {
            didSet { if place.isFile { digested = nil } }
        }
        fileprivate let week: Int

        init(_ digested: DigestedRecord, isFiled: Bool) {
            name = digested.name
            self.digested = isFiled ? nil : digested
            place = isFiled ? .file : .journal
            week = RecordWeek.number(of: digested.record.stamp)
        }
    }

    /// Compares the records with the weeks of the ledger. Returns the sessions before the latest weeks that have
    /// records, and those of the weeks that differ. A clock that is years ahead makes the node forget nothing.
    func compare(with weeks: [RecordWeek]) -> (earlier: [SessionID], different: [SessionID]) {
        let theirs = Dictionary(weeks.map { ($0.number, $0) }, uniquingKeysWith: { $1 })
        var mine: [Int: RecordWeek] = [:]
        // The records can be added in any order, since a week is compared by the sum of their digests.
        for entry in records.values { mine[entry.week, default: RecordWeek(number: entry.week)].add(entry.name) }
        let latest = Set(mine.keys.sorted().suffix(LedgerAck.weeksLimit))
        // The service lists no more weeks than the limit, so earlier ones cannot be compared.
        let first = theirs.count < LedgerAck.weeksLimit ? .min : theirs.keys.min() ?? .min
        let missing = latest.filter { $0 >= first && theirs[$0] != mine[$0] }
        func sessions(in isListed: (Int) -> Bool) -> [SessionID] {
            records.filter { isListed($0.value.week) }.keys.sorted()
        }
        return (sessions { !latest.contains($0) }, sessions(in: missing.contains))
    }
}
