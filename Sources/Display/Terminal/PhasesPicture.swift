// SPDX-License-Identifier: Apache-2.0

import Session

/// The phases face on a terminal: the title, the phase, the time, a bar, and a pause mark.
struct PhasesPicture: Picture {
    let screen: Screen
    let depth: ColourDepth
    var canvas: Canvas

    mutating func draw() {
        guard rows >= Arrangement.fewestRows, let best = Arrangement.best(arrangement) else { return drawLines() }
        draw(best, column: (columns - best.columns) / 2, isCentred: true)
    }

    var texts: [Line] { [heading] + (indicator.map { [$0] } ?? []) }

    /// The phase, and the state unless it is running or paused.
    private var indicator: Line? {
        let isUsual = screen.status == .running || screen.status == .paused
        let state = isUsual || heading.text == screen.stateText ? nil : screen.stateText
        let phase = state == nil ? screen.indicatorBelowHeading : screen.indicatorBesideState
        let text = [phase, state].compactMap(\.self).joined(separator: Line.separator)
        guard !text.isEmpty, text != heading.text else { return nil }
        return Line(text: text, style: Style(isDim ? Shade.state : screen.tint.onBlack, bold: true))
    }

    private func arrangement(_ omission: Omission) -> Arrangement? {
        // This face has a bar in place of the ring.
        let hasBar = omission.hasRing
        let margin = columns > 8 ? sideMargin : 0
        let inner = columns - 2 * margin
        let buttons = buttons(omission, columns: inner)
        let groups: [[Part]] = [
            lines(omission, columns: inner), [.time(nil)], hasBar ? [.bar] : [], buttons.map { [$0] } ?? [],
            notice.map { [.line($0)] } ?? [],
        ]
        let arrangement = Arrangement(groups: groups.filter { !$0.isEmpty }, gap: omission.gap, columns: inner)
        return fill(arrangement, highest: max(rows * 3 / 5, 3))
    }

    private func lines(_ omission: Omission, columns: Int) -> [Part] {
        guard omission.lines > 0 else { return [] }
        guard omission.lines > 1, let indicator else { return [.line(heading)] }
        let isWide = heading.width + indicator.width + 2 <= columns
        return isWide ? [.pair(heading, indicator)] : [.line(heading), .line(indicator)]
    }
}
