// SPDX-License-Identifier: Apache-2.0

import Session

/// A part of a face.
enum Part {
    case line(Line)
    /// Two lines in one row, the second at its right end.
    case pair(Line, Line)
    /// The time; in plain text if there are no digits.
    case time(BigDigits?)
    case bar
    case ring(Ring)
    case buttons(ButtonRows)

    var rows: Int {
        switch self {
        case .line, .pair, .bar: 1
        case .time(let digits): digits?.rows ?? 1
        case .ring(let ring): ring.rows
        case .buttons(let buttons): buttons.height
        }
    }
}

/// Parts one below the other, in groups with empty rows between them.
struct Arrangement {
    var groups: [[Part]]
    /// The empty rows between two groups.
    var gap: Int
    /// The columns available to the parts.
    var columns: Int
    /// A ring to the left of all parts.
    var ring: Ring?

    static let ringGap = 4
    /// The fewest rows for parts below each other; with fewer, the time goes beside the text.
    static let fewestRows = 3

    private var parts: [Part] { groups.flatMap(\.self) }
    var rows: Int { parts.reduce(0) { $0 + $1.rows } + gap * (groups.count - 1) }
    var digits: BigDigits? {
        for case .time(let digits) in parts { return digits }
        return nil
    }
    private var anyRing: Ring? {
        if let ring { return ring }
        for case .ring(let ring) in parts { return ring }
        return nil
    }

    /// The value of an arrangement: the sum of its parts, and of a time that is readable from afar.
    private var worth: Int {
        let height = digits?.height ?? 0
        let time = (height >= BigDigits.smallest ? 3 : 0) + (height >= 10 ? 2 : 0)
        let shown = parts.reduce(0) { sum, part in
            switch part {
            case .line: sum + 2
            case .pair: sum + 4
            case .time: sum
            case .bar: sum + 2
            case .ring: sum
            case .buttons: sum + 3
            }
        }
        let ring = anyRing.map { $0.iconHeight == nil ? 2 : 3 } ?? 0
        return time + shown + ring + (gap > 0 ? 1 : 0)
    }

    func showsMore(than other: Arrangement) -> Bool { worth > other.worth }

    func isBetter(than other: Arrangement) -> Bool {
        (worth, digits?.height ?? 0, gap) > (other.worth, other.digits?.height ?? 0, other.gap)
    }
}

extension Arrangement {
    /// Returns the best arrangement of all omissions.
    static func best(_ make: (Omission) -> Arrangement?) -> Arrangement? {
        var best: Arrangement?
        for made in Omission.all.lazy.compactMap(make) where best.map({ made.isBetter(than: $0) }) ?? true {
            best = made
        }
        return best
    }
}

/// The parts that a face omits if there is little room.
struct Omission {
    var gap = 1
    var hasTallButtons = false
    var hasButtons = true
    var hasRing = true
    /// The maximum number of text lines.
    var lines = 2

    /// Every combination, those with wide gaps first.
    static let all: [Omission] = [(2, true), (1, true), (1, false), (0, false)].flatMap { gap, isTall in
        [true, false].flatMap { hasButtons in
            [true, false].flatMap { hasRing in
                [2, 1, 0].map { lines in
                    Omission(gap: gap, hasTallButtons: isTall, hasButtons: hasButtons, hasRing: hasRing, lines: lines)
                }
            }
        }
    }
}

extension Picture {
    /// Returns the buttons; `nil` if there are none or one is too wide.
    func buttons(_ omission: Omission, columns: Int) -> Part? {
        guard omission.hasButtons, !screen.buttons.isEmpty else { return nil }
        return ButtonRows(screen.buttons, columns: columns, isTall: omission.hasTallButtons, depth: depth)
            .map(Part.buttons)
    }

    /// Sets the digits of the time to fill the other rows; `nil` if its shortest text does not fit.
    func fill(_ arrangement: Arrangement, highest: Int) -> Arrangement? {
        let air = arrangement.gap > 0 ? 2 : 0
        let left = rows - air - arrangement.rows + 1
        guard left > 0, !screen.smallTime(columns: arrangement.columns).isEmpty else { return nil }
        let digits = screen.bigTime(columns: arrangement.columns, rows: min(left, highest))
        var filled = arrangement
        filled.groups = arrangement.groups.map { group in
            group.map { part in if case .time = part { .time(digits) } else { part } }
        }
        return filled
    }

    /// Draws the parts in the middle of the rows, from a column on.
    mutating func draw(_ arrangement: Arrangement, column: Int, isCentred: Bool) {
        var row = (rows - arrangement.rows) / 2
        for group in arrangement.groups {
            for part in group {
                draw(part, column: column, row: row, columns: arrangement.columns, isCentred: isCentred)
                row += part.rows
            }
            row += arrangement.gap
        }
    }

    private mutating func draw(_ part: Part, column: Int, row: Int, columns: Int, isCentred: Bool) {
        let place = { (width: Int) in column + (isCentred ? max(columns - width, 0) / 2 : 0) }
        switch part {
        case .line(let line): line.write(on: &canvas, column: place(line.width), row: row, columns: columns)
        case .pair(let left, let right):
            left.write(on: &canvas, column: column, row: row, columns: columns - right.width - 1)
            right.write(on: &canvas, column: column + columns - right.width, row: row, columns: right.width)
        case .time(let digits?):
            let pixmap = digits.pixmap(of: screen.time)
            canvas.draw(pixmap, column: place(pixmap.width), row: row, line: timeStyle)
        case .time(nil):
            let text = screen.smallTime(columns: columns)
            canvas.write(text, column: place(TerminalText.displayWidth(text)), row: row, style: timeStyle)
        case .bar: drawBar(column: column, row: row, columns: columns)
        case .ring(let ring): draw(ring, column: place(ring.columns), row: row)
        case .buttons(let buttons):
            buttons.draw(
                on: &canvas, column: column, row: row, columns: columns, isCentred: isCentred,
                pending: screen.pendingText)
        }
    }

    /// Draws the bar, after the pause mark if the session is paused.
    private mutating func drawBar(column: Int, row: Int, columns: Int) {
        let mark: Localized = screen.status == .paused ? Self.pauseMark : ""
        canvas.write(mark, column: column, row: row, style: Style(Shade.white, bold: true))
        guard let progress = screen.progress else { return }
        let start = mark.isEmpty ? 0 : mark.description.count + 1
        ProgressBar(columns: columns - start, progress: progress)
            .draw(on: &canvas, column: column + start, row: row, style: tintStyle, depth: depth)
    }

    /// Two bars, in characters that every font has.
    static var pauseMark: Localized { "▌▌" }

    /// Draws the ring with the icon or emoji in it.
    mutating func draw(_ ring: Ring, column: Int, row: Int) {
        let open = Style(Shade.track, faint: true)
        ring.draw(
            on: &canvas, column: column, row: row, progress: screen.progress, done: tintStyle, open: open, depth: depth)
        if let emoji = screen.emoji {
            let width = TerminalText.displayWidth(emoji)
            guard width <= ring.columns - 4 else { return }
            canvas.write(
                emoji, column: column + (ring.columns - width) / 2, row: row + (ring.rows - 1) / 2, style: tintStyle)
        } else if let iconHeight = ring.iconHeight {
            let icon = Drawings.icon(screen.icon, height: iconHeight, progress: screen.progress)
            canvas.draw(
                icon, column: column + (ring.columns - icon.width) / 2, row: row + (ring.rows - icon.rows) / 2,
                line: tintStyle, filling: depth == .none ? nil : Style(isDim ? Shade.sandFrozen : Shade.sand))
        }
    }
}
