// SPDX-License-Identifier: Apache-2.0

import Display
import Testing

@Suite(.timeLimit(.minutes(15))) struct TerminalTextTests {
    @Test(arguments: [
        ("abc", 3), ("é", 1), ("e\u{301}", 1), ("漢字", 4), ("한", 2), ("📚", 2), ("👨‍👩‍👧", 2), ("❤️", 1), ("🇩🇪", 2),
        ("👍🏽", 2), ("\u{301}", 0), ("\u{200B}", 0), ("ｆ", 2), ("█▀▄", 3), ("…", 1), ("", 0),
        ("العربية", 7), ("جارٍ", 3), ("مؤقتًا", 5), ("85٪", 3), ("، ؛", 3), ("لا", 2), ("「集中」。", 10), ("接下来：专注", 12),
        ("일시정지", 8), ("85\u{A0}%", 4), ("85\u{202F}%", 4), ("“”", 2), ("⣿⡇", 2), ("↗", 1), ("▏▉░", 3),
    ])
    func widthIsCountedInColumns(text: String, columns: Int) { #expect(TerminalText.displayWidth(text) == columns) }

    @Test func controlsAreDropped() {
        let text = TerminalText.clusters("a\u{1B}[31m\u{7}\r\n\u{9B}2J\u{202E}b").map(\.text).joined()
        #expect(text == "a[31m2Jb")
    }

    @Test func stackedMarksAreLimited() {
        let tall = "a" + String(repeating: "\u{301}", count: 40)
        #expect(TerminalText.clusters(tall).first?.text.unicodeScalars.count == 3)
    }

    @Test func fittedTextHasAnEllipsis() {
        #expect(TerminalText.fitted("Reading", columns: 7) == "Reading")
        #expect(TerminalText.fitted("Reading", columns: 5) == "Read…")
        #expect(TerminalText.fitted("漢字漢", columns: 4) == "漢…")
        #expect(TerminalText.fitted("a b c", columns: 3) == "a…")
        #expect(TerminalText.fitted("abc", columns: 0) == "")
        for columns in 0...20 {
            #expect(TerminalText.displayWidth(TerminalText.fitted("漢a字b漢📚c", columns: columns)) <= columns)
        }
    }
}
