// SPDX-License-Identifier: Apache-2.0

import API
import ArgumentParser
import Glibc
import Platform
import Settings
import UnixSignals

/// A subcommand that measures something and prints its figures.
protocol Measurement: AsyncParsableCommand, Sendable {
    var output: OutputOptions { get }

    func measure() async throws -> [Figure]
}

extension Measurement {
    func require(_ holds: Bool, _ rule: String) throws {
        if !holds { throw ValidationError(rule) }
    }

    func run() async throws {
        try await output.report { [self] in try await measure() }
    }
}

/// The options of every measurement.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print JSON for programs: an array of figures.")
    var json = false

    /// Runs a measurement, prints its figures and ends the command with 1 when a goal is not met. A signal cancels the
    /// measurement, which then ends what it has started.
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
        ProgressLine.show("")
        print(json ? Figure.json(figures) : Figure.table(figures))
        if figures.contains(where: { $0.met == false }) { throw ExitCode(1) }
    }
}

/// A measured number and its goal.
struct Figure: Sendable, Encodable {
    enum Bound: String, Sendable, Encodable {
        case atMost, atLeast
    }

    /// The measured quantity.
    var name: String
    var value: Double
    var unit: String
    var goal: Double?
    var bound: Bound?
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
        String(decoding: ReportJSON.pretty(ReportJSON.encode(figures)), as: UTF8.self)
    }

    static func table(_ figures: [Figure]) -> String {
        let rows = figures.map { figure in
            let goal = figure.goal.map { "\(figure.bound == .atLeast ? "≥" : "≤") \(text($0)) \(figure.unit)" }
            let met = figure.met.map { $0 ? "met" : "NOT MET" }
            return [figure.name, "\(text(figure.value)) \(figure.unit)", goal ?? "", met ?? ""]
        }
        return TextTable.lines([["", "measured", "goal", ""]] + rows, right: 1).joined(separator: "\n")
    }

    private static func text(_ value: Double) -> String {
        let digits = abs(value) >= 1_000 || value == value.rounded() ? 0 : abs(value) >= 20 ? 1 : 3
        let scale = (0..<digits).reduce(1.0) { product, _ in product * 10 }
        let whole = (value * scale).rounded() / scale
        return digits == 0 ? "\(Int(whole))" : "\(whole)"
    }
}

/// Times in nanoseconds.
struct Samples: Sendable {
    private var values: [Int64] = []

    var count: Int { values.count }

    mutating func add(_ more: [Int64]) { values += more }

    /// The value that a share of all samples, 0...1, does not exceed, in microseconds.
    func quantile(_ share: Double) -> Double {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return .nan }
        return Double(sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))]) / 1_000
    }

    /// The figure of a quantile in milliseconds.
    func figure(_ name: String, _ share: Double, atMost goal: Double? = nil) -> Figure {
        Figure(name, quantile(share) / 1_000, "ms", atMost: goal)
    }

    static func now() -> Int64 { SystemClock.nanoseconds(CLOCK_MONOTONIC) }
    /// The processor time of this thread, which does not depend on other threads.
    static func processorTime() -> Int64 { SystemClock.nanoseconds(CLOCK_THREAD_CPUTIME_ID) }
}
