// SPDX-License-Identifier: Apache-2.0

import Support
import Testing

/// The benches run and print readable reports. The speed of a debug build does not matter.
@Suite(.limitedConcurrency) struct BenchTests {
    @Test func engineBenchReportsFigures() async throws {
        let result = try await CommandLine.run(
            ["engine", "--inputs", "5000", "--counted", "0", "--json"], program: "lockstep-bench")
        let figure = try #require(result.json.items.first, "\(result)")
        figure.expect(["name": "engine", "unit": "inputs/s", "goal": 1_000_000])
        #expect(figure.value != .null)
    }

    @Test func pressBenchComparesWithBareClients() async throws {
        let result = try await CommandLine.run(
            ["intent", "--rounds", "20", "--block", "1", "--counted", "0", "--journal", "/dev/shm", "--json"],
            program: "lockstep-bench", within: .seconds(120))
        func figure(_ name: String) throws -> JSON {
            try #require(result.json.items.first { $0.name == .string("intent, \(name)") }, "\(result)")
        }
        #expect(try #require(try figure("rounds").value.int) > 0)
        #expect(try figure("journal at /dev/shm, p99 ratio").value != .null)
        #expect(try figure("left out for stolen time").unit == "%")
    }

    @Test func ledgerBenchGetsEveryAcknowledgement() async throws {
        let result = try await CommandLine.run(
            ["ledger", "--spaces", "1", "--records", "100", "--sent", "100", "--json"], program: "lockstep-bench",
            within: .seconds(240))
        let rate = try #require(
            result.json.items.first { $0.name.text?.contains("acknowledged over MQTT") == true }, "\(result)")
        rate.expect(["goal": 5_000, "unit": "records/s"])
        #expect(rate.value != .null, "\(result)")
    }
}
