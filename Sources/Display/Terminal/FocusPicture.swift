// SPDX-License-Identifier: Apache-2.0

import Session

/// The focus face on a terminal: a card as on a lock screen, or a column where that is the better use of the room, or
/// lines of text where there is little.
struct FocusPicture: Picture {
    let screen: Screen
    let depth: ColourDepth
    var canvas: Canvas

    mutating func draw() {
        let card = cardLayout()
        let column = columnLayout()
        switch (card, column) {
        case (let card?, let column?): draw(isBetter(column, than: card) ? column : card)
        case (let only?, nil), (nil, let only?): draw(only)
        case (nil, nil): drawLines()
        }
    }

    /// The card is what people know; the column must show more, or the time much larger.
    private func isBetter(_ column: FocusLayout, than card: FocusLayout) -> Bool {
        if column.parts != card.parts { return column.parts > card.parts }
        return column.digits.height * 5 > card.digits.height * 8
    }

    var iconStyles: (line: Style, filling: Style?) {
        let isDim = timeStyle.isFaint
        let sand = Style(isDim ? Shade.sandFrozen : Shade.sand, faint: isDim)
        return (Style(isDim ? Shade.frozen : Shade.white, faint: isDim), depth == .none ? nil : sand)
    }

    var texts: [Line] {
        var lines: [Line] = []
        if let label = screen.label {
            lines.append(Line(tag: label.colour.onBlack, text: label.name, style: Style(Shade.white, bold: true)))
            lines.append(Line(text: screen.stateText, style: Style(Shade.state)))
        } else {
            lines.append(Line(text: screen.stateText, style: Style(Shade.white, bold: true)))
        }
        let details = [screen.phaseIndicator ?? "", screen.title].filter { !$0.isEmpty }
        if !details.isEmpty {
            let style = screen.label == nil ? Style(Shade.state) : Style(Shade.quiet, faint: true)
            lines.append(Line(text: details.joined(separator: Line.separator), style: style))
        }
        return lines
    }
}
