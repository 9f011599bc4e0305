// SPDX-License-Identifier: Apache-2.0

import Support
import Testing

@testable import Session

/// The table of operations in Protocol.md agrees with ``ActionTests``, which tests the code.
@Suite(.timeLimit(.minutes(5))) struct OperationTableTests {
    private static let letters = ["applied": "a", "noop": "n", "notAllowed": "-", "superseded": "s"]

    @Test func tableInProtocolMatchesTheTests() throws {
        let lines = try Project.read("Sources/Wire/Wire.docc/Protocol.md").split(separator: "\n")
        let names = ActionTests.operations.map(\.name.rawValue).joined(separator: " | ")
        let head = try #require(lines.firstIndex { $0 == "| session | \(names) |" })
        let documented = lines[(head + 2)...].prefix { $0.hasPrefix("|") }.map { line in
            line.split(separator: "|").dropFirst().map { cell in
                Self.letters[cell.split(separator: " ").joined()] ?? "?"
            }.joined()
        }
        let completed = ActionTests.table.first { $0.0 == .completed }
        let stopped = ActionTests.table.first { $0.0 == .stopped }
        #expect(completed?.1 == stopped?.1, "the page has one row for both")
        #expect(documented == ActionTests.table.filter { $0.0 != .stopped }.map(\.1))
    }
}
