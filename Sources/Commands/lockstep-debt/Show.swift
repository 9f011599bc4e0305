// SPDX-License-Identifier: Apache-2.0

import API
import ArgumentParser
import Debt
import Display
import Platform
import Session
import Settings
import Wire

struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show this week: each day as a bar, the streak and the debt.")

    @OptionGroup var access: LedgerAccess

    @Flag(help: "As JSON.")
    var json = false

    private struct WeekJSON: Encodable {
        var week: String
        var from: Int64
        var to: Int64
        var goal: Int
        var carried: Int
        var done: Int64
        var debt: Int
        var streak: Int
        var days: [DayJSON]
        var labels: [LabelJSON]
    }

    private struct DayJSON: Encodable {
        var date: String
        var done: Int64
    }

    private struct LabelJSON: Encodable {
        var label: String?
        var done: Int64
    }

    func run() throws {
        try access.with { opened in
            let now = SystemClock.wallMilliseconds()
            var book = WeekBook(space: opened.space, ledger: opened.ledger, history: opened.history)
            let report = try book.report(of: opened.history.week(containing: now), now: now)
            if json { printJSON(report) } else { printText(report) }
        }
    }

    private func printJSON(_ report: WeekReport) {
        let week = report.sums.week
        let days = zip(week.days, report.sums.days).map { DayJSON(date: "\($0.date)", done: $1) }
        let shown = WeekJSON(
            week: "\(week.number)", from: week.from, to: week.to, goal: report.goal, carried: report.carried,
            done: report.sums.done, debt: report.debt, streak: report.streak, days: days,
            labels: report.sums.labels.map { LabelJSON(label: $0.label?.name, done: $0.done.count) })
        print(ReportJSON.text(shown))
    }

    private func printText(_ report: WeekReport) {
        let week = report.sums.week
        let most = max(report.sums.days.max() ?? 0, Int64(report.goal) * 60_000 / Int64(max(1, week.days.count)), 1)
        let minutes = WholeMinutes.of(report.sums.days.map { Milliseconds($0) })
        for (index, day) in week.days.enumerated() {
            let width = Int(report.sums.days[index] * 30 / most)
            let bar = String(repeating: "█", count: width) + String(repeating: "·", count: 30 - width)
            print("\(day.date)  \(bar)  \(minutes[index])m")
        }
        print(
            "\(week.number): \(report.sums.done / 60_000) of \(report.goal) minutes, debt "
                + "\(DebtText.text(minutes: report.debt)), streak \(report.streak)")
    }
}
