// SPDX-License-Identifier: Apache-2.0

import Display
import Session

/// A drawing of a screen for a terminal of any size: one column of lines, time, bar, buttons and notice.
struct TerminalPicture {
    private let screen: Screen
    private let depth: ColourDepth
    private var canvas: Canvas

    /// Returns the picture. It omits the time if not even its shortest text fits.
    /// - Parameter depth: With few colours, buttons are marked by brackets.
    static func canvas(of screen: Screen, columns: Int, rows: Int, depth: ColourDepth) -> Canvas {
        let background = screen.face == .boring ? Shade.boringGround : Shade.black
        var picture = TerminalPicture(
            screen: screen, depth: depth, canvas: Canvas(columns: columns, rows: rows, background: background))
        if screen.face == .boring {
            picture.drawBoring()
        } else if screen.isIdle {
            picture.drawIdle()
        } else if let stack = Arrangement.all.lazy.compactMap(picture.stack).first, rows >= 3 {
            picture.draw(stack)
        } else {
            picture.drawRows()
        }
        return picture.canvas
    }

    /// A part of a picture, with its rows.
    private enum Part {
        case line(Line)
        case digits(BigDigits)
        case bar
        case day(Screen.Day)
        case buttons(ButtonRows)

        var rows: Int {
            switch self {
            case .line, .bar, .day: 1
            case .digits(let digits): digits.rows
            case .buttons(let buttons): buttons.height
            }
        }
    }

    /// Parts below each other, in groups with empty rows between them.
    private struct Stack {
        var groups: [[Part]]
        var gap = 0
        var rows: Int { groups.joined().reduce(gap * (groups.count - 1)) { $0 + $1.rows } }
    }

    /// The parts that one amount of room has, and the rows between them.
    private struct Arrangement {
        var gap = 0
        var hasTallButtons = false
        var hasBar = true
        var lines = 3
        var hasButtons = true
        /// The least height of the time in pixels; less if even the time alone could not be as high.
        var digits: Int

        /// The arrangements, from a terminal with much room to one with little.
        static let all = [
            Arrangement(gap: 2, hasTallButtons: true, digits: 16),
            Arrangement(gap: 1, hasTallButtons: true, digits: 10),
            Arrangement(gap: 1, digits: 10),
            Arrangement(digits: 7),
            Arrangement(hasBar: false, digits: 7),
            Arrangement(hasBar: false, lines: 2, digits: 5),
            Arrangement(hasBar: false, lines: 1, digits: 5),
            Arrangement(hasBar: false, lines: 2, hasButtons: false, digits: 5),
            Arrangement(hasBar: false, lines: 1, hasButtons: false, digits: 5),
        ]
    }

    private var columns: Int { canvas.columns }
    private var rows: Int { canvas.rows }
    private var margin: Int { min(columns / 20, 10) }
    private var innerColumns: Int { columns - 2 * margin }

    /// Returns the parts of an arrangement; `nil` if they do not fit.
    private func stack(_ arrangement: Arrangement) -> Stack? {
        let buttons = ButtonRows(
            screen.buttons, columns: innerColumns, isTall: arrangement.hasTallButtons, depth: depth)
        let lower: [Part?] = [
            arrangement.hasBar && screen.progress != nil ? .bar : nil,
            arrangement.hasButtons ? buttons.map(Part.buttons) : nil, screen.noticeLine.map(Part.line),
        ]
        let above = lines(arrangement.lines, columns: innerColumns).map(Part.line)
        let below = lower.compactMap { part in part.map { [$0] } }
        let others = Stack(groups: [above] + below, gap: arrangement.gap)
        let left = rows - others.rows - arrangement.gap - (arrangement.gap > 0 ? 2 : 0)
        let highest = max(rows / 2, 3)
        let digits = screen.bigTime(columns: innerColumns, rows: min(left, highest))
        let largest = screen.bigTime(columns: innerColumns, rows: min(rows, highest))
        let time = screen.smallTime(columns: innerColumns)
        guard left > 0, !time.isEmpty, digits?.height ?? 0 >= min(arrangement.digits, largest?.height ?? 0) else {
            return nil
        }
        let drawn = digits.map(Part.digits) ?? .line(Line(time, screen.timeStyle))
        return Stack(groups: [above, [drawn]] + below, gap: arrangement.gap)
    }

    /// Returns the lines above the time. Where they are too many, the last ones share a row or are left out.
    private func lines(_ count: Int, columns: Int) -> [Line] {
        var lines = screen.lines(hasIcons: depth.hasFineCharacters)
        while lines.count > count, let last = lines.popLast(), let other = lines.popLast() {
            let joined = other + Line(Localized.separator, Style(Shade.quiet, faint: true)) + last
            lines.append(joined.width <= columns ? joined : other)
        }
        return lines
    }

    private mutating func draw(_ stack: Stack) {
        var row = (rows - stack.rows) / 2
        for group in stack.groups {
            for part in group {
                draw(part, row: row)
                row += part.rows
            }
            row += stack.gap
        }
    }

    private mutating func draw(_ part: Part, row: Int) {
        switch part {
        case .line(let line):
            let column = max((columns - line.width) / 2, margin)
            line.write(on: &canvas, column: column, row: row, columns: innerColumns)
        case .digits(let digits):
            let pixmap = digits.pixmap(of: screen.time)
            canvas.draw(pixmap, column: (columns - pixmap.width) / 2, row: row, style: screen.timeStyle)
        case .bar:
            canvas.drawBar(
                screen.progress ?? 0, column: margin, row: row, columns: innerColumns, style: screen.barStyle,
                depth: depth)
        case .day(let day): draw(day, row: row)
        case .buttons(let buttons): buttons.draw(on: &canvas, row: row, pending: screen.pendingText)
        }
    }

    /// Draws rows of text with the time at the right of the first, or the time alone.
    private mutating func drawRows() {
        let time = screen.smallTime(columns: columns)
        let width = TerminalText.displayWidth(time)
        let room = columns - width - 2
        guard room >= 6 else { return draw(.line(Line(time, screen.timeStyle)), row: (rows - 1) / 2) }
        let notices = screen.noticeLine.map { [$0] } ?? []
        let count = max(rows - notices.count, screen.isStale ? 0 : 1)
        var shown = lines(count, columns: count > 1 ? columns : room)
        shown.insert(contentsOf: notices, at: min(1, shown.count))
        shown = Array(shown.prefix(rows))
        let top = (rows - shown.count) / 2
        for (index, line) in shown.enumerated() {
            line.write(on: &canvas, column: 0, row: top + index, columns: index == 0 ? room : columns)
        }
        canvas.write(time, column: columns - width, row: top, style: screen.timeStyle)
    }

    /// Draws the time of day or the days of the week, and below them as many lines as fit.
    private mutating func drawIdle() {
        guard screen.idle != .off else { return }
        let notice = screen.notices.map(\.text).joined(separator: Localized.separator)
        let lines = [
            Line(screen.sumText ?? "", Style(Shade.state)), Line(screen.idleText, Style(Shade.quiet, faint: true)),
            Line(notice, Style(Shade.frozen, faint: true)),
        ].filter { !$0.isEmpty }.map(Part.line)
        let stacks = (0...lines.count).reversed().flatMap { count in
            [1, 0].compactMap { idle(lines.prefix(count), gap: $0) }
        }
        draw(stacks.first ?? Stack(groups: [Array(lines.prefix(rows))]))
    }

    /// Returns the time of day or the days above some lines; `nil` if there is none, or not enough room.
    private func idle(_ lines: ArraySlice<Part>, gap: Int) -> Stack? {
        var stack = Stack(groups: lines.map { [$0] }, gap: gap)
        if screen.days.isEmpty {
            let left = rows - stack.rows - 2 * gap
            let digits = screen.bigTime(columns: innerColumns, rows: min(left, max(rows / 2, 3)))
            guard let digits, !screen.time.isEmpty else { return nil }
            stack.groups.insert([.digits(digits)], at: 0)
        } else {
            stack.groups.insert(screen.days.map(Part.day), at: 0)
        }
        return stack.rows <= rows ? stack : nil
    }

    /// Draws a day as its name, a bar and its minutes.
    private mutating func draw(_ day: Screen.Day, row: Int) {
        let widths = screen.days.map { (TerminalText.displayWidth($0.name), TerminalText.displayWidth($0.minutes)) }
        let (name, minutes) = (widths.map(\.0).max() ?? 0, widths.map(\.1).max() ?? 0)
        let bar = max(0, min(innerColumns, 60) - name - minutes - 2)
        let column = (columns - name - bar - minutes - 2) / 2
        let style = Style(day.isToday ? Shade.white : Shade.quiet, faint: !day.isToday)
        canvas.write(day.name, column: column, row: row, style: style)
        let tint = day.isToday ? screen.tint.onBlack : Shade.quiet
        canvas.drawBar(day.share, column: column + name + 1, row: row, columns: bar, style: Style(tint), depth: depth)
        let width = TerminalText.displayWidth(day.minutes)
        canvas.write(day.minutes, column: column + name + bar + 2 + minutes - width, row: row, style: style)
    }

    /// Draws only the time, and the week's debt while there is one.
    private mutating func drawBoring() {
        guard !screen.isIdle else { return }
        let digits =
            screen.bigTime(columns: columns - 2 * (columns / 5), rows: rows - 2 * (rows / 4))
            ?? screen.bigTime(columns: columns - 2, rows: rows)
        let time = digits.map(Part.digits) ?? .line(Line(screen.smallTime(columns: columns), screen.timeStyle))
        draw(time, row: (rows - time.rows) / 2)
        // The debt uses only free rows, so that the time does not move.
        let below = (rows - time.rows) / 2 + time.rows
        guard let debt = screen.debtText, below < rows, debt.description.count <= columns else { return }
        let line = Line(debt, Style(Shade.boringQuiet, faint: true))
        draw(.line(line), row: below + (below + 1 < rows ? 1 : 0))
    }
}

extension Screen {
    /// Returns the largest digits for the widest time of the phase, or else for the present time.
    func bigTime(columns: Int, rows: Int) -> BigDigits? {
        BigDigits.fitting(widestTime, columns: columns, rows: rows)
            ?? BigDigits.fitting(time, columns: columns, rows: rows)
    }

    /// Returns the longest text of the time that fits; empty if none does.
    fileprivate func smallTime(columns: Int) -> Localized {
        times.first { TerminalText.displayWidth($0) <= columns } ?? ""
    }
}

extension Canvas {
    private static let eighths: [Localized] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]

    /// Draws a bar of one row that fills from the left.
    /// - Parameter progress: 0 to 1.
    mutating func drawBar(
        _ progress: Double, column: Int, row: Int, columns: Int, style: Style, depth: ColourDepth
    ) {
        guard columns > 0 else { return }
        // Fonts without eighth blocks have half blocks.
        let steps = depth.hasFineCharacters ? 8 : 2
        let filled = Int(min(max(progress, 0), 1) * Double(columns * steps))
        let (full, rest) = (filled / steps, filled % steps * (8 / steps))
        let left = columns - full - (rest > 0 ? 1 : 0)
        let area = depth.hasAreas ? Shade.button : nil
        var done = style
        done.background = area
        let bar: Localized = "\(.symbols(String(repeating: "█", count: full)))\(Self.eighths[rest])"
        let open: Localized = .symbols(String(repeating: depth.hasAreas ? " " : "░", count: left))
        write(bar, column: column, row: row, style: done)
        write(open, column: column + columns - left, row: row, style: Style(Shade.track, on: area, faint: true))
    }
}
