// SPDX-License-Identifier: Apache-2.0

import Session
import Testing

/// Text that may become a line of settings, a header, a command line or a log line.
@Suite(.timeLimit(.minutes(15))) struct LineTextTests {
    @Test(arguments: ["a\nb", "a\r\nb", "\u{0}", "a\u{7F}", "\u{9B}31m", "\u{2028}", "\u{202E}x", "\u{FEFF}", "\t"])
    func otherTextIsRefusedAndShownWithReplacements(text: String) {
        #expect(LineText(line: text) == nil)
        let shown = LineText(showing: text)
        #expect(LineText(line: shown.description) == shown)
        #expect(shown.description.contains("\u{FFFD}"))
        #expect(shown.description.unicodeScalars.count == text.unicodeScalars.count)
    }

    @Test(arguments: ["", "a b", "é=\"'\\", "👩‍👩‍👧", "-x"]) func aLineIsKept(text: String) {
        #expect(LineText(line: text)?.description == text)
        #expect(LineText(showing: text).description == text)
    }

    @Test func anInterpolationTakesLinesIdsAndNumbers() throws {
        let (node, host) = (try #require(NodeID("desk")), LineText(showing: "a\nb"))
        let line: LineText = "\(node) at \(host):\(1_883)"
        #expect(line.description == "desk at a\u{FFFD}b:1883")
    }

    @Test func textOfSeveralLinesKeepsItsLines() {
        #expect(LineText.lines(showing: "a\u{1B}[2J\nb\n") == "a\u{FFFD}[2J\nb\n")
    }
}
