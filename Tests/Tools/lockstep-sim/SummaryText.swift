// SPDX-License-Identifier: Apache-2.0

import Simulation

/// The summary of a run, for people and for programs.
enum SummaryText {
    static func table(_ summary: Campaign.Summary, seconds: Double) -> String {
        var rows = [
            ("seeds", "\(summary.seeds)"),
            ("events", "\(summary.events)"),
            ("events a second", "\(Int(Double(summary.events) / max(seconds, 0.001)))"),
            ("seconds", "\((seconds * 10).rounded() / 10)"),
            ("violations", "\(summary.violations)"),
        ]
        rows += Sometimes.allCases.map { ("  " + $0.rawValue, "\(summary.counters[$0])") }
        let width = (rows.map(\.0.count).max() ?? 0) + 2
        var lines = rows.map { name, value in
            name + String(repeating: " ", count: width - name.count)
                + String(repeating: " ", count: max(0, 12 - value.count)) + value
        }
        lines += summary.failures.compactMap { failure in
            failure.violation.map { "seed \(failure.scenario.seed): \($0)" }
        }
        return lines.joined(separator: "\n")
    }

    static func json(_ summary: Campaign.Summary, seconds: Double) -> String {
        let counters = Sometimes.allCases.map { "\"\($0.rawValue)\":\(summary.counters[$0])" }
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
