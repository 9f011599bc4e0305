// SPDX-License-Identifier: Apache-2.0

import Harness
import Settings
import Subprocess
import SystemPackage

/// Counts instructions and allocations for one unit of work, by running this program under valgrind. A noisy machine
/// does not move these numbers, and they need no privileges. They cover all its threads, outside of the kernel.
/// Each is the difference of two runs with different numbers of units, which leaves out the start and the end.
enum WorkCount {
    /// Measures the work of one unit of a subcommand. Returns no figure if `few` and `many` are equal.
    /// - Parameter arguments: The subcommand and its options for a number of units.
    static func figures(
        _ name: String, per unit: String, few: Int, many: Int, _ arguments: @Sendable (Int) -> [String]
    ) async throws -> [Figure] {
        guard many > few else { return [] }
        guard let valgrind = try? Spawn.find("valgrind") else {
            throw Failed("valgrind counts the instructions: install it, or pass --counted 0")
        }
        return try await BenchDirectory.withDirectory(in: BenchDirectory.memory) { directory in
            // valgrind 3.19 gives up at Swift's debug information.
            let program = directory + "/lockstep-bench"
            _ = try await errorOutput(
                try Spawn.find("strip"), ["-o", program, CompanionExecutable.path(of: "lockstep-bench")])
            var figures: [Figure] = []
            for (tool, what) in [("callgrind", "instructions"), ("dhat", "allocations")] {
                var counts: [Double] = []
                for units in [few, many] {
                    ProgressLine.show("\(name): \(what) of \(units) under valgrind")
                    let words = ["--tool=\(tool)", "--\(tool)-out-file=/dev/null", program]
                    let text = try await errorOutput(valgrind, words + arguments(units))
                    counts.append(try count(tool, text))
                }
                figures.append(Figure("\(name), \(what)", (counts[1] - counts[0]) / Double(many - few), "each \(unit)"))
            }
            return figures
        }
    }

    /// Runs a program, and returns its standard error.
    private static func errorOutput(_ program: String, _ arguments: [String]) async throws -> String {
        let end = try await Subprocess.run(
            .path(FilePath(program)), arguments: Arguments(arguments), environment: .withoutSettings, input: .none,
            output: .string(limit: 1_000_000), error: .string(limit: 1_000_000))
        // The bench ends with 1 if a figure misses its goal, as is usual under valgrind.
        guard end.terminationStatus.isSuccess || !end.standardOutput.isEmpty else {
            throw Failed("\(program) \(arguments.joined(separator: " ")): \(end.standardError)")
        }
        return end.standardError
    }

    /// Reads `==1== Collected : 123` of callgrind, or `==1== Total:     1,234 bytes in 56 blocks` of dhat.
    private static func count(_ tool: String, _ text: String) throws -> Double {
        let key = tool == "callgrind" ? "Collected" : "Total:"
        let line = text.split(separator: "\n").last { $0.contains(key) }
        let words = line?.split(separator: " ").compactMap { Double($0.filter { $0 != "," }) } ?? []
        guard let count = words.last else { throw Failed("\(tool) says no number: \(text)") }
        return count
    }
}
