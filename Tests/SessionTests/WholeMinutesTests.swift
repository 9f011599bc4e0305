// SPDX-License-Identifier: Apache-2.0

import Session
import Testing

/// Whole minutes on screens, and the blanks around texts.
@Suite(.timeLimit(.minutes(15))) struct WholeMinutesTests {
    @Test(arguments: [
        ([], []), ([59_999], [0]), ([90_000, 30_000], [2, 0]), ([90_000, 90_000], [2, 1]),
        ([59_000, 59_000, 2_000], [1, 1, 0]),
        ([30_000, 59_000, 31_000], [0, 1, 1]), ([0, 120_000], [0, 2]),
    ])
    func partsAddUpToTheSum(parts: [Milliseconds], minutes: [Int]) {
        #expect(WholeMinutes.of(parts) == minutes)
        #expect(minutes.reduce(0, +) == Int(parts.reduce(.zero, +).count / 60_000))
    }

    @Test func outerBlanksAreTrimmed() {
        #expect(CleanText.trimmed(" \u{3000}Deep  Work\t") == "Deep  Work")
        #expect(CleanText.trimmed(" \u{A0} ") == "")
        #expect(CleanText.trimmed("") == "")
    }
}
