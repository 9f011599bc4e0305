// SPDX-License-Identifier: Apache-2.0

import Session
import Wire

/// The numbers of the charts as collapsed tables.
extension WeekCharts {
    var tables: String {
        let days = numbers.dayMinutes.enumerated().map { index, done in
            [dayName(index), index > numbers.today ? Strings.unknown : TimeText.minutes(done)]
        }
        let labels = zip(numbers.labels, numbers.labelMinutes).map { share, done in
            [share.label.map { .userText($0.name) } ?? strings[.noLabel], TimeText.minutes(done)]
        }
        let weeks = (0..<YearGrid.columns).reversed().map { column in
            let calm = grid.calm(in: column).map { strings.text(.percent, count: $0) }
            return [
                strings.day(grid.date(column: column, row: 0)), TimeText.minutes(grid.minutes(in: column)),
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
