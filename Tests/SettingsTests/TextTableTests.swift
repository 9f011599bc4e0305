// SPDX-License-Identifier: Apache-2.0

import Settings
import Testing

/// Tables that commands print.
@Suite(.timeLimit(.minutes(15))) struct TextTableTests {
    @Test func columnsAreAlignedByTheWidthsOnATerminal() {
        let rows = [["台所", "12", "on"], ["desk", "7", "off"], ["", "", "none"]]
        let lines = TextTable.lines(rows, right: 1) { $0 == "台所" ? 4 : $0.count }
        #expect(lines == ["台所  12  on", "desk   7  off", "          none"])
    }
}
