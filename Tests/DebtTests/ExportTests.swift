// SPDX-License-Identifier: Apache-2.0

import Session
import Testing

@testable import Debt

/// Tests calendar files and local times, as commands print them.
@Suite(.timeLimit(.minutes(1))) struct ExportTests {
    /// 2026-11-21T08:30:05Z.
    private static let start: Int64 = 1_795_249_805_000

    private func calendar(title: String, label: String? = nil) throws -> [String] {
        let (id, node) = (try #require(SessionID("s-1")), try #require(NodeID("desk")))
        let run = LedgerRecord.Run(kind: .focus, from: Self.start, to: Self.start + 60_000)
        let record = LedgerRecord(
            id: id, lineage: id, node: node, stamp: Stamp(time: Self.start, counter: 0, node: node),
            version: Version(epoch: 1, rev: 1), title: title, label: label.map { Label(name: $0) }, mode: .countdown,
            status: .stopped, startedAt: Self.start, runs: [run])
        let entry = Entry(record, begun: Self.start, ended: Self.start + 60_000)
        let shares = Shares(of: [entry], history: RulesHistory(WeekRules(zone: .utc)), now: Self.start + 120_000)
        let text = ICalendar.text(of: [(entry, shares.spans(of: 0))], now: Self.start)
        #expect(text.hasSuffix("\r\n"))
        return text.split(separator: "\r\n").map(String.init)
    }

    @Test func anEventHasItsTimesInUniversalTime() throws {
        #expect(
            try calendar(title: "Reading", label: "Study") == [
                "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Lockstep//history//EN", "BEGIN:VEVENT",
                "UID:s-1-0@lockstep", "DTSTAMP:20261121T083005Z", "DTSTART:20261121T083005Z",
                "DTEND:20261121T083105Z", "SUMMARY:Reading", "CATEGORIES:Study", "END:VEVENT", "END:VCALENDAR",
            ])
    }

    @Test func aSessionWithoutTitleIsNamedByItsPhase() throws {
        #expect(try calendar(title: "").contains("SUMMARY:focus"))
    }

    @Test func specialCharactersAreEscaped() throws {
        #expect(try calendar(title: "a, b; c\\d").contains("SUMMARY:a\\, b\\; c\\\\d"))
    }

    @Test func longLinesAreFoldedBetweenCharacters() throws {
        let title = String(repeating: "é", count: 60)
        let lines = try calendar(title: title)
        let first = try #require(lines.firstIndex { $0.hasPrefix("SUMMARY:") })
        #expect(lines[first + 1].hasPrefix(" "))
        #expect(lines.allSatisfy { $0.utf8.count <= 75 })
        #expect(lines[first] + lines[first + 1].dropFirst() == "SUMMARY:" + title)
    }

    @Test func localTimesAreReadAndWrittenInTheZone() throws {
        let zone = try #require(Zone("Europe/Berlin"))
        #expect(zone.instant("2026-11-21T09:30") == Self.start - 5_000)
        #expect(zone.text(of: Self.start) == "2026-11-21T09:30")
        #expect(zone.instant("2026-11-21") == Self.start - 5_000 - (9 * 60 + 30) * 60_000)
    }

    @Test(arguments: [
        "", "2026-11", "2026-11-21T", "2026-11-21T24:00", "2026-11-21T08:60", "2026-11-21T08:30:00", "T08:30",
    ])
    func otherTextsAreNoLocalTimes(_ text: String) {
        #expect(Zone.utc.instant(text) == nil)
    }
}
