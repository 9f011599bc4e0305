// SPDX-License-Identifier: Apache-2.0

import Display
import Session

/// The texts of the faces with words, and the styles of their parts on black.
extension Screen {
    /// Whether parts are dimmed, because the time does not run or may be wrong.
    var isDimmed: Bool { isFrozen || isStale || status == .stopped || status == .superseded }

    var timeStyle: Style {
        // The boring face has no notices: a darker grey marks a time that may be wrong.
        guard face != .boring else { return Style(isStale ? Shade.boringQuiet : Shade.boring, faint: isStale) }
        if isNear { return Style(Shade.warning, bold: true) }
        return Style(isDimmed ? Shade.frozen : isIdle ? Shade.state : Shade.white, bold: !isDimmed, faint: isDimmed)
    }

    var barStyle: Style { isNear ? Style(Shade.warning) : tintStyle }

    /// The style of parts in the label's colour.
    var tintStyle: Style {
        let tint = tint.onBlack
        let dimmed = Colour(red: tint.red / 2, green: tint.green / 2, blue: tint.blue / 2)
        return Style(isDimmed ? dimmed : tint, faint: isDimmed)
    }

    /// The lines above the time, the most important first.
    func lines(hasIcons: Bool) -> [Line] {
        let icon = Line(hasIcons ? "\(iconSign) " : "", tintStyle)
        let lines =
            switch face {
            case .boring: [Line]()
            case .focus: [icon + focusHeading] + focusDetails
            case .calm: [icon + titleLine, calmLine]
            case .phases: [titleLine, phaseLine]
            }
        return lines.filter { !$0.isEmpty }
    }

    var noticeLine: Line? {
        guard let loudest = notices.first else { return nil }
        let isQuiet = loudest.kind == .tookOver || loudest.kind == .moved
        let text = notices.map(\.text).joined(separator: Localized.separator)
        return Line(text, Style(isQuiet ? Shade.quiet : Shade.warning, faint: isQuiet))
    }

    private var headingText: Localized {
        [title, .userText(label?.name ?? ""), stateText].first { !$0.isEmpty } ?? ""
    }

    private var titleLine: Line { Line(headingText, Style(Shade.white, bold: true)) }

    private var focusHeading: Line {
        guard let label else { return Line(stateText, Style(Shade.white, bold: true)) }
        return Line("# ", Style(label.colour.onBlack, bold: true))
            + Line(.userText(label.name), Style(Shade.white, bold: true))
    }

    private var focusDetails: [Line] {
        let state = Style(Shade.state)
        let details = [phaseIndicator ?? "", title].joined(separator: Localized.separator)
        guard label != nil else { return [Line(details, state)] }
        return [Line(stateText, state), Line(details, Style(Shade.quiet, faint: true))]
    }

    /// The calm, and the state unless the session is running.
    private var calmLine: Line {
        let signs = [calmText, calmTrend?.sign].compactMap(\.self).joined(separator: " ")
        let saysState = (isFrozen || status?.isLive != true) && stateText != headingText
        return Line([signs, saysState ? stateText : ""].joined(separator: Localized.separator), Style(Shade.state))
    }

    /// The pause mark, the phase, and the state unless the session is running or paused.
    private var phaseLine: Line {
        let isUsual = status == .running || status == .paused || headingText == stateText
        let phase = isUsual ? indicatorBelowHeading : indicatorBesideState
        let text = [phase ?? "", isUsual ? "" : stateText].joined(separator: Localized.separator)
        let mark = Line(status == .paused ? "▌▌ " : "", Style(Shade.white, bold: true))
        return mark
            + Line(text == headingText ? "" : text, Style(isDimmed ? Shade.state : tint.onBlack, bold: true))
    }
}
