// SPDX-License-Identifier: Apache-2.0

import Display
import Support
import Testing

@testable import Terminal

@Suite(.timeLimit(.minutes(15))) struct KeyReaderTests {
    private func keys(_ text: String) -> [TerminalInput] { text.map(TerminalInput.key) }

    @Test func keysAreReadAndSequencesIgnored() {
        var reader = KeyReader()
        #expect(reader.inputs(in: "pq".utf8) == keys("pq"))
        #expect(reader.inputs(in: "\u{1B}[A\u{1B}[1;5s\u{1B}Opr".utf8) == keys("r"))
        #expect(reader.inputs(in: "\u{1B}".utf8) == [])
        #expect(reader.inputs(in: "q".utf8) == keys("q"))
        #expect(reader.inputs(in: "\u{1B}p".utf8) == [], "Alt and a letter")
        #expect(reader.inputs(in: "\u{1B}[1;".utf8) == [])
        #expect(reader.inputs(in: "5sp".utf8) == keys("p"))
        #expect(reader.inputs(in: [0xC3, 0xA9, 0x0D, 0x03]) == [])
    }

    @Test func leftClickIsRead() {
        var reader = KeyReader()
        #expect(reader.inputs(in: "\u{1B}[<0;12;3M\u{1B}[<0;12;3m".utf8) == [.click(column: 11, row: 2)])
        #expect(reader.inputs(in: "p\u{1B}[<4;1;1Mp".utf8) == [.key("p"), .click(column: 0, row: 0), .key("p")])
        #expect(reader.inputs(in: "\u{1B}[<16;300;120M".utf8) == [.click(column: 299, row: 119)])
    }

    /// Other buttons, the wheel, movements, other encodings, and malformed sequences.
    @Test(arguments: [
        "<1;2;2M", "<2;2;2M", "<64;2;2M", "<65;2;2M", "<32;2;2M", "<35;2;2M", "<128;2;2M", "<0;0;1M", "<0;1;0M",
        "<0;1M", "<0;1;1;1M", "<;;M", "<M", "M", "<0;-1;1M", "<0;99999999;1M", "0;2;2M", "<0;2;2A",
    ])
    func otherMouseSequenceIsIgnored(sequence: String) {
        var reader = KeyReader()
        #expect(reader.inputs(in: "\u{1B}[\(sequence)".utf8) == [])
        #expect(reader.inputs(in: "p".utf8) == keys("p"))
    }

    @Test func sequenceSplitAnywhereIsRead() {
        let bytes = Array("p\u{1B}[<0;12;34Mr\u{1B}[As\u{1B}OPf".utf8)
        let wanted = keys("p") + [.click(column: 11, row: 33)] + keys("rsf")
        for first in 0...bytes.count {
            for second in first...bytes.count {
                var reader = KeyReader()
                let reads = [bytes[..<first], bytes[first..<second], bytes[second...]]
                #expect(reads.flatMap { reader.inputs(in: $0) } == wanted, "\(first) \(second)")
            }
        }
    }

    @Test func randomBytesNeverTrap() {
        var dice = Random(seed: 11)
        var reader = KeyReader()
        for _ in 0..<2_000 {
            let bytes = (0..<Int.random(in: 0...40, using: &dice)).map { _ in
                [0x1B, 0x5B, 0x3C, 0x3B, 0x4D, UInt8.random(in: 0...255, using: &dice)].randomElement(using: &dice) ?? 0
            }
            for case .click(let column, let row) in reader.inputs(in: bytes) {
                #expect(column >= 0)
                #expect(row >= 0)
            }
        }
    }
}
