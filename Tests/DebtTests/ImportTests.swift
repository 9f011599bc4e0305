// SPDX-License-Identifier: Apache-2.0

import Session
import Settings
import Support
import Testing
import Wire

@testable import Debt

@Suite("Imports", .timeLimit(.minutes(15)))
struct ImportTests {
    private func read(_ lines: String...) throws -> Import {
        let now = Zone.utc.instant(of: try #require(CivilDate("2026-11-26")), time: 12 * 3_600_000)
        return try Import(csv: Array(lines.joined(separator: "\n").utf8), now: now)
    }

    /// The lines of a session that ran from one time to another.
    private func lines(
        from: String, to: String, ends: String = "", status: Status = .stopped
    ) throws -> String {
        let start = try #require(ZonedTime.instant(from))
        let record = try LedgerRecord.sample("-s", from: start) {
            ($0.mode, $0.status) = (.countup, status)
            $0.endsAt = ZonedTime.instant(ends)
            $0.runs[0].to = ZonedTime.instant(to)
        }
        return HistoryCSV.lines(of: record, zone: .utc).joined(separator: "\n")
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
        #expect(rows.map { $0.problem != nil } == [false, false, false, true, false, true])
        for separator in [";", "\t"] {
            var reader = CSVReader(Array("a\(separator)b, c\(separator)d\n1\(separator)2,5\(separator)\n".utf8))
            #expect(reader.next()?.fields == ["a", "b, c", "d"])
            #expect(reader.next()?.fields == ["1", "2,5", ""])
        }
        var broken = CSVReader([UInt8(ascii: "a"), 10, 0xFF, 10])
        #expect(broken.next()?.problem == nil)
        #expect(broken.next()?.problem != nil)
        #expect(broken.next() == nil)
    }

    @Test(arguments: ["", "start,stop\n1,2", "a;b;c", "from,to,kind", "\"from", "User,Email\nx,y"])
    func unknownColumnsAreReported(text: String) throws {
        let error = #expect(throws: ValueError.self) { try Import(csv: Array(text.utf8)) }
        guard !text.isEmpty else { return }
        let words = "\(try #require(error))"
        #expect(words.contains("from,to,kind,title,label"))
        #expect(words.contains("import.py"))
    }

    /// A typo in the year or in an end makes such rows.
    @Test func anEndAfterThePresentAndARunOfMoreThanADayAreBadRows() throws {
        func history(from: String, to: String, ends: String = "", status: Status = .stopped) throws -> Import {
            try read(HistoryCSV.header, lines(from: from, to: to, ends: ends, status: status))
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
        let good = try lines(from: "2026-07-01T09:00:00.000+00:00", to: "2026-07-01T10:00:00.000+00:00")
        let long = String(repeating: "x", count: 70_000)
        let found = try read(
            HistoryCSV.header, long + good, "\"\(long)\"" + good, String(repeating: ",", count: 70_000), "too,few", good
        )
        #expect(found.records.count == 1)
        #expect(found.problems.map(\.line) == [2, 3, 4, 5])
        #expect(found.problems[0].reason.contains("65536 bytes"))
        #expect(found.problems[2].reason.contains("256 fields"))
        let text = HistoryCSV.header + "\n" + String(repeating: "x\n", count: 20_000)
        let error = #expect(throws: ValueError.self) { try Import(csv: Array(text.utf8)) }
        #expect(error?.description.contains("thousands of rows") == true)
    }
}
