// SPDX-License-Identifier: Apache-2.0

import Session
import Testing

@testable import Debt

/// Tests calendar files and local times, as commands print them.
@Suite(.timeLimit(.minutes(15))) struct ExportTests {
    /// 2026-11-21T08:30:05Z.
    private static let start: GroupTime = 1_795_249_805_000

    private func calendar(
        title: String, label: String? = nil, length: Milliseconds = 60_000, node: String = "desk",
        isRunning: Bool = false, printedAfter: Milliseconds = 0
    ) throws -> [String] {
        let record = try LedgerRecord.sample(of: node, from: Self.start) {
            let end = Self.start + length
            ($0.title, $0.label, $0.runs[0].to) = (title, label.map { Label(name: $0) }, isRunning ? nil : end)
            if isRunning { ($0.status, $0.endsAt) = (.running, end) }
        }
        let entry = Entry(record, firstReceivedAt: Self.start, finalReceivedAt: Self.start + 60_000)
        let rules = WeekRules(zone: .utc, counting: Counting(minimum: 0))
        let shares = Shares(of: [entry], history: RulesHistory(rules), now: Self.start + 120_000)
        let text = ICalendar.text(of: [(entry, shares.spans(of: 0))], now: Self.start + printedAfter)
        #expect(text.hasSuffix("\r\n"))
        return text.split(separator: "\r\n").map(String.init)
    }

    @Test func anEventHasItsTimesInUniversalTime() throws {
        #expect(
            try calendar(title: "Reading", label: "Study") == [
                "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Lockstep//history//EN", "BEGIN:VEVENT",
                "UID:s-1-0@desk.lockstep", "DTSTAMP:20261121T083005Z", "DTSTART:20261121T083005Z",
                "DTEND:20261121T083105Z", "SUMMARY:Reading", "CATEGORIES:Study", "END:VEVENT", "END:VCALENDAR",
            ])
    }

    @Test func sessionsOfOneIDAtTwoNodesAreTwoEvents() throws {
        let uids = try ["desk", "hall"].map { try calendar(title: "", node: $0).first { $0.hasPrefix("UID:") } }
        #expect(uids == ["UID:s-1-0@desk.lockstep", "UID:s-1-0@hall.lockstep"])
    }

    /// An event ends later than it begins, and that of a running session ends as planned.
    @Test(arguments: [(400, false, "DTEND:20261121T083006Z"), (1_500_000, true, "DTEND:20261121T085505Z")])
    func anEventHasAnEnd(length: Int64, isRunning: Bool, end: String) throws {
        let lines = try calendar(title: "", length: Milliseconds(length), isRunning: isRunning)
        #expect(lines.contains("DTSTART:20261121T083005Z"))
        #expect(lines.contains(end))
        #expect(lines.contains("SUMMARY:focus"), "without a title it is named by its phase")
    }

    @Test func anEventOfASessionThatWasCutEndsThere() throws {
        let lines = try calendar(title: "", length: 1_500_000, isRunning: true, printedAfter: 600_000)
        #expect(lines.contains("DTEND:20261121T083205Z"), "\(lines)")
    }

    @Test func signsAreEscapedByScalars() throws {
        #expect(try calendar(title: "a, b; c\\d").contains("SUMMARY:a\\, b\\; c\\\\d"))
        #expect(try calendar(title: "a;\u{301}b,\u{200D}c").contains("SUMMARY:a\\;\u{301}b\\,\u{200D}c"))
        let title = "e" + String(repeating: "\u{301}", count: 70)
        let lines = try calendar(title: title)
        let first = try #require(lines.firstIndex { $0.hasPrefix("SUMMARY:") })
        #expect(lines.allSatisfy { $0.utf8.count <= 75 }, "\(lines.map(\.utf8.count))")
        let whole = lines[first...].prefix { $0.hasPrefix("SUMMARY:") || $0.utf8.first == UInt8(ascii: " ") }
        let text = whole.flatMap { Array($0.utf8.drop { $0 == UInt8(ascii: " ") }) }
        #expect(String(decoding: text, as: UTF8.self) == "SUMMARY:" + title)
    }

    @Test(arguments: ["=1", "=\u{200D}1", "=\u{301}", "＝1", "＋1", "－1", "＠a", "-a", "+1", "@a", "'a", "'\u{301}a"])
    func aFormulaIsGuardedByScalars(_ text: String) {
        let guarded = CSVText.guarded(text)
        #expect(guarded.utf8.first == UInt8(ascii: "'"))
        #expect(guarded.utf8.count == text.utf8.count + 1)
        #expect(Array(CSVText.unguarded(guarded).utf8) == Array(text.utf8))
    }

    @Test func plainTextIsNotGuarded() {
        for text in ["", "a=1", "é", "1-2"] {
            #expect(CSVText.guarded(text) == text)
            #expect(CSVText.unguarded(text) == text)
        }
    }

    @Test func localTimesAreReadAndWrittenInTheZone() throws {
        let zone = try #require(Zone("Europe/Berlin"))
        #expect(zone.instants("2026-11-21T09:30:05") == [Self.start])
        #expect(zone.instants("2026-11-21T09:30") == [Self.start - 5_000])
        #expect(zone.instants("2026-11-21T09:30:05.000+01:00") == [Self.start])
        #expect(zone.instants(ZonedTime.text(Self.start + 7, zone: zone)) == [Self.start + 7])
        #expect(zone.instants("2026-10-25T02:30").count == 2, "the clocks are set back")
        #expect(zone.text(of: Self.start) == "2026-11-21T09:30")
        #expect(zone.instants("2026-11-21") == [Self.start - 5_000 - .minutes(9 * 60 + 30)])
        #expect(zone.instants("nine") == [])
    }

    @Test func longLinesAreFoldedBetweenCharacters() throws {
        let title = String(repeating: "é", count: 60)
        let lines = try calendar(title: title)
        let first = try #require(lines.firstIndex { $0.hasPrefix("SUMMARY:") })
        #expect(lines[first + 1].hasPrefix(" "))
        #expect(lines.allSatisfy { $0.utf8.count <= 75 })
        #expect(lines[first] + lines[first + 1].dropFirst() == "SUMMARY:" + title)
    }

    @Test(arguments: [
        "", "2026-11", "2026-11-21T", "2026-11-21T24:00", "2026-11-21T08:60", "2026-11-21T08:30:00:00", "T08:30",
        "2026-11-21T-8:30", "2026-11-21T08:3", "2026-11-21T08:30:5", "2026-11-21T08:30:00.+50+01:00",
        "2026-11-21T08:30:00.-00+01:00",
    ])
    func otherTextsAreNoLocalTimes(_ text: String) {
        #expect(Zone.utc.instants(text).isEmpty)
    }
}
