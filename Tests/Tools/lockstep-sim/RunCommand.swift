// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Settings
import Simulation
import Synchronization

/// `lockstep-sim run`: many seeds.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run many seeds. Print the first violation with a shrunken trace.",
        discussion: """
            A run of 20,000 seeds or more also fails if an event that must happen sometimes never happened: a fault that \
            is never met proves nothing.
            """
    )

    @Option(help: "Run this many seeds.")
    var seeds: Int?

    @Option(name: .customLong("for"), help: "Run for this time: 90s, 60m, 2h.")
    var time: String?

    @Option(help: "Start with this seed.")
    var first: UInt64 = 1

    @Option(help: "Run this many seeds at a time.")
    var jobs: Int = 2

    @Flag(help: "Print the summary as JSON.")
    var json = false

    func validate() throws {
        if seeds != nil, time != nil { throw ValidationError("Say --seeds or --for, not both.") }
        if let seeds, seeds < 1 { throw ValidationError("--seeds: at least 1.") }
        if !(1...64).contains(jobs) { throw ValidationError("--jobs: 1 to 64.") }
        if let time, Stopwatch.seconds(time) == nil {
            throw ValidationError("--for: “\(time)” is not a time; write 90s, 60m or 2h.")
        }
    }

    func run() async throws {
        let watch = Stopwatch()
        let limit = time.flatMap(Stopwatch.seconds)
        let count = limit == nil ? seeds ?? 2_000 : nil
        let progress = Progress()
        let campaign = Campaign(first: first, count: count, jobs: jobs)
        let summary = await campaign.run(until: { limit.map { watch.seconds >= Double($0) } ?? false }) { summary in
            let seconds = watch.seconds
            let whole = count.map { " of \($0)" } ?? limit.map { ", \(Int(seconds)) of \($0) s" } ?? ""
            progress.show(
                "\(summary.seeds) seeds\(whole), \(summary.events) events, \(summary.violations) violations",
                at: seconds)
        }
        ProgressLine.show("")
        let missing = summary.seeds >= 20_000 ? summary.counters.missing : []
        if json {
            print(SummaryText.json(summary, seconds: watch.seconds))
        } else {
            print(SummaryText.table(summary, seconds: watch.seconds))
        }
        for event in missing { CommandLineRunner.say("lockstep-sim: \(event.rawValue) never happened") }
        if let failure = summary.failures.first { report(failure) }
        if summary.violations > 0 || !missing.isEmpty { throw ExitCode(1) }
    }

    private func report(_ failure: Verdict) {
        guard let violation = failure.violation else { return }
        let scenario = failure.scenario.shrunken(violating: violation.check)
        CommandLineRunner.say("lockstep-sim: seed \(failure.scenario.seed): \(violation)")
        let (long, short) = (failure.scenario.acts.count, scenario.acts.count)
        CommandLineRunner.say("Shrunken from \(long) acts to \(short). Keep this:\n")
        print(scenario.text)
    }
}

/// The time since its creation.
struct Stopwatch: Sendable {
    private let start = ContinuousClock.now

    var seconds: Double {
        let passed = start.duration(to: .now).components
        return Double(passed.seconds) + Double(passed.attoseconds) / 1e18
    }

    /// Reads `90s`, `60m` or `2h`.
    static func seconds(_ text: String) -> Int? {
        let units: [Character: Int] = ["s": 1, "m": 60, "h": 3_600]
        guard let last = text.last, let unit = units[last], let number = Int(text.dropLast()) else { return nil }
        return (1...1_000_000).contains(number) ? number * unit : nil
    }
}

/// The progress of a run, five times a second at most.
private final class Progress: Sendable {
    private let shownAt = Mutex(0.0)

    func show(_ text: String, at seconds: Double) {
        let isDue = shownAt.withLock { shownAt in
            guard seconds - shownAt >= 0.2 else { return false }
            shownAt = seconds
            return true
        }
        if isDue { ProgressLine.show(text) }
    }
}
