// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Shell

@Suite struct JournalRecordsTests {
    @Test func theChecksumIsTheCommonOne() {
        #expect(Checksum.of([]) == 0x02CC_5D05)
        #expect(Checksum.of(Array("abc".utf8)[...]) == 0x32D1_53FF)
        #expect(Checksum.of(Array("Nobody inspects the spammish repetition".utf8)[...]) == 0xE229_3B2F)
    }

    @Test func aLineCanBeReadByAPerson() {
        let line = JournalRecords.line(of: Array("abc".utf8))
        #expect(String(decoding: line, as: UTF8.self) == "00000003 32d153ff abc\n")
    }

    @Test func aLineOfTheFirstVersionsIsRead() {
        let records = JournalRecords(in: Array("00000009 cbf43926 123456789\n".utf8))
        #expect(records.whole == [18..<27])
        #expect(records.damagedAt == nil)
    }

    @Test func allLinesAreFound() {
        let texts = ["{}", "{\"v\":1}", String(repeating: "x", count: 5_000), ""]
        let bytes = texts.flatMap { JournalRecords.line(of: Array($0.utf8)) }
        for zeros in [0, 1, 4_096] {
            let records = JournalRecords(in: bytes + [UInt8](repeating: 0, count: zeros))
            #expect(records.whole.map { String(decoding: bytes[$0], as: UTF8.self) } == texts)
            #expect(records.torn == 0)
            #expect(records.damagedAt == nil)
        }
    }

    @Test(arguments: [0, 1, 17, 18, 19, 4_096])
    func zerosAreNothing(count: Int) {
        let records = JournalRecords(in: [UInt8](repeating: 0, count: count))
        #expect(records.whole.isEmpty && records.torn == 0 && records.damagedAt == nil)
    }

    @Test func whatLiesBehindABadLineIsFound() {
        let lines = (0..<5).map { JournalRecords.line(of: Array("record \($0)".utf8)) }
        for bad in 0..<4 {
            var broken = lines
            broken[bad][20] ^= 1
            let bytes = Array(broken.joined())
            let records = JournalRecords(in: bytes)
            #expect(records.whole.count == 4)
            #expect(records.damagedAt == lines[..<bad].joined().count)
        }
    }
}
