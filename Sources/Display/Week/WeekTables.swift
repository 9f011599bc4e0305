// SPDX-License-Identifier: Apache-2.0

import Session
import Wire

/// The numbers of the charts as collapsed tables.
struct WeekTables {
    private let charts: WeekCharts
    private var numbers: WeekNumbers { charts.numbers }
    private var strings: Strings { charts.strings }

    init(_ numbers: WeekNumbers, strings: Strings) { charts = WeekCharts(numbers, strings: strings) }

    var html: String {
        let days = numbers.dayMinutes.enumerated().map { index, done in
            [charts.dayName(index), index > numbers.today ? Strings.unknown : minutes(done)]
        }
        let labels = zip(numbers.labels, numbers.labelMinutes).map { share, done in
            [share.label.map { .userText($0.name) } ?? strings[.noLabel], minutes(done)]
        }
        let weeks = (0..<YearGrid.columns).reversed().map { column in
            let calm = charts.grid.calm(in: column).map { strings.text(.percent, count: $0) }
            return [
                charts.dates.day(charts.grid.date(column: column, row: 0)), minutes(charts.grid.minutes(in: column)),
                calm ?? Strings.unknown,
            ]
        }
        return """
            <details id="numbers">
            <summary>\(Markup.escaped(strings[.numbers]))</summary>
            <div>
            \(table(.byDay, [.day, .done], days))
            \(table(.byLabel, [.label, .done], labels))
            \(table(.byYear, [.week, .done, .calm], weeks))
            </div>
            </details>
            """
    }

    private func minutes(_ minutes: Int) -> Localized { DateText.minutes(minutes) }

    private func table(_ caption: Strings.Key, _ heads: [Strings.Key], _ rows: [[Localized]]) -> String {
        let head = heads.map { "<th scope=\"col\">\(Markup.escaped(strings[$0]))</th>" }.joined()
        let lines = rows.map { row in
            let cells = row.enumerated().map { index, cell in
                let text = "<bdi>\(Markup.escaped(cell))</bdi>"
                return index == 0 ? "<th scope=\"row\">\(text)</th>" : "<td>\(text)</td>"
            }
            return "<tr>\(cells.joined())</tr>"
        }
        return """
            <table>
            <caption>\(Markup.escaped(strings[caption]))</caption>
            <thead><tr>\(head)</tr></thead>
            <tbody>
            \(lines.joined(separator: "\n"))
            </tbody>
            </table>
            """
    }
}
