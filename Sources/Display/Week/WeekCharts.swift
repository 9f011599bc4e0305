// SPDX-License-Identifier: Apache-2.0

import Session
import Wire

/// The four charts of the week's page, each an SVG element 360 units wide.
struct WeekCharts {
    static let width = 360.0
    /// The margin at the end for the numbers of the grid lines.
    static let margin = 32.0
    /// The number of labels with their own bar; the others share one.
    static let labelsShown = 5

    let numbers: WeekNumbers
    let strings: Strings
    let grid: YearGrid

    init(_ numbers: WeekNumbers, strings: Strings) {
        self.numbers = numbers
        self.strings = strings
        grid = YearGrid(numbers)
    }

    // MARK: Days

    /// The chart of the days: a bar for each day, compared with the daily share of the goal.
    var days: String {
        let (ground, top) = (112.0, 88.0)
        var drawing = ChartDrawing(width: Self.width, height: 132, strings: strings)
        let most = Double(numbers.days.max()?.count ?? 0) / 60_000
        let scale = top / max(most, numbers.goalByDay, 1)
        let end = Self.width - Self.margin
        let goal = TimeText.minutes(Int(numbers.goalByDay.rounded()))
        if numbers.goal > 0 {
            let level = ground - numbers.goalByDay * scale
            drawing.line("goal", from: 0, to: end, y: level)
            drawing.text(
                goal, kind: "quiet", x: Self.width, y: level + 3.5, size: 10, room: Self.margin, align: .end,
                isNumber: true)
        }
        let slot = end / Double(max(1, numbers.days.count))
        let shown = numbers.dayMinutes
        for (index, done) in numbers.days.enumerated() {
            let middle = (Double(index) + 0.5) * slot
            let height = Double(done.count) / 60_000 * scale
            let isToday = index == numbers.today
            if height > 0 {
                drawing.rectangle(
                    isToday ? "today" : "bar", x: middle - slot * 0.29, y: ground - height, width: slot * 0.58,
                    height: height, radius: min(3, height / 2))
            }
            if shown[index] > 0, slot >= 34 {
                drawing.text(
                    TimeText.minutes(shown[index]), kind: "text", x: middle, y: ground - height - 4, size: 10.5,
                    room: slot, align: .middle, isNumber: true)
            }
            drawing.text(
                strings.weekday(of: numbers.first.adding(days: index)), kind: isToday ? "text" : "quiet", x: middle,
                y: ground + 15, size: slot >= 34 ? 11 : 8, room: slot - 2, align: .middle)
        }
        drawing.line("ground", from: 0, to: end, y: ground)
        let spoken: [Localized] = numbers.days.indices.map {
            "\(dayName($0)) \(TimeText.minutes(shown[$0]))"
        }
        return drawing.svg(
            name: "days", title: strings[.byDay],
            description: (spoken + ["\(strings[.goalByDay]) \(goal)"]).joined(separator: ", "))
    }

    /// Returns the name of a day, as "Mon 16 Nov".
    func dayName(_ index: Int) -> Localized {
        let date = numbers.first.adding(days: index)
        return "\(strings.weekday(of: date)) \(strings.day(date))"
    }

    // MARK: Labels

    /// The labels with the most time, and all others as one.
    private var shares: [(name: Localized, colour: Colour?, minutes: Int)] {
        let all = zip(numbers.labels, numbers.labelMinutes).map { share, minutes in
            (
                name: share.label.map { .userText($0.name) } ?? strings[.noLabel], colour: share.label?.colour,
                minutes: minutes
            )
        }
        guard all.count > Self.labelsShown + 1 else { return all }
        let rest = all[Self.labelsShown...].reduce(0) { $0 + $1.minutes }
        return all.prefix(Self.labelsShown) + [(name: strings[.otherLabels], colour: Colour.grey, minutes: rest)]
    }

    /// The chart of the labels: a horizontal bar for each.
    var labels: String {
        var drawing = ChartDrawing(width: Self.width, height: max(2, Double(shares.count)) * 22 - 2, strings: strings)
        let (from, to, row) = (112.0, Self.width - 48, 22.0)
        let most = Double(max(1, shares.map(\.minutes).max() ?? 1))
        for (index, share) in shares.enumerated() {
            let level = Double(index) * row + 14
            drawing.text(share.name, kind: "text", x: 0, y: level, size: 11, room: from - 8)
            drawing.rectangle("track", x: from, y: level - 8, width: to - from, height: 8, radius: 4)
            let length = Double(share.minutes) / most * (to - from)
            if length > 0 {
                drawing.rectangle(
                    share.colour == nil ? "own" : "share", x: from, y: level - 8, width: max(8, length), height: 8,
                    radius: 4, fill: share.colour?.opaque.description)
            }
            drawing.text(
                TimeText.minutes(share.minutes), kind: "text", x: Self.width, y: level, size: 10.5, room: 44,
                align: .end,
                isNumber: true)
        }
        if shares.isEmpty { empty(&drawing, strings[.nothingDone]) }
        let spoken: [Localized] = shares.map { "\($0.name) \(TimeText.minutes($0.minutes))" }
        return drawing.svg(name: "labels", title: strings[.byLabel], description: spoken.joined(separator: ", "))
    }

    // MARK: Year

    /// The chart of the year: a square for each day of 53 weeks, shaded by the time done.
    var year: String {
        let pitch = Self.width / Double(YearGrid.columns)
        let (top, side) = (14.0, pitch * 0.84)
        var drawing = ChartDrawing(width: Self.width, height: top + 7 * pitch, strings: strings)
        var free = 0.0
        for column in 0..<YearGrid.columns {
            let x = Double(column) * pitch
            for row in 0..<7 {
                let minutes = grid.minutes(on: grid.date(column: column, row: row))
                drawing.rectangle(
                    level(of: minutes), x: x, y: top + Double(row) * pitch, width: side, height: side, radius: 1.2)
            }
            let monthStart = (0..<7).map { grid.date(column: column, row: $0) }.first { $0.components.day == 1 }
            guard let monthStart, x >= free else { continue }
            let name = strings.month(of: monthStart)
            let room = TextMeasure().width(name) * 9
            guard x + room <= Self.width else { continue }
            drawing.text(name, kind: "quiet", x: x, y: 9, size: 9, room: room + 1)
            free = x + room + 4
        }
        let sum = (0..<YearGrid.columns).reduce(0) { $0 + grid.minutes(in: $1) }
        let spoken: Localized = "\(strings.days(from: grid.first, to: numbers.last)): \(TimeText.minutes(sum))"
        return drawing.svg(name: "year", title: strings[.byYear], description: spoken)
    }

    /// Returns the class of a day by its share of the daily goal.
    private func level(of minutes: Int?) -> String {
        guard let minutes else { return "future" }
        guard minutes > 0 else { return "c0" }
        let share = Double(minutes) / (numbers.goal > 0 ? numbers.goalByDay : 60)
        return share < 0.5 ? "c1" : share < 1 ? "c2" : share < 2 ? "c3" : "c4"
    }

    // MARK: Calm

    /// The chart of the calm: a line over 53 weeks, interrupted at weeks without measurements.
    var calm: String {
        let (top, ground) = (6.0, 58.0)
        var drawing = ChartDrawing(width: Self.width, height: 66, strings: strings)
        let end = Self.width - Self.margin
        for percent in [100, 50, 0] {
            let level = ground - Double(percent) / 100 * (ground - top)
            drawing.line(percent == 0 ? "ground" : "grid", from: 0, to: end, y: level)
            drawing.text(
                strings.text(.percent, count: percent), kind: "quiet", x: Self.width, y: level + 3, size: 9,
                room: Self.margin, align: .end, isNumber: true)
        }
        let known = (0..<YearGrid.columns).map { grid.calm(in: $0) }
        let step = end / Double(YearGrid.columns)
        var run: [(x: Double, y: Double)] = []
        for (column, percent) in (known + [nil]).enumerated() {
            if let percent {
                run.append((x: (Double(column) + 0.5) * step, y: ground - Double(percent) / 100 * (ground - top)))
            } else if let last = run.last {
                if run.count > 1 { drawing.curve("curve", through: run) }
                drawing.dot("point", x: last.x, y: last.y, radius: 2.2)
                run = []
            }
        }
        if known.allSatisfy({ $0 == nil }) { empty(&drawing, strings[.noCalm]) }
        let spoken: [Localized] = known.enumerated().compactMap { column, percent in
            percent.map { "\(strings.day(grid.date(column: column, row: 0))) \(strings.text(.percent, count: $0))" }
        }
        return drawing.svg(
            name: "calm", title: strings[.calmByWeek],
            description: spoken.isEmpty ? strings[.noCalm] : spoken.joined(separator: ", "))
    }

    /// Adds a text in the middle of a chart without data.
    private func empty(_ drawing: inout ChartDrawing, _ words: Localized) {
        drawing.text(
            words, kind: "quiet", x: (Self.width - Self.margin) / 2, y: drawing.height / 2, size: 11,
            room: Self.width - Self.margin, align: .middle)
    }
}
