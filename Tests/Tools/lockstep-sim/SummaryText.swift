// SPDX-License-Identifier: Apache-2.0

import Settings
import Simulation

/// The summary of a run, for people and for programs.
enum SummaryText {
    static func table(_ summary: Campaign.Summary, seconds: Double) -> String {
        let rows = [
            ["seeds", "\(summary.seeds)"],
            ["events", "\(summary.events)"],
            ["events a second", "\(Int(Double(summary.events) / max(seconds, 0.001)))"],
            ["seconds", "\((seconds * 10).rounded() / 10)"],
            ["violations", "\(summary.violations)"],
        ]
        let counters = ExpectedEvent.allCases.map { ["  " + $0.rawValue, "\(summary.counters[$0])"] }
        let failures = summary.failures.compactMap { failure in
            failure.violation.map { "seed \(failure.scenario.seed): \($0)" }
        }
        return (TextTable.lines(rows + counters, right: 1) + failures).joined(separator: "\n")
    }

    static func json(_ summary: Campaign.Summary, seconds: Double) -> String {
        let counters = ExpectedEvent.allCases.map { "\"\($0.rawValue)\":\(summary.counters[$0])" }
        let failures = summary.failures.compactMap { failure in
            failure.violation.map { "{\"seed\":\(failure.scenario.seed),\"check\":\"\($0.check.rawValue)\"}" }
        }
        return """
            {"seeds":\(summary.seeds),"events":\(summary.events),"seconds":\(seconds),\
            "violations":\(summary.violations),"failures":[\(failures.joined(separator: ","))],\
            "counters":{\(counters.joined(separator: ","))}}
            """
    }
}
