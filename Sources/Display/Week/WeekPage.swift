// SPDX-License-Identifier: Apache-2.0

/// The page of the week: all that is known of it on one screen, or on one sheet of paper. It needs no script.
public struct WeekPage: Sendable {
    /// The numbers; `nil` where nobody has said any.
    public var numbers: WeekNumbers?
    /// Hours and minutes since the numbers were said, where that is too long ago; in milliseconds.
    public var staleFor: Int64?
    /// Whether the node has no contact to others.
    public var isLinkLost = false
    /// The node that draws it.
    public var node: String
    /// The time of the day, as `14:05`.
    public var time: String
    /// `dark`, `light` or `e-ink`; empty for what the browser likes.
    public var theme = ""
    /// The language.
    public var strings: Strings

    /// Makes a page.
    public init(numbers: WeekNumbers?, node: String, time: String, strings: Strings) {
        self.numbers = numbers
        self.node = node
        self.time = time
        self.strings = strings
    }

    /// The whole file.
    public var html: String {
        """
        <!DOCTYPE html>
        <html lang="\(strings.language)" dir="\(strings.isRightToLeft ? "rtl" : "ltr")" class="\(theme)">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
        <meta name="color-scheme" content="dark light">
        <title>\(text(.weeklyDebt))</title>
        <link rel="icon" href="data:,">
        <link rel="stylesheet" href="week.css">
        <script src="week.js" defer></script>
        <noscript><meta http-equiv="refresh" content="300"></noscript>
        </head>
        <body>
        <main id="stage">
        \(numbers.map(report) ?? "<p class=\"notice\">\(text(.noWeek))</p>")
        <footer><p>\(said(strings.text(.asOf, ["time": time]))) · <span>\(said(node))</span></p>
        <p class="lost">\(said(strings.text(.pageLost, ["node": node])))</p></footer>
        </main>
        \(numbers.map { WeekTables($0, strings: strings).html } ?? "")
        </body>
        </html>

        """
    }

    private func report(_ numbers: WeekNumbers) -> String {
        let charts = WeekCharts(numbers, strings: strings)
        return """
            <header>
            <h1>\(text(.weeklyDebt))</h1>
            <p class="dates">\(said(charts.dates.days(from: numbers.first, to: numbers.last)))</p>
            <p class="debt"><bdi dir="ltr">\(DebtText.text(minutes: numbers.debt))</bdi></p>
            \(facts(numbers, charts.dates).map { "<p>\(said($0))</p>" }.joined(separator: "\n"))
            \(notices(numbers).map { "<p class=\"notice\">\(said($0))</p>" }.joined(separator: "\n"))
            </header>
            \(figure(.byDay, charts.days))
            \(figure(.byLabel, charts.labels))
            \(figure(.byYear, charts.year))
            \(figure(.calmByWeek, charts.calm))
            """
    }

    private func figure(_ title: Strings.Key, _ svg: String) -> String {
        "<figure>\n<figcaption aria-hidden=\"true\">\(text(title))</figcaption>\n\(svg)\n</figure>"
    }

    private func facts(_ numbers: WeekNumbers, _ dates: DateText) -> [String] {
        let done = dates.isolated(DateText.minutes(Int(numbers.done / 60_000)))
        let goal = dates.isolated(DateText.minutes(numbers.goal))
        let calm = numbers.calm.map { strings.text(.calmPercent, ["percent": strings.text(.percent, count: $0)]) }
        return [
            strings.text(.doneOfGoal, ["done": done, "goal": goal]), strings.text(.streakDays, count: numbers.streak),
        ] + (calm.map { [$0] } ?? [])
    }

    /// What the numbers do not say, at most two.
    private func notices(_ numbers: WeekNumbers) -> [String] {
        var notices: [String] = []
        if isLinkLost { notices.append(strings[.linkLost]) }
        if let staleFor {
            let minutes = Int(staleFor / 60_000)
            notices.append(
                minutes < 60
                    ? strings.text(.lastHeardMinutes, count: minutes)
                    : strings.text(.lastHeardHours, count: minutes / 60))
        }
        if numbers.isEmpty { notices.append(strings[.nothingDone]) }
        return Array(notices.prefix(2))
    }

    private func text(_ key: Strings.Key) -> String { said(strings[key]) }
    private func said(_ text: String) -> String { Markup.escaped(text) }
}
