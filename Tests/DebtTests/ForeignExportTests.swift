// SPDX-License-Identifier: Apache-2.0

import Session
import Support
import Testing

@testable import Debt

/// Exports of Goodtime and Toggl Track, turned into a history by `Config/examples/import.py` and then imported.
@Suite(.timeLimit(.minutes(15)))
struct ForeignExportTests {
    private let goodtime = "end,duration,interruptions,label,notes,is_break,is_archived"
    private let toggl =
        "User,Email,Client,Project,Task,Description,Billable,Start date,Start time,End date,End time,Duration,Tags"

    /// The sessions of an export, and the messages about it, each with the line that it names.
    private struct Found {
        var records: [LedgerRecord]
        var messages: String

        /// Messages such as `line 3, Start date`.
        var problems: [Substring] {
            messages.split(separator: "\n").compactMap { $0.firstMatch(of: #/: (line [0-9]+(?:, [^:]+)?): /#)?.1 }
        }
    }

    private func read(_ lines: String..., end: String = "\n", zone: String = "Europe/Berlin") async throws -> Found {
        let result = try await ForeignExport.convert(lines.joined(separator: end), zone: zone, "--skip-bad")
        #expect(result.code == 0, "\(result.errors)")
        let found = try Import(csv: Array(result.csv.utf8))
        #expect(found.problems.isEmpty, "\(found.problems)")
        return Found(records: found.records, messages: result.errors)
    }

    private func utc(_ day: String, _ hour: Int64, _ minute: Int64 = 0) throws -> GroupTime {
        Zone.utc.instant(of: try #require(CivilDate(day)), time: (hour * 60 + minute) * 60_000)
    }

    private func runs(_ found: Found) -> [[GroupTime?]] {
        found.records.flatMap { $0.runs.map { [$0.from, $0.to] } }
    }

    @Test(arguments: [
        "", "start,stop\n1,2", "a;b;c", "Start date,Start time", "duration,label", "\"end", "User,Email\nx,y",
    ])
    func unknownColumnsAreReported(text: String) async throws {
        let result = try await ForeignExport.convert(text, zone: "UTC")
        #expect(result.code == 1)
        #expect(result.csv.isEmpty)
        #expect(result.errors.contains("time-of-completion,duration,label"))
        #expect(result.errors.contains("Start date"))
    }

    @Test func anUnknownZoneAndOtherTextAreReported() async throws {
        #expect(try await ForeignExport.convert(goodtime, zone: "Berlin").errors.contains("--zone Europe/Berlin"))
        #expect(try await ForeignExport.history(goodtime, zone: "UTC").split(separator: "\n").count == 1)
    }

    // MARK: Goodtime

    @Test func currentGoodtimeFormatIsRead() async throws {
        let found = try await read(
            goodtime, "2025-11-20T09:30:00,25,5,Deep,,false,false",
            "2025-11-20T09:40:00,10,0,,Tea, with milk,true,true",
            "2025-11-20T12:00:00,50,0,Email,\"quoted\" and, much, more,false,false",
            "2025-11-21T12:00:00,50,0,Email,first line", "second, line", "", "fourth,false,false", end: "\r\n")
        #expect(found.problems.isEmpty, "\(found.messages)")
        #expect(
            try runs(found) == [
                [utc("2025-11-20", 8, 5), utc("2025-11-20", 8, 30)],
                [utc("2025-11-20", 8, 30), utc("2025-11-20", 8, 40)],
                [utc("2025-11-20", 10, 10), utc("2025-11-20", 11)], [utc("2025-11-21", 10, 10), utc("2025-11-21", 11)],
            ])
        #expect(
            found.records.map(\.title) == [
                "", "Tea, with milk", "\"quoted\" and, much, more", "first line second, line fourth",
            ])
        #expect(found.records.map { $0.label?.name } == ["Deep", nil, "Email", "Email"])
        #expect(found.records.map { $0.runs[0].kind } == [.focus, .shortBreak, .focus, .focus])
        #expect(found.records.allSatisfy { $0.node.rawValue == "imported-goodtime" })
    }

    @Test func oldGoodtimeFormatsAreRead() async throws {
        let old = try await read(
            "time-of-completion,duration,label", "2019-02-28-23:10,25,Deep", "2019-03-01-00:05,25,")
        #expect(try runs(old)[0] == [utc("2019-02-28", 21, 45), utc("2019-02-28", 22, 10)])
        #expect(old.records.map { $0.label?.name } == ["Deep", nil])
        #expect(old.problems.isEmpty)
        let between = try await read(
            "start,end,duration,label,notes,work,archived",
            "2025-01-02T10:00:00,2025-01-02T10:25:00,25,Deep,,true,false",
            "2025-01-02T10:25:00,2025-01-02T10:30:00,5,,,false,false",
            // From a version whose fields differ from its header.
            "2025-01-02T10:55:00,25,0,Deep,,true,false")
        #expect(between.records.map { $0.runs[0].kind } == [.focus, .shortBreak])
        #expect(between.problems == ["line 4, end"])
    }

    @Test func fileSavedByASpreadsheetIsRead() async throws {
        let found = try await read(
            goodtime.split(separator: ",").map { "\"\($0)\"" }.joined(separator: ";"),
            "\"2025-11-20T09:30:00\";25;5;\"De;ep\";\"a \"\"b\"\"\";\"false\";\"false\"")
        #expect(found.problems.isEmpty)
        #expect(found.records.map(\.title) == ["a \"b\""])
        #expect(found.records.map { $0.label?.name } == ["De;ep"])
    }

    @Test func unquotedNotesOfManyEmptyLinesAreRead() async throws {
        let empty = String(repeating: "\n", count: 200_000)
        let found = try await read(
            goodtime, "2025-11-20T12:00:00,50,0,Email,first line", empty, "last,false,false", empty)
        #expect(found.records.map(\.title) == ["first line last"])
    }

    // MARK: Toggl Track

    @Test func bothTogglFormatsAreRead() async throws {
        let old = try await read(
            "\u{FEFF}" + toggl + ",Amount ()",
            "Me,me@x,Acme,Deep,,\"Design, \"\"round 2\"\"\nagain\",Yes,2025-07-01,09:00:00,2025-07-01,10:30:00,01:30:00,\"a, b\",",
            "Me,me@x,,,Task,,No,2025-07-01,23:50:00,2025-07-02,00:10:00,00:20:00,,", end: "\r\n")
        #expect(old.problems.isEmpty, "\(old.messages)")
        #expect(old.records.map(\.title) == ["Design, \"round 2\" again", "Task"])
        #expect(old.records.map { $0.label?.name } == ["Deep", nil])
        #expect(
            try runs(old) == [
                [utc("2025-07-01", 7), utc("2025-07-01", 8, 30)],
                [utc("2025-07-01", 21, 50), utc("2025-07-01", 22, 10)],
            ])
        let new = try await read(
            #""Description","Duration","Member","Email","Project","Tags","Start date","Start time","Stop date","Stop time""#,
            #""Work","1:00:00","A","a@x","-","-","2025-07-14","9:00:00 AM","2025-07-14","1:00:00 PM""#)
        #expect(new.problems.isEmpty)
        #expect(new.records.map(\.label) == [nil])
        #expect(try runs(new) == [[utc("2025-07-14", 7), utc("2025-07-14", 11)]])
    }

    /// On 2025-10-26 the clocks go from 03:00 back to 02:00, on 2025-03-30 from 02:00 forward to 03:00.
    @Test(arguments: [
        ("10-26", "02:10:00", "02:50:00", "00:40:00", 0, 10, 0, 50),
        ("10-26", "02:10:00", "02:50:00", "01:40:00", 0, 10, 1, 50),
        ("10-26", "02:50:00", "02:10:00", "00:20:00", 0, 50, 1, 10),
        ("10-26", "01:50:00", "02:10:00", "", -1, 50, 0, 10),
        ("10-26", "01:50:00", "02:10:00", "01:20:00", -1, 50, 1, 10),
        ("10-26", "02:30:00", "03:30:00", "01:00:00", 1, 30, 2, 30),
        ("10-26", "02:30:00", "03:30:00", "02:00:00", 0, 30, 2, 30),
        ("03-30", "01:30:00", "03:30:00", "01:00:00", 0, 30, 1, 30),
        ("03-30", "01:30:00", "02:30:00", "", 0, 30, 1, 30),
    ])
    func clockChangesAreResolvedByTheLength(
        day: String, from: String, to: String, length: String, hour: Int, minute: Int, endHour: Int, endMinute: Int
    ) async throws {
        let found = try await read(toggl, "Me,me@x,,P,,D,No,2025-\(day),\(from),2025-\(day),\(to),\(length),")
        let midnight = try utc("2025-\(day)", 0)
        let expected = [(hour, minute), (endHour, endMinute)].map { midnight + .minutes(Int64($0 * 60 + $1)) }
        #expect(runs(found) == [[expected[0], expected[1]]], "\(found.messages)")
    }

    // MARK: Errors and duplicates

    private func row(_ date: String, _ time: String, _ endDate: String, _ end: String) -> String {
        "Me,me@x,,P,,D,No,\(date),\(time),\(endDate),\(end),00:10:00,"
    }

    @Test func badRowsAreReportedWithLineAndColumn() async throws {
        let lines = [
            toggl, row("2025-07-01", "09:00:00", "2025-07-01", "10:00:00"),
            row("01.07.2025", "09:00:00", "2025-07-01", "10:00:00"),
            row("2025-07-01", "9 o'clock", "2025-07-01", "10:00:00"), row("2025-07-01", "09:00:00", "", ""),
            row("2025-07-01", "09:00:00", "2025-06-30", "10:00:00"), "too,few",
            row("1969-07-01", "09:00:00", "1969-07-01", "10:00:00"),
            row("2025-07-01", "", "2025-07-01", "10:00:00"), "\"open",
        ].joined(separator: "\n")
        let found = try await read(lines)
        #expect(found.records.count == 1)
        #expect(
            found.problems == [
                "line 3, Start date", "line 4, Start time", "line 5, End date", "line 6, End time", "line 7",
                "line 8, Start date", "line 9, Start time", "line 10",
            ], "\(found.messages)")
        let refused = try await ForeignExport.convert(lines, zone: "UTC")
        #expect(refused.code == 1)
        #expect(refused.csv.isEmpty)
        #expect(refused.errors.contains("8 of its rows cannot be read; nothing was written. --skip-bad skips them"))
        let phone = try await read(
            goodtime, "2025-11-20,25,0,,,false,false", "2025-11-20T09:30:00,-5,0,,,false,false",
            "2025-11-20T09:30:00,25,0,,,maybe,false", "2025-11-20T09:30:00,25,0,\"a, b\",,false,false",
            "2025-11-20T09:30:00,99999999999999999999,0,,,false,false")
        #expect(phone.records.isEmpty)
        #expect(
            phone.problems == [
                "line 2, end", "line 3, duration", "line 4, is_break", "line 5, label", "line 6, duration",
            ], "\(phone.messages)")
    }

    /// A typo in the year or in an end makes such rows.
    @Test func anEndAfterThePresentAndARunOfMoreThanADayAreBadRows() async throws {
        let found = try await read(
            toggl, row("2025-11-25", "09:00:00", "2025-11-26", "09:00:00"),
            row("2190-11-26", "09:00:00", "2190-11-26", "10:00:00"),
            row("2024-11-25", "09:00:00", "2025-11-25", "09:00:00"))
        #expect(found.records.count == 1, "24 hours are a phase's limit")
        #expect(found.problems == ["line 3, Start date", "line 4, Start date"])
        #expect(found.messages.contains("after the present"))
        #expect(found.messages.contains("24 hours"))
        let phone = try await read(
            goodtime, "2190-11-26T14:00:00,25,0,,,false,false", "2025-11-20T09:30:00,1441,0,,,false,false")
        #expect(phone.problems == ["line 2, end", "line 3, duration"])
    }

    @Test func aRowBeyondAllBoundsIsBadAndReadOn() async throws {
        let long = String(repeating: "x", count: 140_000)
        let good = row("2025-07-01", "09:00:00", "2025-07-01", "10:00:00")
        let found = try await read(
            toggl, "Me,me@x,,P,,\(long),No,2025-07-01,09:00:00,2025-07-01,10:00:00,01:00:00,",
            "Me,me@x,,P,,\"\(long)\",No,2025-07-01,09:00:00,2025-07-01,10:00:00,01:00:00,",
            String(repeating: ",", count: 70_000), good)
        #expect(found.records.count == 1)
        #expect(found.problems == ["line 2", "line 3", "line 4"], "\(found.messages)")
    }

    @Test func sessionKeepsItsIDInEveryZone() async throws {
        let lines = [
            toggl, "Me,me@x,,P,,D,No,2025-07-01,09:00:00,2025-07-01,10:00:00,01:00:00,",
            "Me,me@x,,P,,D,No,2025-07-01,9:00,2025-07-01,10:00,01:00:00,tag",
            "You,you@x,,P,,D,No,2025-07-01,09:00:00,2025-07-01,10:00:00,01:00:00,",
        ]
        let first = try await read(lines.joined(separator: "\n"))
        let second = try await read(lines.joined(separator: "\r\n"), zone: "UTC")
        #expect(first.records.map(\.id) == second.records.map(\.id))
        #expect(first.records.count == 2)
        #expect(first.messages.contains("rows that repeat another: 1,"), "\(first.messages)")
    }

    @Test func longTextsAreShortenedAndCounted() async throws {
        let (title, label) = (String(repeating: "é", count: 200), String(repeating: "x", count: 49))
        let found = try await read(
            toggl, "Me,me@x,,\(label),,a\u{1B}[31m \(title),No,2025-07-01,09:00:00,2025-07-01,10:00:00,,",
            "Me,me@x,,-5,,=1+1,No,2025-07-01,09:00:00,2025-07-01,10:00:00,,")
        #expect(found.messages.contains("with a shortened title or label: 1,"), "\(found.messages)")
        #expect(found.records[0].title.utf8.count <= 160)
        #expect(found.records[0].title.hasPrefix("a [31m é"))
        #expect(found.records[0].label?.name.utf8.count == 48)
        #expect(found.records[1].title == "=1+1")
        #expect(found.records[1].label?.name == "-5")
    }
}
