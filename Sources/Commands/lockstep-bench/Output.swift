// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Commands
import FoundationEssentials
import Glibc
import UnixSignals

/// What every subcommand takes.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print JSON for programs: an array of figures.")
    var json = false

    /// Runs a measurement, prints its figures and ends the command with 1 when a goal is not met.
    ///
    /// A signal cancels the measurement, which then takes down what it has started.
    func report(_ measure: @escaping @Sendable () async throws -> [Figure]) async throws {
        let signals = await UnixSignalsSequence(trapping: [.sigint, .sigterm, .sighup])
        let figures = try await withThrowingTaskGroup(of: [Figure]?.self) { group in
            group.addTask {
                for await _ in signals { return nil }
                return nil
            }
            group.addTask { try await measure() }
            defer { group.cancelAll() }
            guard let figures = try await group.next() ?? nil else {
                group.cancelAll()
                while let result = await group.nextResult() { _ = result }
                throw ExitCode(130)
            }
            return figures
        }
        Progress.clear()
        print(json ? Figure.json(figures) : Figure.table(figures))
        if figures.contains(where: { $0.met == false }) { throw ExitCode(1) }
    }
}

/// One number, and what it should be.
struct Figure: Sendable, Encodable {
    enum Bound: String, Sendable, Encodable {
        case atMost, atLeast
    }

    /// What was measured.
    var name: String
    var value: Double
    var unit: String
    /// The goal, for figures that have one.
    var goal: Double?
    var bound: Bound?
    /// Whether the goal is met.
    var met: Bool?

    init(_ name: String, _ value: Double, _ unit: String, atMost goal: Double? = nil, atLeast least: Double? = nil) {
        self.name = name
        self.value = value
        self.unit = unit
        self.goal = goal ?? least
        bound = goal != nil ? .atMost : least != nil ? .atLeast : nil
        met = goal.map { value <= $0 } ?? least.map { value >= $0 }
    }

    static func json(_ figures: [Figure]) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        guard let data = try? encoder.encode(figures) else { preconditionFailure("figures are plain values") }
        return String(decoding: data, as: UTF8.self)
    }

    static func table(_ figures: [Figure]) -> String {
        let rows = figures.map { figure in
            let goal = figure.goal.map { "\(figure.bound == .atLeast ? "≥" : "≤") \(text($0)) \(figure.unit)" }
            let met = figure.met.map { $0 ? "met" : "NOT MET" }
            return [figure.name, "\(text(figure.value)) \(figure.unit)", goal ?? "", met ?? ""]
        }
        let all = [["", "measured", "goal", ""]] + rows
        let widths = (0..<4).map { column in all.map { $0[column].count }.max() ?? 0 }
        return all.map { row in
            zip(row, widths).enumerated().map { index, cell in
                let space = String(repeating: " ", count: cell.1 - cell.0.count)
                return index == 1 ? space + cell.0 : cell.0 + space
            }.joined(separator: "  ")
        }.joined(separator: "\n")
    }

    private static func text(_ value: Double) -> String {
        let digits = abs(value) >= 1_000 || value == value.rounded() ? 0 : abs(value) >= 20 ? 1 : 3
        let scale = (0..<digits).reduce(1.0) { product, _ in product * 10 }
        let whole = (value * scale).rounded() / scale
        return digits == 0 ? "\(Int(whole))" : "\(whole)"
    }
}

/// A line on stderr that says what goes on, for a person who waits.
enum Progress {
    private static let isShown = isatty(STDERR_FILENO) == 1

    static func say(_ text: String) {
        if isShown { write("\r\u{1B}[K\(text)") }
    }

    static func clear() {
        if isShown { write("\r\u{1B}[K") }
    }

    private static func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }
}
