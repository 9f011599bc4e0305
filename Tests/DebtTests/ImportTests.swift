// SPDX-License-Identifier: Apache-2.0

import Session
import Support
import Testing
import Wire

@testable import Debt

/// Tests the import of other programs' files and of other ledgers.
@Suite("Imports", .timeLimit(.minutes(5)))
struct ImportTests {
    private let berlin: Zone
    private let goodtime = "end,duration,interruptions,label,notes,is_break,is_archived"
    private let toggl =
        "User,Email,Client,Project,Task,Description,Billable,Start date,Start time,End date,End time,Duration,Tags"

    init() throws { berlin = try #require(Zone("Europe/Berlin")) }

    private func read(_ lines: String..., end: String = "\n") throws -> Import {
        try Import(
            csv: Array(lines.joined(separator: end).utf8), zone: berlin,
            colours: ["Deep": Colour(red: 0x4C, green: 0x8D, blue: 0xFF)], now: try utc("2026-11-26", 12))
    }

    private func utc(_ day: String, _ hour: Int64, _ minute: Int64 = 0) throws -> Int64 {
        Zone.utc.instant(of: try #require(CivilDate(day)), time: (hour * 60 + minute) * 60_000)
    }

    private func runs(_ found: Import) -> [[Int64?]] {
        found.records.flatMap { $0.runs.map { [$0.from.milliseconds, $0.to?.milliseconds] } }
    }

    @Test func readerHandlesQuotesAndLineEnds() {
        let text =
            "\u{FEFF}a,b,c\r\n\"x, y\",\"say \"\"no\"\"\",\"two\r\nlines\"\r\n\r\n1,,3\n\"4\"5,6,7\n8,9,\"10\rä\"\r\"open,1\n2"
        var reader = CSVReader(Array(text.utf8))
        var rows: [CSVReader.Row] = []
        while let row = reader.next() { rows.append(row) }
        #expect(rows.map(\.line) == [1, 2, 5, 6, 7, 8])
        #expect(rows[0].fields == ["a", "b", "c"])
        #expect(rows[1].fields == ["x, y", "say \"no\"", "two\r\nlines"])
        #expect(rows[2].fields == ["1", "", "3"])
        #expect(rows[4].fields == ["8", "9", "10\rä"])
        #expect(rows.map { $0.invalidField != nil } == [false, false, false, true, false, true])
        for separator in [";", "\t"] {
            var reader = CSVReader(Array("a\(separator)b, c\(separator)d\n1\(separator)2,5\(separator)\n".utf8))
            #expect(reader.next()?.fields == ["a", "b, c", "d"])
            #expect(reader.next()?.fields == ["1", "2,5", ""])
        }
        var broken = CSVReader([UInt8(ascii: "a"), 10, 0xFF, 10])
        #expect(broken.next()?.invalidField == nil)
        #expect(broken.next()?.invalidField != nil)
        #expect(broken.next() == nil)
    }

    @Test(arguments: [
        "", "start,stop\n1,2", "a;b;c", "Start date,Start time", "duration,label", "\"end", "User,Email\nx,y",
    ])
    func unknownColumnsAreReported(text: String) throws {
        let error = #expect(throws: ImportError.self) { try Import(csv: Array(text.utf8), zone: berlin) }
        guard !text.isEmpty else { return }
        let words = "\(try #require(error))"
        #expect(words.contains("time-of-completion,duration,label"))
        #expect(words.contains("Start date"))
        #expect(words.contains("stamp"))
    }

    // MARK: Goodtime

    @Test func currentGoodtimeFormatIsRead() throws {
        let found = try read(
            goodtime, "2026-11-20T09:30:00,25,5,Deep,,false,false",
            "2026-11-20T09:40:00,10,0,,Tea, with milk,true,true",
            "2026-11-20T12:00:00,50,0,Email,\"quoted\" and, much, more,false,false",
            "2026-11-21T12:00:00,50,0,Email,first line", "second, line", "", "fourth,false,false", end: "\r\n")
        #expect(found.source == .goodtime, "\(found.problems)")
        #expect(found.problems.isEmpty, "\(found.problems)")
        #expect(
            try runs(found) == [
                [utc("2026-11-20", 8, 5), utc("2026-11-20", 8, 30)],
                [utc("2026-11-20", 8, 30), utc("2026-11-20", 8, 40)],
                [utc("2026-11-20", 10, 10), utc("2026-11-20", 11)], [utc("2026-11-21", 10, 10), utc("2026-11-21", 11)],
            ])
        #expect(
            found.records.map(\.title) == [
                "", "Tea, with milk", "\"quoted\" and, much, more", "first line second, line fourth",
            ])
        #expect(found.records.map { $0.label?.name } == ["Deep", nil, "Email", "Email"])
        #expect(found.records[0].label?.colour == Colour(hex: "4c8dff"))
        #expect(found.records[2].label?.colour == .grey)
        #expect(found.records.map { $0.runs[0].kind } == [.focus, .shortBreak, .focus, .focus])
        #expect(found.records.allSatisfy { $0.node.rawValue == "imported-goodtime" && $0.invalidField == nil })
    }

    @Test func oldGoodtimeFormatsAreRead() throws {
        let old = try read("time-of-completion,duration,label", "2019-02-28-23:10,25,Deep", "2019-03-01-00:05,25,")
        #expect(try runs(old)[0] == [utc("2019-02-28", 21, 45), utc("2019-02-28", 22, 10)])
        #expect(old.records.map { $0.label?.name } == ["Deep", nil])
        #expect(old.problems.isEmpty)
        let between = try read(
            "start,end,duration,label,notes,work,archived",
            "2025-01-02T10:00:00,2025-01-02T10:25:00,25,Deep,,true,false",
            "2025-01-02T10:25:00,2025-01-02T10:30:00,5,,,false,false",
            // From a version whose fields differ from its header.
            "2025-01-02T10:55:00,25,0,Deep,,true,false")
        #expect(between.records.map { $0.runs[0].kind } == [.focus, .shortBreak])
        #expect(between.problems.map(\.line) == [4])
        #expect(between.problems.map(\.column) == ["end"])
    }

    @Test func fileSavedByASpreadsheetIsRead() throws {
        let found = try read(
            goodtime.split(separator: ",").map { "\"\($0)\"" }.joined(separator: ";"),
            "\"2026-11-20T09:30:00\";25;5;\"De;ep\";\"a \"\"b\"\"\";\"false\";\"false\"")
        #expect(found.problems.isEmpty)
        #expect(found.records.map(\.title) == ["a \"b\""])
        #expect(found.records[0].label?.name == "De;ep")
    }

    // MARK: Toggl Track

    @Test func bothTogglFormatsAreRead() throws {
        let old = try read(
            "\u{FEFF}" + toggl + ",Amount ()",
            "Me,me@x,Acme,Deep,,\"Design, \"\"round 2\"\"\nagain\",Yes,2026-07-01,09:00:00,2026-07-01,10:30:00,01:30:00,\"a, b\",",
            "Me,me@x,,,Task,,No,2026-07-01,23:50:00,2026-07-02,00:10:00,00:20:00,,", end: "\r\n")
        #expect(old.problems.isEmpty, "\(old.problems)")
        #expect(old.source == .toggl, "\(old.problems)")
        #expect(old.records.map(\.title) == ["Design, \"round 2\" again", "Task"])
        #expect(old.records.map { $0.label?.name } == ["Deep", nil])
        #expect(
            try runs(old) == [
                [utc("2026-07-01", 7), utc("2026-07-01", 8, 30)],
                [utc("2026-07-01", 21, 50), utc("2026-07-01", 22, 10)],
            ])
        let new = try read(
            #""Description","Duration","Member","Email","Project","Tags","Start date","Start time","Stop date","Stop time""#,
            #""Work","1:00:00","A","a@x","-","-","2026-07-14","9:00:00 AM","2026-07-14","1:00:00 PM""#)
        #expect(new.problems.isEmpty)
        #expect(new.records.map(\.label) == [nil])
        #expect(try runs(new) == [[utc("2026-07-14", 7), utc("2026-07-14", 11)]])
    }

    /// On 2026-10-25 the clocks go from 03:00 back to 02:00, on 2026-03-29 from 02:00 forward to 03:00.
    @Test(arguments: [
        ("10-25", "02:10:00", "02:50:00", "00:40:00", 0, 10, 0, 50),
        ("10-25", "02:10:00", "02:50:00", "01:40:00", 0, 10, 1, 50),
        ("10-25", "02:50:00", "02:10:00", "00:20:00", 0, 50, 1, 10),
        ("10-25", "01:50:00", "02:10:00", "", -1, 50, 0, 10),
        ("10-25", "01:50:00", "02:10:00", "01:20:00", -1, 50, 1, 10),
        ("10-25", "02:30:00", "03:30:00", "01:00:00", 1, 30, 2, 30),
        ("10-25", "02:30:00", "03:30:00", "02:00:00", 0, 30, 2, 30),
        ("03-29", "01:30:00", "03:30:00", "01:00:00", 0, 30, 1, 30),
        ("03-29", "01:30:00", "02:30:00", "", 0, 30, 1, 0),
    ])
    func clockChangesAreResolvedByTheLength(
        day: String, from: String, to: String, length: String, hour: Int, minute: Int, endHour: Int, endMinute: Int
    ) throws {
        let found = try read(toggl, "Me,me@x,,P,,D,No,2026-\(day),\(from),2026-\(day),\(to),\(length),")
        let midnight = try utc("2026-\(day)", 0)
        let expected = [(hour, minute), (endHour, endMinute)].map { midnight + Int64($0 * 60 + $1) * 60_000 }
        #expect(runs(found) == [[expected[0], expected[1]]], "\(found.problems)")
    }

    // MARK: Errors and duplicates

    @Test func badRowsAreReportedWithLineAndColumn() throws {
        func row(_ date: String, _ time: String, _ endDate: String, _ end: String) -> String {
            "Me,me@x,,P,,D,No,\(date),\(time),\(endDate),\(end),00:10:00,"
        }
        let found = try read(
            toggl, row("2026-07-01", "09:00:00", "2026-07-01", "10:00:00"),
            row("01.07.2026", "09:00:00", "2026-07-01", "10:00:00"),
            row("2026-07-01", "9 o'clock", "2026-07-01", "10:00:00"), row("2026-07-01", "09:00:00", "", ""),
            row("2026-07-01", "09:00:00", "2026-06-30", "10:00:00"), "too,few",
            row("1969-07-01", "09:00:00", "1969-07-01", "10:00:00"),
            row("2026-07-01", "", "2026-07-01", "10:00:00"), "\"open")
        #expect(found.records.count == 1)
        #expect(found.problems.map(\.line) == [3, 4, 5, 6, 7, 8, 9, 10])
        #expect(
            found.problems.map(\.column) == [
                "Start date", "Start time", "End date", "End time", nil, "Start date", "Start time", nil,
            ])
        let phone = try read(
            goodtime, "2026-11-20,25,0,,,false,false", "2026-11-20T09:30:00,-5,0,,,false,false",
            "2026-11-20T09:30:00,25,0,,,maybe,false", "2026-11-20T09:30:00,25,0,\"a, b\",,false,false",
            "2026-11-20T09:30:00,99999999999999999999,0,,,false,false")
        #expect(phone.records.isEmpty)
        #expect(phone.problems.map(\.column) == ["end", "duration", "is_break", "label", "duration"])
    }

    /// As after a typo in the year, or in an end.
    @Test func anEndAfterThePresentAndARunOfMoreThanADayAreBadRows() throws {
        func row(_ date: String, _ endDate: String) -> String {
            "Me,me@x,,P,,D,No,\(date),09:00:00,\(endDate),09:00:00,,"
        }
        let foreign = try read(
            toggl, row("2026-11-25", "2026-11-26"), row("2026-11-26", "2026-11-27"), row("2025-11-25", "2026-11-25"))
        #expect(foreign.records.count == 1, "24 hours are a phase's limit")
        #expect(foreign.problems.map(\.line) == [3, 4])
        #expect(foreign.problems.map(\.column) == ["Start date", "Start date"])
        #expect(foreign.problems[0].reason.contains("after the present"))
        #expect(foreign.problems[1].reason.contains("24 hours"))
        let phone = try read(
            goodtime, "2026-11-26T14:00:00,25,0,,,false,false", "2026-11-20T09:30:00,1441,0,,,false,false")
        #expect(phone.problems.map(\.column) == ["end", "duration"])

        let desk = try #require(NodeID("desk"))
        func history(from: String, to: String, ends: String = "", status: Status = .stopped) throws -> Import {
            let id = try #require(SessionID("-s"))
            let start = try #require(ZonedTime.instant(from))
            let record = LedgerRecord(
                id: id, lineage: id, node: desk, stamp: Stamp(time: GroupTime(start), counter: 0, node: desk),
                version: Version(epoch: 1, rev: 1), title: "", mode: .countup, status: status,
                startedAt: GroupTime(start),
                endsAt: ZonedTime.instant(ends).map { GroupTime($0) },
                runs: [
                    .init(kind: .focus, from: GroupTime(start), to: ZonedTime.instant(to).map { GroupTime($0) })
                ])
            return try read(HistoryCSV.header, HistoryCSV.lines(of: record, zone: .utc).joined(separator: "\n"))
        }
        let noon = "2026-11-25T12:00:00.000+00:00"
        #expect(try history(from: noon, to: "2026-11-25T12:25:00.000+00:00").problems.isEmpty)
        let open = try history(from: noon, to: "", ends: "2026-11-26T12:00:00.000+00:00", status: .running)
        #expect(open.problems.isEmpty, "it may still run: \(open.problems)")
        #expect(
            try history(from: noon, to: "", ends: "2027-11-26T12:00:00.000+00:00", status: .running).problems
                .map(\.column) == ["ends"])
        #expect(try history(from: noon, to: "2027-11-25T12:25:00.000+00:00").problems.map(\.column) == ["to"])
        let later = "2027-11-25T12:25:00.000+00:00"
        #expect(try history(from: later, to: later).problems.map(\.column) == ["to"])
    }

    @Test func aRowBeyondAllBoundsIsBadAndReadOn() throws {
        let good = "Me,me@x,,P,,D,No,2026-07-01,09:00:00,2026-07-01,10:00:00,01:00:00,"
        let long = String(repeating: "x", count: 70_000)
        let found = try read(
            toggl, "Me,me@x,,P,,\(long),No,2026-07-01,09:00:00,2026-07-01,10:00:00,01:00:00,",
            "Me,me@x,,P,,\"\(long)\",No,2026-07-01,09:00:00,2026-07-01,10:00:00,01:00:00,",
            String(repeating: ",", count: 70_000), good)
        #expect(found.records.count == 1)
        #expect(found.problems.map(\.line) == [2, 3, 4])
        #expect(found.problems[0].reason.contains("65536 bytes"))
        #expect(found.problems[2].reason.contains("256 fields"))
        let text = toggl + "\n" + String(repeating: "x\n", count: 20_000)
        #expect(throws: ImportError.hopeless(.toggl)) { try Import(csv: Array(text.utf8), zone: berlin) }
    }

    @Test func unquotedNotesOfManyEmptyLinesAreRead() throws {
        let empty = Array(repeating: "", count: 200_000)
        let text = ([goodtime, "2026-11-20T12:00:00,50,0,Email,first line"] + empty + ["last,false,false"] + empty)
            .joined(separator: "\n")
        let found = try Import(csv: Array(text.utf8), zone: berlin)
        #expect(found.problems.map(\.reason).allSatisfy { $0.contains("65536") }, "\(found.problems)")
    }

    @Test func sessionKeepsItsIDInEveryZone() throws {
        let lines = [
            toggl, "Me,me@x,,P,,D,No,2026-07-01,09:00:00,2026-07-01,10:00:00,01:00:00,",
            "Me,me@x,,P,,D,No,2026-07-01,9:00,2026-07-01,10:00,01:00:00,tag",
            "You,you@x,,P,,D,No,2026-07-01,09:00:00,2026-07-01,10:00:00,01:00:00,",
        ]
        let first = try Import(csv: Array(lines.joined(separator: "\n").utf8), zone: berlin)
        let second = try Import(csv: Array(lines.joined(separator: "\r\n").utf8), zone: .utc)
        #expect(first.records.map(\.id) == second.records.map(\.id))
        #expect(first.records.count == 2)
        #expect(first.repeated == 1)
    }

    @Test func longTextsAreShortenedAndCounted() throws {
        let (title, label) = (String(repeating: "é", count: 200), String(repeating: "x", count: 49))
        let found = try read(
            toggl, "Me,me@x,,\(label),,a\u{1B}[31m \(title),No,2026-07-01,09:00:00,2026-07-01,10:00:00,,")
        #expect(found.shortened == 1)
        #expect(found.problems.isEmpty)
        #expect(found.records[0].title.utf8.count <= 160)
        #expect(found.records[0].title.hasPrefix("a [31m é"))
        #expect(found.records[0].label?.name.utf8.count == 48)
        #expect(found.records[0].invalidField == nil)
    }
}
