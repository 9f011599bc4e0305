// SPDX-License-Identifier: Apache-2.0

import Session

/// The calm face on a terminal: a ring around the icon, title, calm, time and two buttons.
struct CalmPicture: Picture {
    let screen: Screen
    let depth: ColourDepth
    var canvas: Canvas

    mutating func draw() {
        guard rows >= Arrangement.fewestRows else { return drawLines() }
        let beside = Arrangement.best(beside)
        let below = Arrangement.best(below)
        switch (beside, below) {
        case (let beside?, let below?) where below.showsMore(than: beside): draw(below)
        case (let beside?, _): draw(beside)
        case (nil, let below?): draw(below)
        case (nil, nil): drawLines()
        }
    }

    var texts: [Line] {
        var heading = heading
        if let emoji = screen.emoji { heading.text = "\(emoji) \(heading.text)" }
        return [heading] + details
    }

    /// The line below the heading: the calm, and the state unless it is running.
    private var details: [Line] {
        let state: Localized = screen.isFrozen || screen.status?.isLive != true ? screen.stateText : ""
        let signs = [screen.calmText, screen.calmTrend?.sign].compactMap(\.self).joined(separator: " ")
        let calm = Line(text: signs, style: Style(Shade.state))
        guard !state.isEmpty, state != heading.text else { return [calm] }
        return [Line(text: [signs, state].joined(separator: Line.separator), style: Style(Shade.state))]
    }

    private mutating func draw(_ arrangement: Arrangement) {
        guard let ring = arrangement.ring else {
            return draw(arrangement, column: (columns - arrangement.columns) / 2, isCentred: true)
        }
        let width = ring.columns + Arrangement.ringGap + arrangement.columns
        let column = (columns - width) / 2
        draw(ring, column: column, row: (rows - ring.rows) / 2)
        draw(arrangement, column: column + ring.columns + Arrangement.ringGap, isCentred: false)
    }

    /// Arranges the ring to the left of the other parts.
    private func beside(_ omission: Omission) -> Arrangement? {
        guard omission.hasRing else { return nil }
        let inner = columns - 2 * sideMargin
        let ring = Ring(rows: min(rows - (rows > 8 ? 2 : 0), inner / 5, 24))
        let room = inner - ring.columns - Arrangement.ringGap
        guard ring.rows >= Ring.fewestRows, room > 0 else { return nil }
        var arrangement = Arrangement(groups: [], gap: omission.gap, columns: room, ring: ring)
        arrangement.groups = groups(omission, columns: room, ring: nil)
        guard var filled = fill(arrangement, highest: max(rows * 2 / 5, 3)) else { return nil }
        // The parts and the ring are centred together.
        filled.columns = min(room, widest(of: filled))
        return filled
    }

    /// Arranges the ring above the other parts, or no ring.
    private func below(_ omission: Omission) -> Arrangement? {
        let inner = columns - 2 * (columns > 8 ? sideMargin : 0)
        let ring = omission.hasRing ? Ring(rows: min(rows * 2 / 5, inner / 2, 24)) : nil
        if let ring, ring.rows < Ring.fewestRows { return nil }
        let groups = groups(omission, columns: inner, ring: ring)
        return fill(
            Arrangement(groups: groups, gap: omission.gap, columns: inner), highest: max(rows * 2 / 5, 3))
    }

    private func groups(_ omission: Omission, columns: Int, ring: Ring?) -> [[Part]] {
        let lines = omission.hasRing ? [heading] + details : texts
        let shown = lines.prefix(omission.lines).filter { !$0.text.isEmpty }
        let buttons = buttons(omission, columns: columns)
        return [
            ring.map { [.ring($0)] } ?? [], shown.map(Part.line), [.time(nil)], buttons.map { [$0] } ?? [],
            notice.map { [.line($0)] } ?? [],
        ].filter { !$0.isEmpty }
    }

    /// Returns the columns of the widest part, with the widest time of the phase.
    private func widest(of arrangement: Arrangement) -> Int {
        arrangement.groups.flatMap(\.self).reduce(0) { widest, part in
            switch part {
            case .line(let line): max(widest, line.width)
            case .pair(let left, let right): max(widest, left.width + right.width)
            case .time(let digits?): max(widest, digits.width(of: screen.widestTime), digits.width(of: screen.time))
            case .time(nil): max(widest, TerminalText.displayWidth(screen.time))
            case .ring(let ring): max(widest, ring.columns)
            case .buttons(let buttons): max(widest, buttons.width)
            case .bar: widest
            }
        }
    }
}
