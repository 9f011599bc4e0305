// SPDX-License-Identifier: Apache-2.0

import API
import Glibc
import Ledger
import Session
import Settings
import Support
import Testing
import Wire

@testable import Debt

/// The findings on ledgers in real files.
@Suite(.timeLimit(.minutes(15))) struct LedgerExaminationTests {
    private let directory: TemporaryDirectory
    private let settings: DebtSettings

    init() throws {
        directory = try TemporaryDirectory()
        settings = try DebtSettings(SettingValues(), environment: ["STATE_DIRECTORY": directory.path])
    }

    private func states() throws -> [String] {
        try LedgerExamination.findings(settings).map { "\($0.check): \($0.state)" }
    }

    @Test func missingLedgerIsNoProblem() throws {
        #expect(try states() == ["ledger: absent"])
    }

    @Test func lockedDirectoryMeansARunningService() throws {
        try LedgerStore(at: settings.ledger).close()
        #expect(try states() == ["ledger: ok", "debt service: wrong", "conflicts: ok"])
        let service = try StateDirectory(directory.path)
        #expect(try states() == ["ledger: ok", "debt service: ok", "conflicts: ok"])
        withExtendedLifetime(service) {}
    }

    @Test func damagedLedgerIsToBeRestored() throws {
        _ = try directory.write(String(repeating: "no database ", count: 1_000), to: "ledger.sqlite")
        let findings = try LedgerExamination.findings(settings)
        #expect(findings.map(\.state) == [.wrong])
        #expect(findings.first?.fix?.contains("lockstep debt restore") == true)
    }

    @Test func problemsAndConflictsAreListed() throws {
        let ledger = try LedgerStore(at: settings.ledger)
        try ledger.set(problem: "too many records", .quota, at: 5)
        let space = SpaceID.home
        for title in ["Reading", "Writing"] {
            let record = try LedgerRecord.sample { $0.title = title }
            _ = try ledger.file([
                LedgerStore.Arrival(space: space, digested: DigestedRecord(record), at: 1_800_000_000_000)
            ])
        }
        try ledger.close()
        let findings = try LedgerExamination.findings(settings)
        #expect(
            findings.map { "\($0.check): \($0.state)" } == [
                "ledger: ok", "debt service: wrong", "debt service: wrong", "conflicts: wrong",
            ])
        #expect(findings[2].found == "too many records")
        #expect(findings[3].fix?.contains("lockstep debt correct s-1 --recorded-on desk --space home") == true)
    }
}
