// SPDX-License-Identifier: Apache-2.0

import Ledger
import Session
import Testing

@testable import Debt

@Suite(.timeLimit(.minutes(15))) struct ImportReportTests {
    private func report(isDry: Bool = false, _ filings: [FilingResult]) throws -> ImportReport {
        let lines = try [(8, 30), (10, 60)].flatMap { (hour, minutes) in
            let from = 1_763_683_200_000 + .minutes(Int64(hour) * 60) as GroupTime
            let record = try LedgerRecord.sample("-s-\(hour)", from: from, minutes: Int64(minutes)) {
                $0.title = "Reading"
            }
            return HistoryCSV.lines(of: record, zone: .utc)
        }
        let text = ([HistoryCSV.header] + lines + ["broken"]).joined(separator: "\n")
        let found = try Import(csv: Array(text.utf8))
        var report = ImportReport(file: "history.csv", found: found, isDry: isDry)
        #expect(found.records.count == 2)
        for (record, filing) in zip(found.records, filings) { report.count(filing, of: record) }
        return report
    }

    @Test func newSessionsAreCountedWithTheirMinutes() throws {
        #expect(
            try report([.stored, .stored]).text
                == "Imported 2 sessions of 90 minutes; 1 row skipped.")
        #expect(try report(isDry: true, [.stored, .stored]).text.hasPrefix("Would import 2 sessions of 90 minutes"))
    }

    @Test func knownAndConflictingSessionsAreCountedApart() throws {
        let text = try report([.known, .conflict]).text
        #expect(text.hasPrefix("Imported 0 sessions of 0 minutes; 1 was already there;"), "\(text)")
        #expect(text.contains("1 differs from what the ledger holds: lockstep doctor names it"), "\(text)")
    }

    @Test func theJSONNamesSkippedRows() throws {
        let json = try report([.stored, .older]).json
        #expect(json.contains("\"imported\":1"), "\(json)")
        #expect(json.contains("\"known\":1"), "\(json)")
        #expect(json.contains("\"line\":4"), "\(json)")
    }
}
