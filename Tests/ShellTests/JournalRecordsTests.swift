// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Shell

@Suite struct JournalRecordsTests {
    @Test func theChecksumIsTheCommonOne() {
        #expect(Checksum.of(Array("123456789".utf8)[...]) == 0xCBF4_3926)
        #expect(Checksum.of([]) == 0)
        #expect(Checksum.of(Array("The quick brown fox jumps over the lazy dog".utf8)[...]) == 0x414F_A339)
    }

    @Test func aLineCanBeReadByAPerson() {
        let line = JournalRecords.line(of: Array("123456789".utf8))
        #expect(String(decoding: line, as: UTF8.self) == "00000009 cbf43926 123456789\n")
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
