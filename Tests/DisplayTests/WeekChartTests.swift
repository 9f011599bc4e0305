// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Session
import Support
import Testing
import Wire

@testable import Display

@Suite(.timeLimit(.minutes(15))) struct WeekChartTests {
    static func date(_ text: String) throws -> CivilDate { try #require(CivilDate(text)) }

    /// The last week of 2026, a year of 53 weeks, on its Wednesday.
    static func numbers(
        first: String = "2026-12-28", minutes: [Int] = [30, 0, 90, 0, 0, 0, 0], today: Int = 2, goal: Int = 420,
        labels: [DebtWeek.LabelSum] = [], calm: Int? = 85, past: DebtYear? = nil
    ) throws -> WeekNumbers {
        WeekNumbers(
            first: try date(first), days: minutes.map { .minutes(Int64($0)) }, today: today, goal: goal,
            done: .minutes(Int64(minutes.reduce(0, +))), streak: 1, labels: labels, calm: calm, past: past)
    }

    /// Returns the 52 weeks before a day, with minutes on the given days.
    static func past(until last: String, _ done: [String: Int] = [:], calm: [Int: Int] = [:]) throws -> DebtYear {
        let first = try date(last).adding(days: -364)
        var days = Array(repeating: 0, count: 364)
        for (day, minutes) in done { days[try date(day).dayNumber - first.dayNumber] = minutes }
        return DebtYear(first: first, days: days, calm: (0..<52).map { calm[$0] }, at: 0)
    }

    private func charts(_ numbers: WeekNumbers, _ language: String = "en") throws -> WeekCharts {
        WeekCharts(numbers, strings: try #require(Catalogue.strings(language)))
    }

    // MARK: Days

    @Test func barHeightIsProportionalToMinutes() throws {
        let file = try SVGFile(try charts(Self.numbers()).days)
        let bars = file.shapes.filter { $0.name == "rect" }
        #expect(bars.count == 2, "an empty day has no bar")
        #expect(abs(bars[1]["height"] - 3 * bars[0]["height"]) < 0.02)
        #expect(bars[0].kind == ["bar"])
        #expect(bars[1].kind == ["today"])
        let ground = try #require(file.shapes.first { $0.kind == ["ground"] })["y1"]
        for bar in bars { #expect(abs(bar["y"] + bar["height"] - ground) < 0.02) }
        let goal = try #require(file.shapes.first { $0.kind == ["goal"] })
        #expect(abs((ground - goal["y1"]) - 2 * bars[0]["height"]) < 0.02, "60 minutes a day")
        #expect(
            file.texts.map(\.text) == ["60m", "30m", "Mon", "Tue", "90m", "Wed", "Thu", "Fri", "Sat", "Sun"])
        let said = try charts(Self.numbers()).days
        #expect(said.contains("Mon 28 Dec 30m"))
        #expect(said.contains("Goal for a day 60m"))
    }

    /// Ten days of 1.7 minutes are 17 minutes, and no screen says 10.
    @Test func shownMinutesAddUpToThoseOfTheWeek() throws {
        let parts = Array(repeating: Milliseconds(102_000), count: 10)
        let numbers = WeekNumbers(
            first: try Self.date("2026-12-28"), days: parts, today: 9, goal: 420, done: 1_020_000,
            labels: parts.enumerated().map { .init(label: Label(name: "\($0)"), done: $1) })
        #expect(numbers.dayMinutes.reduce(0, +) == 17)
        #expect(numbers.labelMinutes.reduce(0, +) == 17)
        let said = try charts(numbers)
        #expect(said.days.components(separatedBy: " 2m").count == 8, "\(said.days)")
        let grid = YearGrid(numbers)
        #expect((0..<10).reduce(0) { $0 + (grid.minutes(on: numbers.first.adding(days: $1)) ?? 0) } == 17)
    }

    @Test(arguments: [(420, [0, 0, 0]), (0, [10, 20, 0]), (0, [0]), (10_080, Array(repeating: 1_440, count: 14))])
    func chartIsValidForUnusualWeeks(goal: Int, minutes: [Int]) throws {
        let file = try SVGFile(try charts(Self.numbers(minutes: minutes, today: 0, goal: goal)).days)
        #expect(file.shapes.contains { $0.kind == ["goal"] } == (goal > 0))
        for shape in file.shapes where shape.name == "rect" {
            #expect(shape["y"] >= 0)
            #expect(shape["x"] >= 0)
            #expect(shape["x"] + shape["width"] <= file.width)
        }
        expectNothingOverlaps(file)
    }

    // MARK: Year

    private func cells(_ numbers: WeekNumbers, _ language: String = "en") throws -> [SVGFile.Shape] {
        try SVGFile(try charts(numbers, language).year).shapes.filter { $0.name == "rect" }
    }

    @Test(arguments: [("2026-12-28", "2025-12-29"), ("2026-12-27", "2025-12-28"), ("2027-01-04", "2026-01-05")])
    func everyDayHasItsCell(first: String, gridFirst: String) throws {
        let done = ["2026-03-01": 10, "2026-03-29": 45, "2026-10-25": 60, "2026-12-26": 200]
        let numbers = try Self.numbers(first: first, past: try Self.past(until: first, done))
        #expect(YearGrid(numbers).first == (try Self.date(gridFirst)))
        let cells = try cells(numbers)
        #expect(cells.count == 371)
        let pitch = WeekCharts.width / 53
        for (text, kind) in [("2026-03-01", "c1"), ("2026-03-29", "c2"), ("2026-10-25", "c3"), ("2026-12-26", "c4")] {
            let number = try Self.date(text).dayNumber - Self.date(gridFirst).dayNumber
            let cell = cells[number]
            #expect(cell.kind == [Substring(kind)], "\(text)")
            #expect(abs(cell["x"] - Double(number / 7) * pitch) < 0.01)
            #expect(abs(cell["y"] - 14 - Double(number % 7) * pitch) < 0.01)
        }
        #expect(cells.count { $0.kind.last == "future" } == 4)
        #expect(cells[364].kind.last == "c2")
        #expect(cells[365].kind.last == "c0")
        #expect(cells[366].kind.last == "c3")
        #expect(cells.count { !["c0", "future"].contains($0.kind.last) } == 6)
    }

    /// After a change of the first day, a week may have more or fewer than seven days.
    @Test func weekOfEightDaysFitsTheGrid() throws {
        let numbers = try Self.numbers(
            minutes: [1, 0, 0, 0, 0, 0, 0, 30], today: 7, past: try Self.past(until: "2026-12-28", ["2026-12-27": 60]))
        let grid = YearGrid(numbers)
        #expect(grid.first == (try Self.date("2026-01-05")))
        #expect(grid.minutes(on: try Self.date("2027-01-04")) == 30)
        #expect(grid.minutes(on: try Self.date("2026-12-27")) == 60)
        #expect(grid.minutes(in: 51) == 1)
        #expect(grid.minutes(in: 52) == 30)
    }

    @Test func gridShowsThisWeekWithoutAYear() throws {
        let cells = try cells(Self.numbers())
        #expect(cells.count == 371)
        #expect(cells.count { $0.kind.last == "c0" } == 365)
    }

    @Test func rightToLeftChartIsMirrored() throws {
        let numbers = try Self.numbers(past: try Self.past(until: "2026-12-28", ["2026-03-29": 45]))
        for (one, other) in zip(try cells(numbers), try cells(numbers, "ar")) {
            #expect(abs(one["x"] + one["width"] + other["x"] - WeekCharts.width) < 0.02)
            #expect(one["y"] == other["y"])
            #expect(one.kind == other.kind)
        }
        let bars = try SVGFile(try charts(numbers, "ar").days)
        #expect(bars.shapes.filter { $0.name == "rect" }.map { $0["x"] } == [322.98, 229.27])
        let day = try #require(bars.texts.first { $0.text == "اثنين" })
        #expect(day.attributes["direction"] == "rtl")
        #expect(day.attributes["text-anchor"] == "middle")
        #expect(bars.texts.first { $0.text == "30m" }?.attributes["direction"] == "ltr")
        let labels = try SVGFile(
            try charts(Self.numbers(labels: [.init(label: Label(name: "Study"), done: 60_000)]), "ar").labels)
        let name = try #require(labels.texts.first)
        #expect(name.box.upperBound == 360, "a name begins at the right, in whatever script")
        #expect(labels.texts[1].box.lowerBound == 0)
    }

    // MARK: Labels

    @Test func labelBarIsProportionalToMinutes() throws {
        let blue = Colour(red: 0x4C, green: 0x8D, blue: 0xFF)
        var shares = [(90, "Study"), (45, nil), (30, "<b>&\"'</b>")].map { minutes, name in
            DebtWeek.LabelSum(label: name.map { Label(name: $0, colour: blue) }, done: .minutes(Int64(minutes)))
        }
        let file = try SVGFile(try charts(Self.numbers(labels: shares)).labels)
        let bars = file.shapes.filter { ["share", "own"].contains($0.kind.first) }
        #expect(abs(bars[0]["width"] - 2 * bars[1]["width"]) < 0.02)
        #expect(bars.map { $0.attributes["fill"] } == ["#4c8dff", nil, "#4c8dff"])
        #expect(bars[1].kind == ["own"])
        #expect(file.texts.map(\.text) == ["Study", "90m", "No label", "45m", "<b>&\"'</b>", "30m"])
        #expect(!file.elements.contains("b"))
        for index in 0..<10 { shares.append(.init(label: Label(name: "L\(index)"), done: 120_000)) }
        let many = try SVGFile(try charts(Self.numbers(labels: shares)).labels)
        #expect(many.texts.suffix(2).map(\.text) == ["Others", "16m"])
        #expect(many.texts.count == 12)
    }

    // MARK: Calm

    @Test func calmIsALineWithGaps() throws {
        let past = try Self.past(until: "2026-12-28", calm: [0: 100, 1: 50, 2: 0, 10: 80, 51: 70])
        let file = try SVGFile(try charts(Self.numbers(past: past)).calm)
        let lines = file.shapes.filter { $0.name == "polyline" }.map { line in
            (line.attributes["points"] ?? "").split(separator: " ").map { point in
                point.split(separator: ",").compactMap { Double($0) }
            }
        }
        #expect(lines.map(\.count) == [3, 2], "one week alone is a point")
        #expect(lines[0].map { $0[1] } == [6, 32, 58])
        #expect(file.shapes.count { $0.name == "circle" } == 3)
        #expect(file.texts.map(\.text) == ["100%", "50%", "0%"])
        let empty = try SVGFile(try charts(Self.numbers(calm: nil)).calm)
        #expect(empty.texts.last?.text == "No sound was measured")
        #expect(!empty.elements.contains("polyline"))
    }

    // MARK: All charts

    @Test(arguments: CatalogueTests.languages) func textsDoNotOverlap(language: String) throws {
        var dice = Random(seed: UInt64(language.count))
        for first in ["2026-12-28", "2026-11-15", "2026-02-01"] {
            let labels = (0..<8).map { index in
                DebtWeek.LabelSum(
                    label: Label(name: String(repeating: "Wörter قراءة 日本語 ", count: index + 1)),
                    done: Milliseconds(.random(in: 0...40_000_000, using: &dice)))
            }
            let numbers = try Self.numbers(
                first: first, minutes: (0..<7).map { _ in .random(in: 0...1_440, using: &dice) }, today: 6,
                labels: labels, past: try Self.past(until: first, calm: [3: 40, 4: 90]))
            let charts = try charts(numbers, language)
            for svg in [charts.days, charts.labels, charts.year, charts.calm] {
                expectNothingOverlaps(try SVGFile(svg))
            }
            #expect(charts.year == (try self.charts(numbers, language).year), "the chart is deterministic")
        }
    }

    private func expectNothingOverlaps(_ file: SVGFile, sourceLocation: SourceLocation = #_sourceLocation) {
        for (index, text) in file.texts.enumerated() {
            let isInside = text.box.lowerBound >= -0.1 && text.box.upperBound <= file.width + 0.1
            #expect(isInside, "\(text)", sourceLocation: sourceLocation)
            #expect((4...file.height).contains(text.y), "\(text)", sourceLocation: sourceLocation)
            for other in file.texts[(index + 1)...] where abs(other.y - text.y) < 6 {
                #expect(!text.box.overlaps(other.box), "\(text) \(other)", sourceLocation: sourceLocation)
            }
        }
    }
}
