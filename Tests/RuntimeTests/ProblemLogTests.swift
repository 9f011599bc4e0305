// SPDX-License-Identifier: Apache-2.0

import Runtime
import Support
import Testing

@Suite(.timeLimit(.minutes(15))) struct ProblemLogTests {
    @Test func problemIsLoggedOnceUntilItIsCleared() {
        let lines = LogLines()
        let problems = ProblemLog(lines.logger)
        problems.report("no broker")
        problems.report("no broker")
        #expect(problems.current == "no broker")
        problems.report("refused")
        problems.report("no broker")
        problems.clear()
        #expect(problems.current == nil)
        problems.report("no broker")
        #expect(lines.all == ["no broker", "refused", "no broker", "no broker"])
    }
}
