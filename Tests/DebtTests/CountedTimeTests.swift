// SPDX-License-Identifier: Apache-2.0

import Debt
import Ledger
import Session
import Support
import Testing

/// A ledger in memory.
struct Book {
    private(set) var records: [SessionID: LedgerRecord] = [:]
    private(set) var corrections: [SessionID: Correction] = [:]

    mutating func take(_ arrival: Story.Arrival) {
        switch arrival {
        case .record(let record):
            let present = records[record.id].map { (version: $0.version, digest: $0) }
            if FilingResult(version: record.version, digest: record, over: present) == .stored {
                records[record.id] = record
            }
        case .correction(let correction):
            if correction.replaces(corrections[correction.key.session]) {
                corrections[correction.key.session] = correction
            }
        }
    }

    var entries: [Entry] { records.values.map { Entry($0, corrected: corrections[$0.id]) } }
}

@Suite("Minutes, against a slow reference", .cpuBound)
struct CountedTimeTests {
    @Test(arguments: 0..<5)
    func countedTimeAgreesWithTheReference(thousand: Int) {
        var seen = (owned: 0, shared: 0, ongoing: 0, excluded: 0)
        for seed in thousand * 1_000..<(thousand + 1) * 1_000 {
            let story = Story(seed: seed)
            var book = Book()
            for arrival in story.arrivals { book.take(arrival) }
            let entries = book.entries
            let counted = CountedTime(of: entries, counting: story.counting, now: story.now)
            let reference = Reference(
                story.arrivals, counting: story.counting, now: story.now.milliseconds, length: Story.length)
            var owners = [SessionID?](repeating: nil, count: reference.owners.count)
            var twice = 0
            for piece in counted.pieces {
                let id = entries[piece.entry].record.id
                for instant in piece.from.milliseconds..<piece.to.milliseconds {
                    if owners[Int(instant)] != nil { twice += 1 }
                    owners[Int(instant)] = id
                }
            }
            #expect(twice == 0, "seed \(seed): \(twice) instants count twice")
            #expect(owners == reference.owners, "seed \(seed)")
            #expect(counted.total.count == Int64(reference.owners.count { $0 != nil }), "seed \(seed)")
            #expect(counted.ongoing?.until.milliseconds == reference.until, "seed \(seed)")
            seen.owned += counted.pieces.count
            seen.shared += Set(counted.pieces.map(\.entry)).count > 2 ? 1 : 0
            seen.ongoing += counted.ongoing == nil ? 0 : 1
            seen.excluded += story.counting.minimum > 0 ? 1 : 0
        }
        #expect(seen.owned > 1_000, "\(seen)")
        #expect(seen.shared > 50, "\(seen)")
        #expect(seen.ongoing > 20, "\(seen)")
        #expect(seen.excluded > 100, "\(seen)")
    }
}
