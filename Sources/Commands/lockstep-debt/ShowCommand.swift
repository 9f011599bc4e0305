// SPDX-License-Identifier: Apache-2.0

import API
import ArgumentParser
import Debt
import Display
import Runtime
import Session
import Settings
import Wire

/// `lockstep debt show`: shows this week.
struct ShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show this week, like lockstep debt alone: each day as a bar, the streak and the debt.")

    @OptionGroup var access: LedgerAccessOptions

    @Flag(help: "As JSON.")
    var json = false

    func run() throws {
        try access.withLedger { opened in
            let now = Clocks.now().told
            var book = WeekBook(space: opened.space, ledger: opened.ledger, history: opened.history)
            let report = try book.report(of: opened.history.week(containing: now), now: now)
            if json { printJSON(report) } else { printText(report) }
        }
    }

    private func printJSON(_ report: WeekReport) {
        let week = report.sums.week
        let days = zip(week.days, report.sums.days).map { day, done -> JSONText in
            ["date": "\(day.date)".json, "done": done.count.json]
        }
        let labels = report.sums.labels.map { sum -> JSONText in
            ["done": sum.done.count.json, "label": sum.label?.name.json]
        }
        let shown: JSONText = [
            "carried": report.carried.json, "days": JSONText(days), "debt": report.debt.json,
            "done": report.sums.done.count.json, "from": week.from.milliseconds.json, "goal": report.goal.json,
            "labels": JSONText(labels), "streak": report.streak.json, "to": week.to.milliseconds.json,
            "week": "\(week.isoWeek)".json,
        ]
        print(shown.text)
    }

    private func printText(_ report: WeekReport) {
        let week = report.sums.week
        let fullBar = max(report.sums.days.max() ?? 0, .minutes(Int64(report.goal)) / Int64(max(1, week.days.count)), 1)
        let minutes = WholeMinutes.of(report.sums.days)
        for (index, day) in week.days.enumerated() {
            let width = Int(report.sums.days[index].count * 30 / fullBar.count)
            let bar = String(repeating: "█", count: width) + String(repeating: "·", count: 30 - width)
            print("\(day.date)  \(bar)  \(minutes[index])m")
        }
        print(
            "\(week.isoWeek): \(report.sums.done.count / 60_000) of \(report.goal) minutes, debt "
                + "\(DebtText.text(minutes: report.debt)), streak \(report.streak)")
    }
}
