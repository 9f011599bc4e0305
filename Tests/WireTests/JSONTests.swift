// SPDX-License-Identifier: Apache-2.0

import Session
import Testing

@testable import Wire

@Suite("JSON", .timeLimit(.minutes(15)))
struct JSONTests {
    private func whole(_ text: String) throws -> Int64 {
        try JSONReader(Array(text.utf8)).value(.whole())
    }

    private func string(_ text: String) throws -> String {
        try JSONReader(Array(text.utf8)).value(.string)
    }

    @Test func wholeNumbersAreRead() throws {
        #expect(try whole("0") == 0)
        #expect(try whole("-0") == 0)
        #expect(try whole(" -7 ") == -7)
        #expect(try whole("9223372036854775807") == .max)
        #expect(try whole("-9223372036854775808") == .min)
    }

    @Test(arguments: [
        ("9223372036854775808", Discard.outOfBounds), ("-9223372036854775809", .outOfBounds),
        ("100000000000000000000000000000000", .outOfBounds), ("", .malformed), ("-", .malformed), ("+1", .malformed),
        ("00", .malformed), ("-01", .malformed), ("1.0", .malformed), ("1e2", .malformed), ("1E2", .malformed),
        (".5", .malformed), ("0x10", .malformed), ("1 2", .malformed), ("NaN", .malformed), ("\"1\"", .malformed),
    ])
    func otherNumbersAreRejected(text: String, reason: Discard) throws {
        let error = try #require(throws: PayloadError.self) { try whole(text) }
        #expect(error.reason == reason, "\(error)")
    }

    @Test func escapesAreResolved() throws {
        #expect(try string(#""\"\\\/\b\f\n\r\t""#) == "\"\\/\u{08}\u{0C}\n\r\t")
        #expect(try string(#""A\u0041\u00e9\u4E2d\ud83d\ude00z""#) == "AAé中😀z")
        #expect(try string("\"\u{7F}é📖\"") == "\u{7F}é📖")
    }

    @Test func writtenTextIsReadBack() throws {
        let text = String(String.UnicodeScalarView((0...0x2FF).compactMap { Unicode.Scalar($0 as UInt32) }))
        var writer = JSONWriter()
        writer.value(text)
        #expect(Fixtures.isJSON(writer.bytes))
        #expect(try string(String(decoding: writer.bytes, as: UTF8.self)) == text)
        for number in [0, 7, -7, 10, .max, .min, 1_800_000_000_000] as [Int64] {
            var writer = JSONWriter()
            writer.value(number)
            #expect(String(decoding: writer.bytes, as: UTF8.self) == "\(number)")
        }
    }

    @Test func depthEndsAtSixteen() throws {
        func scan(_ depth: Int) throws {
            _ = try JSONScanner(
                Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8))
        }
        try scan(16)
        #expect(throws: PayloadError.self) { try scan(17) }
    }

    @Test func errorsNameThePosition() throws {
        let error = try #require(throws: PayloadError.self) { try whole("  x") }
        #expect(error.description == "malformed: is not JSON: expected a value at byte 2")
    }
}
