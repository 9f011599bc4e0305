// SPDX-License-Identifier: Apache-2.0

import Support
import Testing

/// That the measurements run and can be read; how fast a debug build is says nothing.
@Suite(.takingTurns) struct BenchTests {
    @Test func theEngineIsMeasured() async throws {
        let result = try await CommandLine.run(
            ["engine", "--inputs", "5000", "--json"], program: "lockstep-bench")
        let figure = try #require(result.json.items.first, "\(result)")
        #expect(figure.name == "engine")
        #expect(figure.unit == "inputs/s")
        #expect(figure.goal == 1_000_000)
        #expect(figure.value != .null)
    }
}
