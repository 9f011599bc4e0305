// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Session
import Settings
import Support
import Testing

@testable import NodeRuntime
@testable import Wire

@Suite(.timeLimit(.minutes(15))) struct JournalLinesTests {
    @Test func checksumIsFNV1a() {
        #expect(FNV.hash([UInt8]().span) == 0xCBF2_9CE4_8422_2325)
        #expect(FNV.hash("a".utf8.span) == 0xAF63_DC4C_8601_EC8C)
        #expect(FNV.hash("foobar".utf8.span) == 0x8594_4171_F739_67E8)
    }

    @Test func lineIsReadableText() {
        let line = JournalLines.line(of: Array("abc".utf8))
        #expect(String(decoding: line, as: UTF8.self) == "00000003 e71fa2190541574b abc\n")
    }

    @Test func allLinesAreFound() {
        let texts = ["{}", "{\"v\":1}", String(repeating: "x", count: 5_000), ""]
        let bytes = texts.flatMap { JournalLines.line(of: Array($0.utf8)) }
        for zeros in [0, 1, 4_096] {
            let records = JournalLines(in: bytes + [UInt8](repeating: 0, count: zeros))
            #expect(records.whole.map { String(decoding: bytes[$0], as: UTF8.self) } == texts)
            #expect(records.torn == 0)
            #expect(records.damagedAt == nil)
        }
    }

    @Test(arguments: [0, 1, 25, 26, 27, 4_096])
    func zerosHoldNoRecord(count: Int) {
        let records = JournalLines(in: [UInt8](repeating: 0, count: count))
        #expect(records.whole.isEmpty)
        #expect(records.torn == 0)
        #expect(records.damagedAt == nil)
    }

    @Test func recordsBehindABadLineAreFound() {
        let lines = (0..<5).map { JournalLines.line(of: Array("record \($0)".utf8)) }
        for bad in 0..<4 {
            var broken = lines
            broken[bad][28] ^= 1
            let bytes = Array(broken.joined())
            let records = JournalLines(in: bytes)
            #expect(records.whole.count == 4)
            #expect(records.damagedAt == lines[..<bad].joined().count)
        }
    }
}

/// `Tests/Conformance/journal`: the journal of a node of an earlier build. It has each field of a journal.
@Suite(.timeLimit(.minutes(15))) struct JournalConformanceTests {
    private static var file: [UInt8] {
        get throws {
            let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            return [UInt8](try Data(contentsOf: folder.appending(path: "Conformance/journal")))
        }
    }

    @Test func recordsOfAnEarlierBuildAreReadAndWrittenAsTheyWere() throws {
        let file = try Self.file
        let records = JournalLines(in: file + [UInt8](repeating: 0, count: 4_096))
        #expect(records.whole.count == 11)
        #expect(records.torn == 0)
        #expect(records.damagedAt == nil)
        for record in records.whole {
            let json = Array(file[record])
            #expect(try Journal(json: json).json() == json)
        }
        #expect(records.whole.flatMap { JournalLines.line(of: Array(file[$0])) } == file)
    }

    @Test func eachFieldOfAJournalHasARecord() throws {
        let text = String(decoding: try Self.file, as: UTF8.self)
        let keys = try #require(Journal.tables.first).rows.map(\.key)
        #expect(keys.filter { !text.contains("\"\($0)\":") } == [])
    }

    @Test func fileOfAnEarlierBuildIsLoaded() throws {
        let place = try JournalPlace()
        try Data(try Self.file).write(to: URL(filePath: place.directory.path + "/journal"))
        guard case .journal(let journal, tornBytes: 0) = place.file.load(at: 0) else {
            Issue.record("the journal is not found")
            return
        }
        #expect(journal.own?.title == "Later")
        #expect(journal.lastAnnounced?.label?.name == "Study")
        #expect(journal.isProvisional)
    }
}
