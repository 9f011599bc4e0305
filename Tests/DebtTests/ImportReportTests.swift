// SPDX-License-Identifier: Apache-2.0

import Ledger
import Session
import Testing

@testable import Debt

@Suite(.timeLimit(.minutes(1))) struct ImportReportTests {
    private static let file = """
        Project,Description,Start date,Start time,End date,End time
        Study,Reading,2026-11-21,08:30:00,2026-11-21,09:00:00
        Study,Writing,2026-11-21,10:00:00,2026-11-21,11:00:00
        Study,Reading,2026-11-21,08:30:00,2026-11-21,09:00:00
        Study,Broken,2026-11-21,nine,2026-11-21,11:00:00

        """

    private func report(isDry: Bool = false, _ filings: [FilingResult]) throws -> ImportReport {
        let found = try Import(csv: Array(Self.file.utf8), zone: .utc, colours: [:]) { _ in }
        var report = ImportReport(file: "toggl.csv", found: found, isDry: isDry)
        #expect(found.records.count == 2)
        for (record, filing) in zip(found.records, filings) { report.count(filing, of: record) }
        return report
    }

    @Test func newSessionsAreCountedWithTheirMinutes() throws {
        #expect(
            try report([.kept, .kept]).text
                == "Imported 2 sessions of 90 minutes from Toggl Track; 1 row repeats another; 1 row skipped.")
        #expect(try report(isDry: true, [.kept, .kept]).text.hasPrefix("Would import 2 sessions of 90 minutes"))
    }

    @Test func knownAndConflictingSessionsAreCountedApart() throws {
        let text = try report([.known, .conflict]).text
        #expect(text.hasPrefix("Imported 0 sessions of 0 minutes from Toggl Track; 1 was already there;"), "\(text)")
        #expect(text.contains("1 differs from what the ledger holds: lockstep doctor names it"), "\(text)")
    }

    @Test func theJSONNamesSkippedRows() throws {
        let json = try report([.kept, .older]).json
        #expect(json.contains("\"imported\":1"), "\(json)")
        #expect(json.contains("\"known\":1"), "\(json)")
        #expect(json.contains("\"line\":5"), "\(json)")
    }
}
