// SPDX-License-Identifier: Apache-2.0

import API
package import Session
import Wire

/// The page of the week, which fits on one screen or sheet of paper. Only its form needs the script.
package struct WeekPage: Sendable {
    /// The numbers; `nil` while the debt service has sent none.
    package var numbers: WeekNumbers?
    /// The age of the numbers, if they are stale; else `nil`.
    package var staleFor: Milliseconds?
    package var isLinkLost = false
    package var node: Localized
    /// The time of day, as `14:05`.
    package var time: Localized
    /// Today in the ledger's zone, if the page has the form that adds a session; else `nil`.
    package var today: CivilDate?
    /// The theme: `dark`, `light` or `e-ink`; empty for the browser's preference.
    package var theme = ""
    package var strings: Strings

    package init(numbers: WeekNumbers?, node: Localized, time: Localized, strings: Strings) {
        self.numbers = numbers
        self.node = node
        self.time = time
        self.strings = strings
    }

    package var html: String {
        """
        <!DOCTYPE html>
        <html lang="\(strings.language)" dir="\(strings.isRightToLeft ? "rtl" : "ltr")" class="\(theme)">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
        <meta name="color-scheme" content="dark light">
        <title>\(text(.weeklyDebt))</title>
        <link rel="icon" href="data:,">
        <link rel="stylesheet" href="look.css">
        <link rel="stylesheet" href="week.css">
        <script src="week.js" defer></script>
        <noscript><meta http-equiv="refresh" content="300"></noscript>
        </head>
        <body>
        <main id="stage">
        \(numbers.map(report) ?? "<header><h1>\(text(.weeklyDebt))</h1></header>\n<p class=\"notice\">\(text(.noWeek))</p>")
        <footer><p>\(escaped(strings.text(.asOf, ["time": time]))) · <span>\(escaped(node))</span></p>
        <p class="lost">\(escaped(strings.text(.pageLost, ["node": node])))</p></footer>
        </main>
        \(numbers.map { "<aside>\n\(form)\(WeekCharts($0, strings: strings).tables)\n</aside>" } ?? "")
        </body>
        </html>

        """
    }

    private func report(_ numbers: WeekNumbers) -> String {
        let charts = WeekCharts(numbers, strings: strings)
        return """
            <header>
            <h1>\(text(.weeklyDebt))</h1>
            <p class="dates">\(escaped(strings.days(from: numbers.first, to: numbers.last)))</p>
            <p class="debt"><bdi dir="ltr">\(DebtText.text(minutes: numbers.debt))</bdi></p>
            \(numbers.facts(strings).map { "<p>\(escaped($0))</p>" }.joined(separator: "\n"))
            \(notices(numbers).map { "<p class=\"notice\">\(escaped($0))</p>" }.joined(separator: "\n"))
            </header>
            \(figure(.byDay, charts.days))
            \(figure(.byLabel, charts.labels))
            \(figure(.byYear, charts.year))
            \(figure(.calmByWeek, charts.calm))
            """
    }

    /// The form that adds a session which no node recorded.
    private var form: String {
        guard let today else { return "" }
        func field(_ title: Strings.Key, _ attributes: String) -> String {
            "<label><span>\(text(title))</span><input \(attributes)></label>"
        }
        let labels = numbers?.labels.compactMap(\.label).map { escaped(.userText($0.name)) } ?? []
        let first = AddRequest.earliestDay
        let words: KeyValuePairs<String, Strings.Key> = [
            "saved": .saved, "unsaved": .unsaved, "invalid": .refusedInvalid, "early": .endIsEarly,
            "ahead": .timeIsAhead, "refused": .notPermitted,
        ]
        return """
            <details id="add">
            <summary>\(text(.addSession))</summary>
            <form autocomplete="off">
            \(field(.title, "name=\"title\" maxlength=\"\(Limits.titleBytes)\""))
            \(field(.label, "name=\"label\" maxlength=\"\(Limits.nameBytes)\" list=\"labels\""))
            <datalist id="labels">\(labels.map { "<option value=\"\($0)\"></option>" }.joined())</datalist>
            \(field(.day, "name=\"day\" type=\"date\" required min=\"\(first)\" max=\"\(today)\" value=\"\(today)\""))
            \(field(.from, "name=\"from\" type=\"time\" required"))
            \(field(.until, "name=\"to\" type=\"time\" required"))
            <button>\(text(.save))</button>
            <output \(words.map { "data-\($0)=\"\(text($1))\"" }.joined(separator: " "))></output>
            </form>
            </details>

            """
    }

    private func figure(_ title: Strings.Key, _ svg: String) -> String {
        "<figure>\n<figcaption aria-hidden=\"true\">\(text(title))</figcaption>\n\(svg)\n</figure>"
    }

    /// Returns the notices, at most two.
    private func notices(_ numbers: WeekNumbers) -> [Localized] {
        var notices: [Localized] = []
        if isLinkLost { notices.append(strings[.linkLost]) }
        if let staleFor {
            let minutes = Int(staleFor.count / 60_000)
            notices.append(
                minutes < 60
                    ? strings.text(.lastHeardMinutes, count: minutes)
                    : strings.text(.lastHeardHours, count: minutes / 60))
        }
        if numbers.isEmpty { notices.append(strings[.nothingDone]) }
        return Array(notices.prefix(2))
    }

    private func text(_ key: Strings.Key) -> String { escaped(strings[key]) }
    private func escaped(_ text: Localized) -> String { Markup.escaped(text) }
}
